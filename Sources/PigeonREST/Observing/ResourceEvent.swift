/// What happened to a resource.
public enum ResourceEvent: Sendable, Hashable {
    /// An observer began to observe. Told to that observer only.
    case observerAdded
    /// A load began.
    case requested
    /// A load was cancelled: nothing else changed.
    case requestCancelled
    /// There is something else to show.
    case newData(NewDataSource)
    /// What is there is still right.
    case notModified
    /// A load failed. What was there still is.
    case error

    /// Where new data came from.
    public enum NewDataSource: String, Sendable {
        /// A server.
        case network
        /// A persistent cache.
        case cache
        /// The program.
        case localOverride
        /// Nowhere: what was there was taken away.
        case wipe
    }
}

extension ResourceEvent: CustomStringConvertible {
    /// A few words.
    public var description: String {
        switch self {
        case .observerAdded: "observerAdded"
        case .requested: "requested"
        case .requestCancelled: "requestCancelled"
        case .newData(let source): "newData(\(source.rawValue))"
        case .notModified: "notModified"
        case .error: "error"
        }
    }
}

extension ResourceEvent.NewDataSource: CustomStringConvertible {
    /// The name of the source: `"network"`.
    public var description: String { rawValue }
}
