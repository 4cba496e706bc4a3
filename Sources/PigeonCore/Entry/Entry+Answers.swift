/// Answers to fetches, of the whole value and of pages, and the ends of fetches.
extension Entry {
    /// True if the value of a fetch becomes the entry's value, or a part of it.
    func takesAnswer(of generation: UInt64) -> Bool {
        if pageTarget(of: generation) != nil { return true }
        return runningFlight(generation).map { $0.askedAt >= heldAt } ?? false
    }

    mutating func noteAsked(_ generation: UInt64) {
        guard let flight, flight.generation == generation, flight.isRunning, !flight.hasYielded else { return }
        let number = ask()
        changeNewest { $0.askedAt = number }
    }

    /// Number of the newest request of a fetch.
    func askedAt(_ generation: UInt64) -> UInt64 {
        runningFlight(generation)?.askedAt ?? generation
    }

    /// Number of attempts of a fetch that have failed.
    func failures(of generation: UInt64) -> Int {
        if let target = pageTarget(of: generation) { return self[target]?.failures ?? 0 }
        return runningFlight(generation)?.failures ?? 0
    }

    /// True if the client retries a failed attempt. An attempt that nobody waits for is not retried.
    var retries: Bool { options.values.retry.limit > 0 && hasInterest }

    /// Takes the answer of a fetch. The latest request wins, not the latest arrival: an answer lands unless the answer
    /// to a later request has landed (A32).
    mutating func land(
        _ answer: Answer, of generation: UInt64, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        if case .page(let direction)? = pageTarget(of: generation) {
            return landPage(answer, direction, moment, &effects)
        }
        guard let flight = runningFlight(generation) else {
            // A cancelled fetch has no answer.
            if case .cancelled = answer { return }
            effects.event(.dropped, .superseded, of: generation)
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
            // Only the outcome of the newest fetch counts.
            removeOvertaken(generation, &effects)
            if case .failure = answer { effects.event(.dropped, .superseded, of: generation) }
            discard(answer, &effects)
        }
    }

    /// Accepts a successful answer. Clears the error, and also the invalidation (T5) unless it came after the fetch was
    /// requested.
    private mutating func accept(
        _ answer: Answer, of flight: Flight, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        switch answer {
        case .value(let landing):
            if flight.askedAt < heldAt {
                discard(answer, &effects)
                effects.event(.dropped, .written, of: flight.generation)
            } else {
                put(landing, at: moment, &effects)
                effects.event(.fresh, flight.cause, of: flight.generation)
                persistAnswer(&effects)
                answerCount &+= 1
            }
        case .notModified(let freshFor, let age):
            writtenAt = moment.now.advanced(nanoseconds: -age)
            self.freshFor = freshFor
            revision += 1
            answerCount &+= 1
            effects.event(.notModified, flight.cause, of: flight.generation)
            effects.add(.persist)
        case .finished, .misplaced:
            revision += 1
            answerCount &+= 1
            effects.event(.fresh, flight.cause, of: flight.generation)
        case .failure, .cancelled: return
        }
        markAnswered(flight, &effects)
        settleStaleness(moment)
        changed()
    }

    /// Handles a failed attempt: schedules a retry, or ends the fetch.
    mutating func landFailure(
        _ answer: Answer, of flight: Flight, _ target: FlightTarget, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        switch answer {
        case .failure(let failure, let retryIn?) where hasInterest:
            retry(failure, in: retryIn, target, moment, &effects)
        case .failure(let failure, _):
            fail(failure, flight, target, moment, &effects)
        case .cancelled:
            effects.event(.cancelled, flight.cause, of: flight.generation)
            end(target, .cancelled, moment, &effects)
        case .value, .notModified, .finished, .misplaced: return
        }
    }

    mutating func yield(
        _ landing: Landing, of generation: UInt64, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        guard let flight = runningFlight(generation), flight.askedAt >= heldAt else {
            effects.event(.dropped, .superseded, of: generation)
            return discard(.value(landing), &effects)
        }
        supersede(before: generation, &effects)
        changeFlights { if $0.generation == generation { $0.hasYielded = true } }
        put(landing, at: moment, &effects)
        answerCount &+= 1
        markAnswered(flight, &effects)
        settleStaleness(moment)
        persistAnswer(&effects)
    }

    /// Writes an answer to the cache. A source of truth has it already.
    func persistAnswer(_ effects: inout EffectBuffer) {
        if !hasSource { effects.add(.persist) }
    }

    private mutating func markAnswered(_ flight: Flight, _ effects: inout EffectBuffer) {
        // A newer fetch may have failed. It was requested after the invalidation, while this one may predate it.
        endFailure(leavesStale: flight.askedAt < invalidatedAt, &effects)
        if flight.askedAt >= invalidatedAt { isDisproved = false }
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
        flight.cause = .retry(flight.failures, after: label, of: flight.cause.withoutRetries)
        self[target] = flight
        effects.event(.retrying(in: delay, after: label), flight.cause, of: flight.generation)
        changed()
    }

    // MARK: Ends

    /// Ends a fetch with its final failure. If the whole value failed, the old value stays and becomes stale whatever
    /// its stale time (A2, T6). If a page failed, all pages stay, and only its direction has the error (A25, A26).
    mutating func fail(
        _ reason: Failure, _ flight: Flight, _ target: FlightTarget, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        let label = TransientError.label(reason.error)
        switch target {
        case .whole:
            effects.discard(failure)
            failure = reason
            if FetchPolicy.isAnswer(reason.error) { wasRefused = true }
            if wasInvalidatedByName { isDisproved = true }
            failedAt = moment.now
            failureCount &+= 1
            answeredAt = max(answeredAt, flight.askedAt)
            staleAt = nil
            effects.event(.failed(label), flight.cause, of: flight.generation)
        case .page(let direction):
            changePage(direction) { page in
                page.error = reason
                page.failedGeneration = flight.generation
            }
            effects.event(.pageFailed(direction, label), flight.cause, of: flight.generation)
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

    /// Ends the fetch of the whole value, whatever its outcome.
    mutating func endFlight(_ settlement: Settlement, _ moment: Moment, _ effects: inout EffectBuffer) {
        guard let ended = flight else { return }
        effects.add(.end(generation: ended.generation))
        effects.discard(ended.lastFailure)
        takeNextOptions(of: ended, &effects)
        flight = overtaken.popLast()
        if let followUp = ended.followUp { changeNewest { $0.followUp = $0.followUp ?? followUp } }
        changed()
        var isCancelled = false
        // A transient failure says nothing about what a newer request would have brought.
        var isAnswer = false
        switch settlement {
        case .value: isAnswer = true
        case .failure(let failure): isAnswer = FetchPolicy.isAnswer(failure.error)
        case .cancelled: isCancelled = true
        }
        if isBusy, isCancelled { return }  // waiters get the outcome of the older fetch
        let followUp = isBusy || isCancelled || !wasInvalidatedByName ? nil : ended.followUp
        if let followUp, waiters > 0, ended.askedAt < heldAt, case .value = settlement {
            // The answer was dropped because of an edit made after the request. Its waiters get the next answer.
            return fetch(followUp, .join, fromStart: ended.fromStart, moment, &effects)
        }
        foldLayers(&effects)
        let isOutdated = isAnswer && wasInvalidatedByName
        effects.add(.settle(settlement, askedAt: isOutdated ? ended.askedAt : .max, followUp: ended.followUp))
        waiters = 0
        endFirstPages(settlement, &effects)
        if let followUp, isActive, mayRefetch {
            fetch(followUp, .join, fromStart: ended.fromStart, moment, &effects)
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
