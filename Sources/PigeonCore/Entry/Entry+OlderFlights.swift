/// Fetches that run beside a newer one, as requested by ``FetchMode/concurrent``. Each answer is stored unless the answer to
/// a later request has been stored first, so frequent requests never prevent all answers from being stored (A32).
///
/// Only the newest fetch is retried, paused or awaited. If it is cancelled or fails first, the next older fetch becomes
/// the newest.
extension Entry {
    /// The fetch of the whole value with a generation, if its fetcher runs.
    func runningFlight(_ generation: UInt64) -> Flight? {
        if let flight, flight.generation == generation { return flight.isRunning ? flight : nil }
        return olderFlights.first { $0.generation == generation }
    }

    /// The fetch of the whole value that carries a request.
    package func generation(carrying request: any FetchRequest) -> UInt64? {
        if let flight, flight.request === request { return flight.generation }
        return olderFlights.first { $0.request === request }?.generation
    }

    /// The requests that fetches carry.
    var requests: [any FetchRequest] { olderFlights.compactMap(\.request) + [flight?.request].compactMap { $0 } }

    /// The request that a fetch of the whole value carries.
    func request(of generation: UInt64) -> (any FetchRequest)? {
        if let flight, flight.generation == generation { return flight.request }
        return olderFlights.first { $0.generation == generation }?.request
    }

    /// Makes a fetch carry the request that its fetcher has made, unless it carries one already.
    mutating func carry(_ request: any FetchRequest, _ generation: UInt64) {
        changeFlights { if $0.generation == generation, $0.request == nil { $0.request = request } }
    }

    mutating func changeFlights(_ change: (inout Flight) -> Void) {
        changeNewest(change)
        for index in olderFlights.indices { change(&olderFlights[index]) }
    }

    /// Lets the newest fetch continue beside one that is about to start. Gives it up if its fetcher does not run.
    mutating func demoteNewest(_ effects: inout some EntryEffects) {
        guard var old = flight else { return }
        takeNextOptions(of: old, &effects)
        effects.replace(&old.lastFailure, by: nil)
        old.nextOptions = nil
        if old.isRunning {
            olderFlights.append(old)
        } else {
            effects.event(.cancelled, .superseded, of: old.generation)
            effects.end(old, .superseded)
        }
        flight = nil
    }

    /// Gives up every fetch in flight, because a new one is about to start.
    mutating func supersede(_ effects: inout some EntryEffects) {
        guard let old = flight else { return }
        supersede(before: old.generation, &effects)
        effects.event(.cancelled, .superseded, of: old.generation)
        effects.stop(old)
        effects.end(old, .superseded)
        takeNextOptions(of: old, &effects)
        flight = nil
    }

    /// Gives up fetches whose answers can no longer be stored, because a newer one has been.
    mutating func supersede(before generation: UInt64, _ effects: inout some EntryEffects) {
        stopOlderFlights({ $0.generation < generation }, .superseded, &effects)
    }

    mutating func stopOlderFlights(_ isMeant: (Flight) -> Bool, _ cause: Cause, _ effects: inout some EntryEffects) {
        guard !olderFlights.isEmpty else { return }
        for flight in olderFlights where isMeant(flight) {
            effects.stop(flight)
            effects.end(flight, cause == .superseded ? .superseded : .cancelled)
            effects.event(.cancelled, cause, of: flight.generation)
        }
        olderFlights.removeAll(where: isMeant)
    }

    mutating func removeOlderFlight(_ ended: Flight, _ end: FetchEnd, _ effects: inout some EntryEffects) {
        olderFlights.removeAll { $0.generation == ended.generation }
        effects.end(ended, end)
    }

    mutating func cancelFetch(
        _ generation: UInt64, _ cause: Cause, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        guard flight?.generation != generation else { return cancelNewest(cause, context, &effects) }
        stopOlderFlights({ $0.generation == generation }, cause, &effects)
    }
}
