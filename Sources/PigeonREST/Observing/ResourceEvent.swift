internal import PigeonCore

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

/// Something that happened to a resource, and how it was then.
struct Happening: Sendable {
    let event: ResourceEvent
    /// `nil` when nothing is known of the resource.
    let picture: EntryPicture?
    /// In which order it happened.
    var number: UInt64 = 0
}

extension Happening {
    /// What the change from one picture to the next means. What began is told by the load itself, once it asks.
    static func all(from old: EntryPicture, to new: EntryPicture) -> [Happening] {
        events(from: old, to: new).map { Happening(event: $0, picture: new) }
    }

    private static func events(from old: EntryPicture, to new: EntryPicture) -> [ResourceEvent] {
        let hasEnded = old.activity != .idle && new.activity == .idle
        if old.valueVersion != new.valueVersion {
            guard new.payload != nil else { return [.newData(.wipe)] + (hasEnded ? [.requestCancelled] : []) }
            return [.newData(source(from: old, to: new))]
        }
        if new.failureCount != old.failureCount, new.failure != nil { return [.error] }
        if new.answerCount != old.answerCount { return [.notModified] }
        return hasEnded ? [.requestCancelled] : []
    }

    private static func source(from old: EntryPicture, to new: EntryPicture) -> ResourceEvent.NewDataSource {
        if old.payload == nil, new.valueCount == old.valueCount, !new.hasLayers { return .cache }
        return new.answerCount != old.answerCount ? .network : .localOverride
    }
}
