/// The effects of an entry, which become ``Work``, or ``EntryRequests`` if they have to read the entry.
extension ClientState: EntryEffects {
    package var key: QueryKey { receiver?.key ?? "" }
    package var wantsEvents: Bool { events.hasListeners }

    package mutating func requestAttempt(of target: FlightTarget, goesOn: Bool) {
        requests[target] = goesOn
    }

    package mutating func stop(_ flight: Flight) {
        if flight.isRunning, let run = receiver?.takeRun(flight.generation) { work.stops.append(run) }
    }

    package mutating func end(_ flight: Flight, _ end: FetchEnd) {
        discard(receiver?.takeRun(flight.generation))
        discard(flight.lastFailure)
        if let request = flight.request { self.end(request, end) }
    }

    package mutating func end(_ request: any FetchRequest, _ end: FetchEnd) {
        work.addRare { $0.endedRequests.append((request, end)) }
    }

    package mutating func resume(
        _ callers: [WaitingCaller], awaiting target: FlightTarget, with settlement: Settlement, showing shown: Payload?
    ) {
        guard !callers.isEmpty else { return }
        let result = settlement.result(of: target, showing: shown)
        for caller in callers { work.resumptions.append((caller, result)) }
    }

    package mutating func persist() { requests.persists = true }
    package mutating func persistStale() { requests.persistsStale = true }
    package mutating func collect() { requests.isCollected = true }

    package mutating func watchSource() {
        if let receiver, receiver.extras?.watch == nil { work.sourceSteps.append(.watch(receiver)) }
    }

    package mutating func readSource() {
        if let receiver { work.sourceSteps.append(.read(receiver)) }
    }

    package mutating func sourceRead() {
        guard let receiver, let extras = receiver.extras else { return }
        // Notifies observers that attached in the meantime, even if the entry has not changed.
        if let first = extras.firstNewObserver.take() { queueDelivery(of: receiver, fromObserver: first) }
        for reader in exchange(&extras.readers, with: []) { work.resumptions.append((reader, .success(.nothing))) }
    }

    package mutating func emit(
        _ kind: QueryEvent.Kind, _ cause: Cause, of fetch: UInt64?, mutation: UInt64?, error: (any Error)?
    ) {
        emit(kind, key: key, fetchNumber: fetch, mutationNumber: mutation, error: error, cause)
    }

    package mutating func discard(_ object: AnyObject?) { work.discard(object) }

    // MARK: After the input

    /// Carries out the requests that an entry made while it was changing.
    mutating func carryOutRequests(of slot: Slot) {
        let requests = exchange(&self.requests, with: EntryRequests())
        for target in FlightTarget.all {
            if let goesOn = requests[target] { queueAttempt(of: target, at: slot, goesOn: goesOn) }
        }
        if requests.persistsStale {
            if let source = slot.fetcher?.source { markStale(source, of: slot) } else { persistStale(slot) }
        }
        if requests.persists {
            if let source = slot.fetcher?.source { save(source, of: slot) } else { persist(slot) }
        }
        if requests.isCollected { remove(slot) }
    }

    private mutating func queueAttempt(of target: FlightTarget, at slot: Slot, goesOn: Bool) {
        guard let fetcher = slot.fetcher, let flight = slot.entry[target], flight.isRunning else { return }
        let base = slot.entry.base
        let validators = target == .whole ? slot.validators(of: base) : FetchValidators()
        if let run = slot.run(of: flight.generation) {
            run.note(nextItemOrder(of: slot))
            run.beginAttempt(flight.failures, goesOn: goesOn, previous: base, validators: validators)
            return work.starts.append(run)
        }
        let run = FetchRun(
            slot: slot, client: client, generation: flight.generation, direction: target.direction, fetcher: fetcher,
            cause: flight.cause, fromStart: flight.fromStart, isPartial: flight.isPartial, previous: base,
            upstream: slot.entry.options.values.upstream, interval: slot.entry.options.values.fetchInterval)
        run.note(nextItemOrder(of: slot))
        work.starts.append(run)
        guard target == .whole else { return slot.makeExtras().otherRuns.append(run) }
        if !validators.isEmpty { run.validators = validators }
        if let old = slot.run { slot.makeExtras().otherRuns.append(old) }
        slot.run = run
    }

    mutating func queueDelivery(of slot: Slot) {
        guard !slot.observers.isEmpty else { return }
        let recorders = slot.extras?.recorders ?? []
        if !recorders.isEmpty { client.client?.record(slot, for: recorders, &work) }
        if recorders.count < slot.observers.count { queueDelivery(of: slot, fromObserver: 0) }
    }

    private mutating func queueDelivery(of slot: Slot, fromObserver first: UInt64) {
        guard let last = work.deliveries.last, last.slot === slot else { return work.deliveries.append((slot, first)) }
        work.deliveries.replaceLast(by: (slot, min(last.first, first)))
    }
}

/// Effects that have to read the entry, so they wait until it has received its input.
struct EntryRequests {
    // For each target whose next attempt begins: true if the attempt resumes where the previous one failed.
    private var whole: Bool?
    private var next: Bool?
    private var previous: Bool?
    var persists = false
    var persistsStale = false
    var isCollected = false

    var isEmpty: Bool {
        whole == nil && next == nil && previous == nil && !persists && !persistsStale && !isCollected
    }

    subscript(target: FlightTarget) -> Bool? {
        get {
            switch target {
            case .whole: whole
            case .page(.next): next
            case .page(.previous): previous
            }
        }
        set {
            switch target {
            case .whole: whole = newValue
            case .page(.next): next = newValue
            case .page(.previous): previous = newValue
            }
        }
    }
}
