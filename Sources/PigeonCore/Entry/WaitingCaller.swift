/// A caller who waits: for a fetch or a page, for a source to be read or changed, or for records to be written.
///
/// The class is not generic, because a generic class would look up its own layout each time it is created and released.
/// The result lies in it, so a caller costs one allocation.
package final class WaitingCaller: @unchecked Sendable {  // `needs` is guarded by the client's lock
    /// The value. ``Payload/nothing`` for a caller who waits for an event.
    let outcome = OneShot<Payload>()
    /// The fetch or page that a caller of an entry awaits.
    package let target: FlightTarget
    /// The fetch that waits, if a fetcher needs the value of another query.
    let requester: FetchRun?
    /// The stale values that the caller accepts. `nil` for none.
    let accepted: AcceptedStale?
    /// Number of the entry's last invalidation when the caller came. Answers to earlier requests are not for it.
    @exclusivity(unchecked) fileprivate var needs: UInt64 = 0

    init(for target: FlightTarget = .whole, requester: FetchRun? = nil, accepting accepted: AcceptedStale? = nil) {
        (self.target, self.requester, self.accepted) = (target, requester, accepted)
    }

    package convenience init(forPage direction: PageDirection? = nil) {
        self.init(for: direction.map { .page($0) } ?? .whole)
    }
}

extension Entry {
    /// True if a caller awaits the whole value.
    package var isAwaited: Bool { callers.contains { $0.target == .whole } }

    mutating func add(_ caller: WaitingCaller, takesAny: Bool = false) {
        if !takesAny { caller.needs = invalidatedBefore }
        callers.append(caller)
    }

    /// Resumes the callers that await a target and accept the answer to a request.
    ///
    /// - Parameter request: Number of the request.
    mutating func resumeCallers(
        of target: FlightTarget = .whole, with settlement: Settlement, to request: UInt64 = .max,
        _ effects: inout some EntryEffects
    ) {
        let isAnswered = { (caller: WaitingCaller) in caller.target == target && caller.needs <= request }
        var answered: [WaitingCaller] = []
        if callers.allSatisfy(isAnswered) {
            swap(&answered, &callers)
        } else {
            answered = callers.filter(isAnswered)
            callers.removeAll(where: isAnswered)
        }
        effects.resume(answered, awaiting: target, with: settlement, showing: shown)
    }
}
