/// Fetches of the whole, and what all fetches have in common: attempts, retries, pauses, limits.
extension Entry {
    mutating func fetch(
        _ cause: Cause, _ mode: FetchMode, fromStart: Bool, asked number: UInt64? = nil, _ moment: Moment,
        _ effects: inout EffectBuffer
    ) {
        var fromStart = fromStart
        if let old = flight {
            // A first load is taken over only by another request: whoever asks again for the same gets it (T30).
            guard mode == .replace || mode == .overtake || (mode == .restart && shown != nil) else {
                effects.event(.joined, cause)
                return
            }
            if mode == .restart { fromStart = fromStart || old.fromStart }
            if mode == .overtake { overtake(&effects) } else { supersede(&effects) }
        } else if mode == .join, cause.isAutomatic, isLoadingPage {
            // Polling would starve a page load that takes longer than its interval (A33).
            effects.event(.joined, cause)
            return
        }
        begin(cause, fromStart: fromStart, asked: number ?? ask(), moment, &effects)
    }

    private mutating func begin(
        _ cause: Cause, fromStart: Bool, asked number: UInt64, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        flight = Flight(generation: number, cause: cause, fromStart: fromStart)
        pollAt = nil  // polling counts from the newest fetch
        postponePages(&effects)
        changed()
        launch(.whole, moment, &effects)
    }

    // MARK: Attempts

