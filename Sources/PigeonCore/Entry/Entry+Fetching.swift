/// Fetches of the whole value, and the steps that all fetches share: attempts, retries, pauses and time limits.
extension Entry {
    mutating func fetch(
        _ cause: Cause, _ mode: FetchMode, fromStart: Bool, requested number: UInt64? = nil,
        carrying request: (any FetchRequest)? = nil, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        var (mode, fromStart) = (mode, fromStart)
        let isPartial = request is OnePage
        if let old = flight {
            // A part is no answer for a caller who wants the whole.
            if mode == .join, old.isPartial, !isPartial { mode = .restart }
            // A refresh of all pages is no answer for a caller who wants the first page alone (A87).
            if mode == .join, fromStart, !old.fromStart { mode = .restart }
            // Only another request replaces a first load. Callers that repeat the same request join it (T30).
            guard mode == .replace || mode == .concurrent || (mode == .restart && shown != nil) else {
                return join(cause, carrying: isPartial ? nil : request, &effects)
            }
            if mode == .restart { fromStart = fromStart || old.fromStart }
            if mode == .concurrent { demoteNewest(&effects) } else { supersede(&effects) }
        } else if mode == .join, cause.isAutomatic, isLoadingPage {
            // Polling would starve a page load that takes longer than its interval (A33).
            effects.event(.joined, cause)
            return
        }
        isCleared = false
        flight = Flight(
            generation: number ?? nextGeneration(), cause: cause, fromStart: fromStart, isPartial: isPartial)
        flight?.isDemanded = mode != .join && cause.origin == .requested
        if let request { flight?.request = request }
        if !isPartial { pollAt = nil }  // the polling interval starts at the newest fetch
        postponePages(forgetsErrors: !isPartial, &effects)
        changed()
        startOrWait(.whole, after: mode == .join ? delay(of: cause) : .zero, context, &effects)
    }

    /// Joins the newest fetch. If an invalidation came after its request, another one follows it (A58).
    mutating func join(
        _ cause: Cause, carrying request: (any FetchRequest)? = nil, _ effects: inout some EntryEffects
    ) {
        effects.event(.joined, cause, of: flight?.generation)
        if let request, let flight, flight.request == nil { changeNewest { $0.request = request } }
        guard isFetchOutdated, !cause.isTriggered else { return }
        changeNewest { $0.followUp = $0.followUp ?? cause }
    }

    /// The time for which the fetch waits, so that an observer who leaves at once causes no request.
    private func delay(of cause: Cause) -> Duration {
        cause.origin == .observed || cause.origin == .requested ? options.values.debounce : .zero
    }

    // MARK: Attempts

    package internal(set) subscript(target: FlightTarget) -> Flight? {
        get {
            switch target {
            case .whole: flight
            case .page(let direction): side?[direction].flight
            }
        }
        set {
            switch target {
            case .whole: flight = newValue
            case .page(let direction): changePage(direction) { $0.flight = newValue }
            }
        }
    }

    private mutating func change(_ target: FlightTarget, _ change: (inout Flight) -> Void) {
        switch target {
        case .whole: changeNewest(change)
        case .page(let direction):
            changePage(direction) { page in
                guard var flight = page.flight.take() else { return }
                change(&flight)
                page.flight = flight
            }
        }
    }

    /// Starts the first attempt of a fetch after a delay, or pauses the fetch until the network returns.
    mutating func startOrWait(
        _ target: FlightTarget, after delay: Duration = .zero, _ context: EntryContext,
        _ effects: inout some EntryEffects
    ) {
        if let limit = options.values.timeLimit.ifPositive {
            self[target]?.limit = context.now.advanced(by: limit)
        }
        guard options.values.networkMode != .online || context.isOnline else { return pause(target, &effects) }
        guard delay > .zero else { return startAttempt(target, goesOn: true, &effects) }
        change(target) { flight in
            flight.phase = .backingOff
            flight.retryAt = context.now.advanced(by: delay)
            effects.event(.debounced(delay), flight.cause, of: flight.generation)
        }
    }

