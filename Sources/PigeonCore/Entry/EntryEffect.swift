/// An action that the client must carry out after an input. Effects are carried out in order.
package enum EntryEffect {
    /// Run the fetcher. `attempt` counts from 0 within a fetch. If `goesOn` is true, the attempt resumes where the
    /// previous one failed. It is false if the data loaded so far predates an invalidation or a write.
    case start(FlightTarget, generation: UInt64, attempt: Int, cause: Cause, fromStart: Bool, goesOn: Bool)
    /// Cancel a fetch, whose answer will be dropped. `isSuperseded` is true if a newer fetch replaced it.
    case stop(generation: UInt64, isSuperseded: Bool)
    /// Remove the bookkeeping of a fetch that is over.
    case end(generation: UInt64)
    /// Subscribe to the source of truth, unless the client already has.
    case watchSource
    case readSource
    /// Resume the callers that await a reading.
    case sourceRead
    case notify
    /// Resume the callers that await a fetch. Those that came after an invalidation later than `requestedAt` wait for
    /// another fetch, with the cause `followUp` (A58).
    case settle(Settlement, requestedAt: UInt64 = .max, followUp: Cause? = nil)

    /// Resume the callers that await a page.
    case settlePage(PageDirection, Settlement)
    case persist

    /// Mark the value in the cache as stale.
    case persistStale
    /// Send an event to the event stream, with the number of the fetch or mutation concerned.
    case event(QueryEvent.Kind, Cause, of: UInt64?, mutation: UInt64?)
    /// Release this object outside the lock.
    case discard(AnyObject)
    /// Remove the entry, which has been unused for longer than its options keep it.
    case collect
}

/// The result that waiting callers receive.
package enum Settlement {
    /// The shown value.
    case value
    case failure(Failure)
    /// Callers that await the whole value receive the shown value, or a `CancellationError` if there is none. Callers
    /// that await a page receive the error.
    case cancelled
}

/// Collects the effects of an entry. The caller of ``Entry/receive(_:at:into:)`` owns the buffer and reuses it.
package struct EffectBuffer {
    package private(set) var effects: [EntryEffect] = []

    /// True if the event stream has a listener. Without one, the entry creates no events.
    package var wantsEvents: Bool

    package init(wantsEvents: Bool = true) {
        self.wantsEvents = wantsEvents
    }

    package mutating func removeAll() {
        guard !effects.isEmpty else { return }
        effects.removeAll(keepingCapacity: true)
    }

    mutating func add(_ effect: EntryEffect) {
        effects.append(effect)
    }

    /// - Parameters:
    ///   - fetch: The number of the fetch or page load concerned.
    ///   - mutation: The number of the mutation concerned.
    mutating func event(
        _ kind: @autoclosure () -> QueryEvent.Kind, _ cause: @autoclosure () -> Cause,
        of fetch: @autoclosure () -> UInt64? = nil, mutation: @autoclosure () -> UInt64? = nil
    ) {
        guard wantsEvents else { return }
        effects.append(.event(kind(), cause(), of: fetch(), mutation: mutation()))
    }

    mutating func discard(_ object: AnyObject?) {
        guard let object else { return }
        effects.append(.discard(object))
    }
}
