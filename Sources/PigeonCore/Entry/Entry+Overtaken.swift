/// Fetches that run beside a newer one. They are asked for by ``FetchMode/overtake``, so that asking often starves nobody:
/// each answer lands unless one that was asked for later has landed before it (A32).
///
/// Only the newest fetch is retried, paused or waited for. An older one becomes the newest again when that is cancelled or
/// fails first.
extension Entry {
    /// Whether a fetch is under way: it runs, or waits to be tried again.
    package func isUnderWay(_ generation: UInt64) -> Bool {
        flight?.generation == generation || overtaken.contains { $0.generation == generation }
            || side?.next.flight?.generation == generation || side?.previous.flight?.generation == generation
    }

    /// The fetch of the whole with a number, if its fetcher is running.
    func runningFlight(_ generation: UInt64) -> Flight? {
        if let flight, flight.generation == generation { return flight.isRunning ? flight : nil }
        return overtaken.first { $0.generation == generation }
    }

    /// Changes every fetch under way.
    mutating func changeFlights(_ change: (inout Flight) -> Void) {
        changeNewest(change)
        for index in overtaken.indices { change(&overtaken[index]) }
    }

    /// Lets the newest fetch run on beside one that is about to begin. One that is not running is given up.
    mutating func overtake(_ effects: inout EffectBuffer) {
        guard var old = flight else { return }
        takeNextOptions(of: old, &effects)
        effects.discard(old.lastFailure)
        old.lastFailure = nil
        old.nextOptions = nil
        if old.isRunning {
            overtaken.append(old)
        } else {
            effects.event(.cancelled, .superseded)
            effects.add(.end(generation: old.generation))
        }
        flight = nil
    }

    /// Gives up every fetch under way for one that is about to begin.
    mutating func supersede(_ effects: inout EffectBuffer) {
        guard let old = flight else { return }
        supersede(before: old.generation, &effects)
        effects.event(.cancelled, .superseded)
        effects.add(
            old.isRunning
                ? .stop(generation: old.generation, isSuperseded: true) : .end(generation: old.generation))
        effects.discard(old.lastFailure)
        takeNextOptions(of: old, &effects)
        flight = nil
    }

    /// Gives up fetches whose answers can no longer land, because a newer one has.
    mutating func supersede(before generation: UInt64, _ effects: inout EffectBuffer) {
        stopOvertaken({ $0.generation < generation }, .superseded, &effects)
    }

    /// Stops overtaken fetches.
    mutating func stopOvertaken(_ isMeant: (Flight) -> Bool, _ cause: Cause, _ effects: inout EffectBuffer) {
        guard !overtaken.isEmpty else { return }
        for flight in overtaken where isMeant(flight) {
            effects.add(.stop(generation: flight.generation, isSuperseded: cause == .superseded))
            effects.event(.cancelled, cause)
        }
        overtaken.removeAll(where: isMeant)
    }

    mutating func removeOvertaken(_ generation: UInt64, _ effects: inout EffectBuffer) {
        overtaken.removeAll { $0.generation == generation }
        effects.add(.end(generation: generation))
    }

    mutating func cancelFetch(
        _ generation: UInt64, _ cause: Cause, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        guard flight?.generation != generation else { return cancelNewest(cause, moment, &effects) }
        stopOvertaken({ $0.generation == generation }, cause, &effects)
    }
}
