extension Entry {
    mutating func fetch(
        _ cause: Cause, _ mode: FetchMode, fromStart: Bool, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        if flight != nil {
            // A first load is taken over only by another request: whoever asks again for the same gets it (T30).
            guard mode == .replace || mode == .overtake || (mode == .restart && shown != nil) else {
                effects.event(.joined, cause)
                return
            }
            if mode == .overtake { overtake(&effects) } else { supersede(&effects) }
        }
        begin(cause, fromStart: fromStart, moment, &effects)
    }

    private mutating func begin(_ cause: Cause, fromStart: Bool, _ moment: Moment, _ effects: inout EffectBuffer) {
        generation += 1
        var next = Flight(generation: generation, cause: cause, fromStart: fromStart)
        if let limit = options.values.timeLimit, limit > .zero { next.limit = moment.now.advanced(by: limit) }
        flight = next
        pollAt = nil  // polling counts from the newest fetch
        dropPageLoads(&effects)
        changed()
        guard options.values.networkMode != .online || moment.isOnline else {
            activity = .paused
            effects.event(.paused, cause)
            return
        }
        startAttempt(&effects)
    }

    private mutating func startAttempt(_ effects: inout EffectBuffer) {
        guard var current = flight else { return }
        activity = .fetching
        current.retryAt = nil
        current.isRunning = true
        flight = current
        effects.event(.fetching(attempt: current.failures + 1), current.cause)
        effects.add(
            .start(
                generation: current.generation, attempt: current.failures, cause: current.cause,
                fromStart: current.fromStart))
    }

    /// A retry is due. Without network or foreground it waits for them (T36, T37).
    mutating func runNextAttempt(_ moment: Moment, _ effects: inout EffectBuffer) {
        guard let flight, !flight.isRunning else { return }
        guard moment.isActive, options.values.networkMode == .always || moment.isOnline else {
            guard activity != .paused else { return }
            self.flight?.retryAt = nil
            activity = .paused
            effects.event(.paused, flight.cause)
            changed()
            return
        }
        startAttempt(&effects)
        changed()
    }

    mutating func resumeIfPossible(_ moment: Moment, _ effects: inout EffectBuffer) {
        guard activity == .paused, let flight, moment.isActive else { return }
        guard options.values.networkMode == .always || moment.isOnline else { return }
        effects.event(.resumed, flight.cause)
        startAttempt(&effects)
        changed()
    }

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

    mutating func exceedTimeLimit(_ moment: Moment, _ effects: inout EffectBuffer) {
        guard let flight else { return }
        if flight.isRunning { effects.add(.stop(generation: flight.generation, isSuperseded: false)) }
        effects.event(.cancelled, .timeLimit)
        let limit = options.values.timeLimit ?? .zero
        fail(Failure(QueryError.timedOut(key: key, limit: limit)), flight, moment, &effects)
    }

    /// Options that came during a fetch count from its end on.
    mutating func takeNextOptions(_ effects: inout EffectBuffer) {
        guard let next = flight?.nextOptions else { return }
        effects.discard(options)
        options = next
    }

    // MARK: Answers

    /// Whether the value that a fetch brings becomes the entry's.
    func takesAnswer(of generation: UInt64) -> Bool {
        guard let flight = runningFlight(generation) else { return false }
        return !flight.isOverridden
    }

