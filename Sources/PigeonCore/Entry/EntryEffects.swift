/// The effects of an input to an entry: calls that the entry makes on its client.
///
/// The entry is changing during these calls, so they must not read it. The client turns them into ``Work``, which it
/// carries out once its lock is released. Effects that have to read the entry wait until it has received the input.
package protocol EntryEffects {
    /// The key of the entry.
    var key: QueryKey { get }
    /// True if the event stream has a listener. Without one, the entry creates no events.
    var wantsEvents: Bool { get }

    /// Requests the next attempt of a fetch in flight. If `goesOn` is true, the attempt resumes where the previous one failed. It is
    /// false if the data loaded so far predates an invalidation or a write.
    mutating func requestAttempt(of target: FlightTarget, goesOn: Bool)

    /// Cancels a fetch if it runs: its answer will be dropped. Its end follows.
    mutating func stop(_ flight: Flight)

    /// Releases what a fetch needed. Called once, at its end.
    mutating func end(_ flight: Flight, _ end: FetchEnd)

    /// Notifies a request that the fetch carries it no longer.
    mutating func end(_ request: any FetchRequest, _ end: FetchEnd)

    /// Resumes callers who awaited a fetch or a page. Called at each end, with or without callers.
    ///
    /// - Parameter shown: The entry's value.
    mutating func resume(
        _ callers: [WaitingCaller], awaiting target: FlightTarget, with settlement: Settlement, showing shown: Payload?)

    /// Writes the value to its cache or its source of truth.
    mutating func persist()
    /// Marks the value in its cache or its source of truth as stale.
    mutating func persistStale()
    /// Removes the entry, which has been unused for longer than its options keep it.
    mutating func collect()

    /// Subscribes to the source of truth, unless the client already has.
    mutating func watchSource()
    mutating func readSource()
    /// Resumes the callers that await a reading.
    mutating func sourceRead()

    /// Sends an event to the event stream.
    ///
    /// - Parameters:
    ///   - fetch: The number of the fetch or page load concerned.
    ///   - mutation: The number of the mutation concerned.
    mutating func emit(
        _ kind: QueryEvent.Kind, _ cause: Cause, of fetch: UInt64?, mutation: UInt64?, error: (any Error)?)

    /// Releases an object outside the lock.
    mutating func discard(_ object: AnyObject?)
}

extension EntryEffects {
    mutating func event(
        _ kind: @autoclosure () -> QueryEvent.Kind, _ cause: @autoclosure () -> Cause,
        of fetch: @autoclosure () -> UInt64? = nil, mutation: @autoclosure () -> UInt64? = nil,
        error: @autoclosure () -> (any Error)? = nil
    ) {
        guard wantsEvents else { return }
        emit(kind(), cause(), of: fetch(), mutation: mutation(), error: error())
    }

    /// Changes a reference, and releases the old object outside the lock. The objects of an input need no such care: whoever
    /// sends it holds them until the lock is released.
    mutating func replace<Object: AnyObject>(_ place: inout Object?, by new: Object?) {
        let old = exchange(&place, with: new)
        if old !== new { discard(old) }
    }
}

/// The outcome that waiting callers receive.
package enum Settlement {
    /// The shown value.
    case value
    case failure(Failure)
    /// Callers that await the whole value receive the shown value, or a `CancellationError` if there is none. Callers
    /// that await a page receive the error: a list without the requested page is no result for them.
    case cancelled

    /// How a fetch with this outcome has ended, for the request that it carried.
    var end: FetchEnd {
        switch self {
        case .value: .answered
        case .failure(let failure): .failed(failure.error)
        case .cancelled: .cancelled
        }
    }

    func result(of target: FlightTarget, showing shown: Payload?) -> Result<Payload, any Error> {
        switch self {
        case .failure(let failure): .failure(failure.error)
        case .cancelled where target != .whole: .failure(CancellationError())
        case .value, .cancelled: shown.map { .success($0) } ?? .failure(CancellationError())
        }
    }
}
