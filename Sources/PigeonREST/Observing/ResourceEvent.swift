internal import PigeonCore

/// An event that the observers of a resource receive.
public enum ResourceEvent: Sendable, Hashable {
    /// An observer was added. Sent only to that observer.
    case observerAdded
    /// A load was started.
    case requested
    /// A load was cancelled. Nothing else has changed.
    case requestCancelled
    /// The content was replaced or removed.
    case newData(NewDataSource)
    /// The server confirmed that the content is still current.
    case notModified
    /// A load failed. The content stays.
    case error

    /// The source of new data.
    public enum NewDataSource: String, Sendable {
        /// The server sent the content.
        case network
        /// A persistent cache contained the content.
        case cache
        /// The program replaced the content.
        case localOverride
        /// The content was removed.
        case wipe
    }
}

extension ResourceEvent: CustomStringConvertible {
    /// The name of the event, with the source of new data.
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

/// An event, with the state of the resource right after it.
struct EventRecord: Sendable {
    let event: ResourceEvent
    /// The state of the entry. `nil` if there is no entry.
    let entryState: EntryState?
    /// True if requests other than loads were in flight.
    let hasOtherRequests: Bool
    /// The position of the event in the order of all events.
    var number: UInt64 = 0
}

extension ResourceEvent {
    /// Returns the events of the change from one state to the next. The start of a load is not among them, because
    /// the load itself posts it when it is sent.
    static func all(from old: EntryState, to new: EntryState) -> [ResourceEvent] {
        let hasEnded = old.activity != .idle && new.activity == .idle
        if old.valueVersion != new.valueVersion {
            guard new.payload != nil else { return [.newData(.wipe)] + (hasEnded ? [.requestCancelled] : []) }
            return [.newData(source(from: old, to: new))]
        }
        if new.failureCount != old.failureCount, new.failure != nil { return [.error] }
        if new.answerCount != old.answerCount { return [.notModified] }
        return hasEnded ? [.requestCancelled] : []
    }

    private static func source(from old: EntryState, to new: EntryState) -> NewDataSource {
        if old.payload == nil, new.valueCount == old.valueCount, !new.hasLayers { return .cache }
        return new.answerCount != old.answerCount ? .network : .localOverride
    }
}