    /// Latest asked wins, not latest arrived: an answer lands if nothing that was asked later has (A32).
    mutating func land(
        _ answer: Answer, of generation: UInt64, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        guard let flight = runningFlight(generation) else {
            // The end of a fetch that was cancelled is no answer.
            if case .cancelled = answer { return }
            effects.event(.dropped, .superseded)
            discard(answer, &effects)
            return
        }
        switch answer {
        case .value, .notModified, .finished:
            supersede(before: generation, &effects)
            accept(answer, of: flight, moment, &effects)
            if flight.generation == self.flight?.generation {
                endFlight(.value, moment, &effects)
            } else {
                removeOvertaken(generation)
            }
        case .failure, .cancelled:
            guard flight.generation != self.flight?.generation else {
                return landFailure(answer, of: flight, moment, &effects)
            }
            // How the newest fetch ends is what counts.
            removeOvertaken(generation)
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
            if flight.isOverridden {
                effects.discard(landing.base)
                effects.discard(landing.shown)
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
        case .finished:
            revision += 1
            answerCount &+= 1
            effects.event(.fresh, flight.cause)
        case .failure, .cancelled: return
        }
        markFresh(flight, &effects)
        settleStaleness(moment)
        changed()
    }

    private mutating func landFailure(
        _ answer: Answer, of flight: Flight, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        switch answer {
        case .failure(let failure, let retryIn):
            if let retryIn, hasInterest {
                retry(failure, in: retryIn, moment, &effects)
            } else {
                fail(failure, flight, moment, &effects)
            }
        case .cancelled:
            effects.event(.cancelled, flight.cause)
            endFlight(.cancelled, moment, &effects)
        case .value, .notModified, .finished: return
        }
    }

    mutating func yield(
        _ landing: Landing, of generation: UInt64, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        guard let flight = runningFlight(generation), !flight.isOverridden else {
            effects.event(.dropped, .superseded)
            effects.discard(landing.base)
            effects.discard(landing.shown)
            return
        }
        supersede(before: generation, &effects)
        changeFlights { if $0.generation == generation { $0.hasYielded = true } }
        put(landing, at: moment, &effects)
        answerCount &+= 1
        markFresh(flight, &effects)
        settleStaleness(moment)
        effects.add(.persist)
    }

    private mutating func markFresh(_ flight: Flight, _ effects: inout EffectBuffer) {
        effects.discard(failure)
        failure = nil
        wasInvalidatedByName = flight.isOutdated
        isInvalidated = flight.isOutdated
    }

    private mutating func retry(
        _ reason: Failure, in delay: Duration, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        guard var current = flight else { return }
        let label = TransientError.label(reason.error)
        effects.discard(current.lastFailure)
        current.lastFailure = reason
        current.failures += 1
        current.isRunning = false
        current.retryAt = moment.now.advanced(by: delay)
        current.cause = .retry(current.failures, after: label, of: current.cause.origin)
        flight = current
        effects.event(.retrying(in: delay, after: label), current.cause)
        changed()
    }

    /// Final failure: the value stays, the error is recorded, and the entry is stale whatever its time (A2, T6).
    mutating func fail(_ reason: Failure, _ flight: Flight, _ moment: Moment, _ effects: inout EffectBuffer) {
        effects.discard(failure)
        failure = reason
        failedAt = moment.now
        failureCount &+= 1
        isInvalidated = true
        wasInvalidatedByName = flight.isOutdated
        staleAt = nil
        effects.event(.failed(TransientError.label(reason.error)), flight.cause)
        endFlight(.failure(reason), moment, &effects)
    }

    /// The fetch is over, however it went.
    private mutating func endFlight(_ settlement: Settlement, _ moment: Moment, _ effects: inout EffectBuffer) {
        effects.discard(flight?.lastFailure)
        takeNextOptions(&effects)
        flight = overtaken.popLast()
        activity = flight == nil ? .idle : .fetching
        changed()
        if flight != nil, case .cancelled = settlement { return }  // those who wait get what the older fetch brings
        foldLayers(moment, &effects)
        effects.add(.settle(settlement))
        waiters = 0
        startWaitingPages(settlement, moment, &effects)
    }

    private func discard(_ answer: Answer, _ effects: inout EffectBuffer) {
        switch answer {
        case .value(let landing):
            effects.discard(landing.base)
            effects.discard(landing.shown)
        case .failure(let failure, _): effects.discard(failure)
        case .notModified, .finished, .cancelled: break
        }
    }
}
