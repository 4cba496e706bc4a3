import DemoHTTP

/// Says how long answers wait, 0 to 30 seconds each; a time outside is moved to the nearest end.
package struct Latency: Sendable, Equatable {
    /// The time of every request that nothing else is said of.
    package var fixed: Duration
    /// The times of paths, each with all below it; the longest path that fits decides.
    package var paths: [String: Duration]
    /// The times of the next requests, whatever their path, in the order of their arrival: long ones before short ones
    /// have answers come out of order.
    package var script: [Duration]

    package init(_ fixed: Duration = .zero, paths: [String: Duration] = [:], script: [Duration] = []) {
        self.fixed = fixed
        self.paths = paths
        self.script = script
    }

    /// Returns the time of a request, and takes it from the script where that is not at its end.
    mutating func take(for path: [String]) -> Duration {
        let fitting = paths.filter { path.starts(with: $0.key.pathSegments) }
        let ofPath = fitting.max { $0.key.pathSegments.count < $1.key.pathSegments.count }?.value
        let time = script.isEmpty ? ofPath ?? fixed : script.removeFirst()
        return min(max(time, .zero), Limits.longestLatency)
    }
}