    /// The fetch under way of the whole, or of a page.
    subscript(target: FlightTarget) -> Flight? {
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

    /// Changes a fetch under way, if there is one.
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

    /// Starts the first attempt of a fetch, or has it wait for the network.
    mutating func launch(_ target: FlightTarget, _ moment: Moment, _ effects: inout EffectBuffer) {
        if let limit = options.values.timeLimit, limit > .zero {
            self[target]?.limit = moment.now.advanced(by: limit)
        }
        guard options.values.networkMode != .online || moment.isOnline else { return pause(target, &effects) }
        startAttempt(target, goesOn: true, &effects)
    }

    private mutating func startAttempt(_ target: FlightTarget, goesOn: Bool, _ effects: inout EffectBuffer) {
        change(target) { flight in
            flight.phase = .running
            flight.retryAt = nil
            flight.progress = nil
            let attempt = flight.failures + 1
            switch target {
            case .whole: effects.event(.fetching(attempt: attempt), flight.cause)
            case .page(let direction): effects.event(.loadingPage(direction, attempt: attempt), flight.cause)
            }
            effects.add(
                .start(
                    target, generation: flight.generation, attempt: flight.failures, cause: flight.cause,
                    fromStart: flight.fromStart, goesOn: goesOn))
        }
    }

    private mutating func pause(_ target: FlightTarget, _ effects: inout EffectBuffer) {
        guard var flight = self[target] else { return }
        flight.phase = .waiting
        flight.retryAt = nil
        self[target] = flight
        effects.event(.paused, flight.cause)
    }

    /// Starts the next attempt of a fetch that was retried or paused. Without network or foreground it waits for them
    /// (T36, T37).
    private mutating func runNextAttempt(
        _ target: FlightTarget, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        guard let flight = self[target], !flight.isRunning else { return }
        let isPaused = flight.phase == .waiting
        guard moment.isActive, options.values.networkMode == .always || moment.isOnline else {
            guard !isPaused else { return }
            pause(target, &effects)
            changed()
            return
        }
        if isPaused { effects.event(.resumed, flight.cause) }
        let goesOn = max(invalidatedAt, heldAt) <= flight.askedAt
        let number = ask()
        self[target]?.askedAt = number
        startAttempt(target, goesOn: goesOn, &effects)
        changed()
    }

    /// Starts the fetch of the whole that waits for the network or the foreground.
    mutating func resumeIfPossible(_ moment: Moment, _ effects: inout EffectBuffer) {
        guard activity == .paused else { return }
        runNextAttempt(.whole, moment, &effects)
    }

    /// Starts the page loads that wait for the network or the foreground. A refresh goes first.
    mutating func resumePages(_ moment: Moment, _ effects: inout EffectBuffer) {
        guard !isBusy else { return }
        for target in pageTargets where self[target]?.phase == .waiting { runNextAttempt(target, moment, &effects) }
    }

    /// Ends a fetch whose time limit has passed.
    mutating func endIfTooLong(_ target: FlightTarget, _ moment: Moment, _ effects: inout EffectBuffer) {
        guard let limit = self[target]?.limit, limit <= moment.now else { return }
        exceedTimeLimit(target, moment, &effects)
    }

    /// Starts the next attempt of a fetch, if its time has come.
    mutating func retryIfDue(_ target: FlightTarget, _ moment: Moment, _ effects: inout EffectBuffer) {
        guard let due = self[target]?.retryAt, due <= moment.now else { return }
        runNextAttempt(target, moment, &effects)
    }

    private mutating func exceedTimeLimit(
        _ target: FlightTarget, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        guard let flight = self[target] else { return }
        if flight.isRunning { effects.add(.stop(generation: flight.generation, isSuperseded: false)) }
        effects.event(.cancelled, .timeLimit)
        let limit = options.values.timeLimit ?? .zero
        fail(Failure(QueryError.timedOut(key: key, limit: limit)), flight, target, moment, &effects)
    }

    /// Shows how far a fetch is, if that is news.
    mutating func note(_ progress: Double, of generation: UInt64) {
        let isNewest = flight?.generation == generation && flight?.isRunning == true
        guard let target = isNewest ? .whole : pageTarget(of: generation) else { return }
        let old = self[target]?.progress
        guard old.map({ progress >= $0 + 0.01 || (progress == 1 && $0 < 1) }) ?? true else { return }
        self[target]?.progress = progress
        changed()
    }

    // MARK: Cancelling

    mutating func cancel(_ cause: Cause, _ moment: Moment, _ effects: inout EffectBuffer) {
        stopOvertaken({ _ in true }, cause, &effects)
        cancelNewest(cause, moment, &effects)
    }

    /// Cancels the newest fetch. Cancellation is not a failure: it changes nothing but the activity (A2).
    mutating func cancelNewest(_ cause: Cause, _ moment: Moment, _ effects: inout EffectBuffer) {
        guard let flight else { return }
        if flight.isRunning { effects.add(.stop(generation: flight.generation, isSuperseded: false)) }
        effects.event(.cancelled, cause)
        endFlight(.cancelled, moment, &effects)
    }

    /// Options that came during a fetch count from its end on.
    mutating func takeNextOptions(of ended: Flight, _ effects: inout EffectBuffer) {
        guard let next = ended.nextOptions else { return }
        effects.discard(options)
        options = next
    }

    // MARK: Answers

    /// Whether the value that a fetch brings becomes the entry's, or a part of it.
    func takesAnswer(of generation: UInt64) -> Bool {
        if pageTarget(of: generation) != nil { return true }
        return runningFlight(generation).map { $0.askedAt >= heldAt } ?? false
    }

    /// Number of the newest ask of a fetch.
    package func askedAt(_ generation: UInt64) -> UInt64 {
        runningFlight(generation)?.askedAt ?? generation
    }

    /// How many attempts of a fetch have failed.
    func failures(of generation: UInt64) -> Int {
        if let target = pageTarget(of: generation) { return self[target]?.failures ?? 0 }
        return runningFlight(generation)?.failures ?? 0
    }

    /// Latest asked wins, not latest arrived: an answer lands if nothing that was asked later has (A32).
    mutating func land(
        _ answer: Answer, of generation: UInt64, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        if case .page(let direction)? = pageTarget(of: generation) {
            return landPage(answer, direction, moment, &effects)
        }
        guard let flight = runningFlight(generation) else {
            // The end of a fetch that was cancelled is no answer.
            if case .cancelled = answer { return }
            effects.event(.dropped, .superseded)
            discard(answer, &effects)
            return
        }
        switch answer {
        case .value, .notModified, .finished, .misplaced:
            supersede(before: generation, &effects)
            accept(answer, of: flight, moment, &effects)
            if flight.generation == self.flight?.generation {
                endFlight(.value, moment, &effects)
            } else {
                removeOvertaken(generation, &effects)
            }
        case .failure, .cancelled:
            guard flight.generation != self.flight?.generation else {
                return landFailure(answer, of: flight, .whole, moment, &effects)
            }
            // How the newest fetch ends is what counts.
            removeOvertaken(generation, &effects)
            if case .failure = answer { effects.event(.dropped, .superseded) }
            discard(answer, &effects)
        }
    }

    /// Takes an answer that says what the value is: the error is gone, and the entry is no longer invalidated (T5), unless
    /// that happened after the fetch was asked for.
    private mutating func accept(
        _ answer: Answer, of flight: Flight, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        switch answer {
        case .value(let landing):
            if flight.askedAt < heldAt {
                discard(answer, &effects)
                effects.event(.dropped, .written)
            } else {
                put(landing, at: moment, &effects)
                effects.event(.fresh, flight.cause)
                effects.add(.persist)
                answerCount &+= 1
            }
        case .notModified(let freshFor):
            writtenAt = moment.now
            self.freshFor = freshFor
            revision += 1
            answerCount &+= 1
            effects.event(.notModified, flight.cause)
            effects.add(.persist)
        case .finished, .misplaced:
            revision += 1
            answerCount &+= 1
            effects.event(.fresh, flight.cause)
        case .failure, .cancelled: return
        }
        markAnswered(flight, &effects)
        settleStaleness(moment)
        changed()
    }

    /// How an attempt failed: it is tried again, or the fetch ends.
    mutating func landFailure(
        _ answer: Answer, of flight: Flight, _ target: FlightTarget, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        switch answer {
        case .failure(let failure, let retryIn?) where hasInterest:
            retry(failure, in: retryIn, target, moment, &effects)
        case .failure(let failure, _):
            fail(failure, flight, target, moment, &effects)
        case .cancelled:
            if target == .whole { effects.event(.cancelled, flight.cause) }
            end(target, .cancelled, moment, &effects)
        case .value, .notModified, .finished, .misplaced: return
        }
    }

    mutating func yield(
        _ landing: Landing, of generation: UInt64, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        guard let flight = runningFlight(generation), flight.askedAt >= heldAt else {
            effects.event(.dropped, .superseded)
            effects.discard(landing.base)
            effects.discard(landing.shown)
            return
        }
        supersede(before: generation, &effects)
        changeFlights { if $0.generation == generation { $0.hasYielded = true } }
        put(landing, at: moment, &effects)
        answerCount &+= 1
        markAnswered(flight, &effects)
        settleStaleness(moment)
        effects.add(.persist)
    }

    private mutating func markAnswered(_ flight: Flight, _ effects: inout EffectBuffer) {
        // A newer fetch may have failed: that one was asked for after the invalidation, this one perhaps before.
        endFailure(leavesStale: flight.askedAt < invalidatedAt, &effects)
        answeredAt = max(answeredAt, flight.askedAt)
    }

    private mutating func retry(
        _ reason: Failure, in delay: Duration, _ target: FlightTarget, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        guard var flight = self[target] else { return }
        let label = TransientError.label(reason.error)
        effects.discard(flight.lastFailure)
        flight.lastFailure = reason
        flight.failures += 1
        flight.phase = .backingOff
        flight.progress = nil
        flight.retryAt = moment.now.advanced(by: delay)
        flight.cause = .retry(flight.failures, after: label, of: flight.cause.origin)
        self[target] = flight
        effects.event(.retrying(in: delay, after: label), flight.cause)
        changed()
    }

    // MARK: Ends

    /// Final failure. That of the whole leaves the value, and makes it stale whatever its time (A2, T6); that of a page
    /// leaves all pages, and is the direction's own (A25, A26).
    mutating func fail(
        _ reason: Failure, _ flight: Flight, _ target: FlightTarget, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        let label = TransientError.label(reason.error)
        switch target {
        case .whole:
            effects.discard(failure)
            failure = reason
            failedAt = moment.now
            failureCount &+= 1
            answeredAt = max(answeredAt, flight.askedAt)
            staleAt = nil
            effects.event(.failed(label), flight.cause)
        case .page(let direction):
            changePage(direction) { page in
                page.error = reason
                page.failedGeneration = flight.generation
            }
            effects.event(.pageFailed(direction, label), flight.cause)
        }
        end(target, .failure(reason), moment, &effects)
    }

    mutating func end(
        _ target: FlightTarget, _ settlement: Settlement, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        switch target {
        case .whole: endFlight(settlement, moment, &effects)
        case .page(let direction): endPage(direction, settlement, &effects)
        }
    }

    /// The fetch of the whole is over, however it went.
    private mutating func endFlight(_ settlement: Settlement, _ moment: Moment, _ effects: inout EffectBuffer) {
        guard let ended = flight else { return }
        effects.add(.end(generation: ended.generation))
        effects.discard(ended.lastFailure)
        takeNextOptions(of: ended, &effects)
        flight = overtaken.popLast()
        changed()
        var isCancelled = false
        if case .cancelled = settlement { isCancelled = true }
        if isBusy, isCancelled { return }  // those who wait get what the older fetch brings
        let followUp = isBusy || isCancelled || !wasInvalidatedByName ? nil : ended.followUp
        if let followUp, waiters > 0, ended.askedAt < heldAt, case .value = settlement {
            // The answer was dropped for an edit that came after its ask. Those who wait for it get the next one.
            return fetch(followUp, .join, fromStart: false, moment, &effects)
        }
        foldLayers(&effects)
        effects.add(.settle(settlement))
        waiters = 0
        endFirstPages(settlement, &effects)
        if let followUp, isActive, mayRefetch {
            fetch(followUp, .join, fromStart: false, moment, &effects)
        }
        startWaitingPages(settlement, moment, &effects)
    }

    func discard(_ answer: Answer, _ effects: inout EffectBuffer) {
        switch answer {
        case .value(let landing):
            effects.discard(landing.base)
            effects.discard(landing.shown)
        case .failure(let failure, _): effects.discard(failure)
        case .notModified, .finished, .misplaced, .cancelled: break
        }
    }
}