    private mutating func startAttempt(_ target: FlightTarget, goesOn: Bool, _ effects: inout some EntryEffects) {
        change(target) { flight in
            flight.phase = .running
            flight.retryAt = nil
            flight.progress = nil
            let attempt = flight.failures + 1
            switch target {
            case .whole: effects.event(.fetching(attempt: attempt), flight.cause, of: flight.generation)
            case .page(let direction):
                effects.event(.loadingPage(direction, attempt: attempt), flight.cause, of: flight.generation)
            }
        }
        effects.requestAttempt(of: target, goesOn: goesOn)
    }

    private mutating func pause(_ target: FlightTarget, _ effects: inout some EntryEffects) {
        change(target) { flight in
            flight.phase = .waiting
            flight.retryAt = nil
            effects.event(.paused, flight.cause, of: flight.generation)
        }
    }

    /// True if polls and retries may run now: in the foreground, and for an entry that is polled in the background, there
    /// too (T37, T71).
    func mayRun(_ context: EntryContext) -> Bool { context.isActive || observers.pollsInBackground }

    /// Starts the next attempt of a fetch that waits for a retry or is paused. Without network or foreground, the fetch
    /// is paused (T36, T37).
    private mutating func runNextAttempt(
        _ target: FlightTarget, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        guard let flight = self[target], !flight.isRunning else { return }
        let isPaused = flight.phase == .waiting
        guard mayRun(context), options.values.networkMode == .always || context.isOnline else {
            guard !isPaused else { return }
            pause(target, &effects)
            changed()
            return
        }
        if isPaused { effects.event(.resumed, flight.cause, of: flight.generation) }
        let goesOn = max(invalidatedBefore, heldBefore) <= flight.requestNumber
        let number = nextGeneration()
        self[target]?.requestNumber = number
        startAttempt(target, goesOn: goesOn, &effects)
        changed()
    }

    /// Resumes the fetch of the whole value if it waits for the network or the foreground.
    mutating func resumeIfPossible(_ context: EntryContext, _ effects: inout some EntryEffects) {
        guard activity == .paused else { return }
        runNextAttempt(.whole, context, &effects)
    }

    /// Resumes the page loads that wait for the network or the foreground. Does nothing during a refresh, which page
    /// loads wait for.
    mutating func resumePages(_ context: EntryContext, _ effects: inout some EntryEffects) {
        guard !isBusy else { return }
        for target in pageTargets where self[target]?.phase == .waiting { runNextAttempt(target, context, &effects) }
    }

    mutating func endIfTooLong(_ target: FlightTarget, _ context: EntryContext, _ effects: inout some EntryEffects) {
        guard let flight = self[target], let limit = flight.limit, limit <= context.now else { return }
        effects.stop(flight)
        effects.event(.cancelled, .timeLimit, of: flight.generation)
        let error = QueryError.timedOut(key: effects.key, limit: options.values.timeLimit ?? .zero)
        fail(Failure(error), flight, target, context, &effects)
    }

    mutating func retryIfDue(_ target: FlightTarget, _ context: EntryContext, _ effects: inout some EntryEffects) {
        guard let due = self[target]?.retryAt, due <= context.now else { return }
        runNextAttempt(target, context, &effects)
    }

    mutating func note(_ progress: Double, of generation: UInt64) {
        let isNewest = flight?.generation == generation && flight?.isRunning == true
        guard let target = isNewest ? .whole : pageTarget(of: generation) else { return }
        let old = self[target]?.progress
        guard old.map({ progress >= $0 + 0.01 || (progress == 1 && $0 < 1) }) ?? true else { return }
        self[target]?.progress = progress
        changed()
    }

    // MARK: Cancelling

    mutating func cancel(_ cause: Cause, _ context: EntryContext, _ effects: inout some EntryEffects) {
        stopOlderFlights({ _ in true }, cause, &effects)
        cancelNewest(cause, context, &effects)
    }

    /// Cancels the newest fetch. Cancellation is not a failure: it changes only the activity (A2).
    mutating func cancelNewest(_ cause: Cause, _ context: EntryContext, _ effects: inout some EntryEffects) {
        guard let flight else { return }
        effects.stop(flight)
        effects.event(.cancelled, cause, of: flight.generation)
        endFlight(.cancelled, context, &effects)
    }

    mutating func takeNextOptions(of ended: Flight, _ effects: inout some EntryEffects) {
        guard let next = ended.nextOptions else { return }
        effects.discard(options)
        options = next
    }
}
