package import NIOCore

/// The sizes and times beyond which the server refuses or closes.
package enum Limits {
    package static let bodyBytes = 1 << 20
    package static let longestLatency = Duration.seconds(30)
    package static let keptRecords = 10_000
    /// Longer than the longest latency, so that a waiting answer is not taken for an idle connection.
    package static let idleTime = TimeAmount.seconds(60)
}
