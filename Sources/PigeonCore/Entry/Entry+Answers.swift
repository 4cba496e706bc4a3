/// Answers to fetches, of the whole value and of pages, and the ends of fetches.
extension Entry {
    /// True if the value of a fetch becomes the entry's value, or a part of it.
    func takesAnswer(of generation: UInt64) -> Bool {
        if pageTarget(of: generation) != nil { return true }
        return runningFlight(generation).map { $0.requestNumber >= heldBefore } ?? false
    }

    mutating func noteRequested(_ generation: UInt64) {
        guard let flight, flight.generation == generation, flight.isRunning, !flight.hasYielded else { return }
        let number = nextGeneration()
        changeNewest { $0.requestNumber = number }
    }

    /// Number of the newest request of a fetch.
    func requestNumber(_ generation: UInt64) -> UInt64 {
        runningFlight(generation)?.requestNumber ?? generation
    }

    func failures(of generation: UInt64) -> Int {
        if let target = pageTarget(of: generation) { return self[target]?.failures ?? 0 }
        return runningFlight(generation)?.failures ?? 0
    }

    /// True if the client retries a failed attempt. An attempt that nobody waits for is not retried.
    var retries: Bool { options.values.retry.limit > 0 && hasInterest }

    /// Takes the answer of a fetch. The latest request wins, not the latest arrival: an answer is stored unless the answer
    /// to a later request has been stored (A32).
    mutating func handle(
        _ answer: Answer, of generation: UInt64, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        if case .page(let direction)? = pageTarget(of: generation) {
            return handlePage(answer, direction, context, &effects)
        }
        guard let flight = runningFlight(generation) else {
            // A cancelled fetch has no answer.
            if case .cancelled = answer { return }
            return effects.event(.dropped, .superseded, of: generation)
        }
        switch answer {
        case .misplaced where flight.isPartial && flight.generation == self.flight?.generation:
            restartPart(flight, context, &effects)
        case .value, .notModified, .finished, .misplaced:
            supersede(before: generation, &effects)
            accept(answer, of: flight, context, &effects)
            if flight.generation == self.flight?.generation {
                endFlight(.value, context, &effects)
            } else {
                removeOlderFlight(flight, .answered, &effects)
            }
        case .failure, .cancelled:
            guard flight.generation != self.flight?.generation else {
                return handleFailure(answer, of: flight, .whole, context, &effects)
            }
            // Only the outcome of the newest fetch counts.
            guard case .failure(let failure, _) = answer else {
                return removeOlderFlight(flight, .cancelled, &effects)
            }
            removeOlderFlight(flight, .failed(failure.error), &effects)
            effects.event(.dropped, .superseded, of: generation)
        }
    }

    /// Fetches a part again, because the program has changed it in the meantime. If that goes on, fetches the whole.
    private mutating func restartPart(_ old: Flight, _ context: EntryContext, _ effects: inout some EntryEffects) {
        effects.event(.dropped, .written, of: old.generation)
        guard hasInterest else { return cancelNewest(.abandoned, context, &effects) }
        let request = (old.request as? OnePage)?.again
        effects.stop(old)
        effects.end(old, .superseded)
        takeNextOptions(of: old, &effects)
        flight = Flight(
            generation: nextGeneration(), cause: old.cause.withoutRetries, isPartial: request != nil)
        if let request { changeNewest { $0.request = request } }
        changed()
        startOrWait(.whole, context, &effects)
        if let limit = old.limit { changeNewest { $0.limit = limit } }
    }

    /// Takes a part of the value, or says that it is as it was. The age, the error and the invalidation of the rest stay.
    private mutating func acceptPart(
        _ answer: Answer, of flight: Flight, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        if case .value(let candidate) = answer {
            put(candidate, at: context, &effects, renewsAge: false)
            persistAnswer(&effects)
        }
        effects.event(.fresh, flight.cause, of: flight.generation)
        revision += 1
        updateStaleness(context)
        changed()
    }

    /// Accepts a successful answer. Clears the error, and also the invalidation (T5) unless it came after the fetch was
    /// requested.
    private mutating func accept(
        _ answer: Answer, of flight: Flight, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        if flight.isPartial { return acceptPart(answer, of: flight, context, &effects) }
        switch answer {
        case .value(let candidate):
            if flight.requestNumber < heldBefore {
                effects.event(.dropped, .written, of: flight.generation)
            } else {
                put(candidate, at: context, &effects)
                effects.event(.fresh, flight.cause, of: flight.generation)
                persistAnswer(&effects)
                answerCount &+= 1
            }
        case .notModified(let freshFor, let age):
            writtenAt = context.now.advanced(nanoseconds: -age)
            self.freshFor = freshFor
            revision += 1
            answerCount &+= 1
            effects.event(.notModified, flight.cause, of: flight.generation)
            effects.persist()
        case .finished, .misplaced:
            revision += 1
            answerCount &+= 1
            effects.event(.fresh, flight.cause, of: flight.generation)
        case .failure, .cancelled: return
        }
        markAnswered(flight, &effects)
        updateStaleness(context)
        changed()
    }

    /// Handles a failed attempt: schedules a retry, or ends the fetch.
    mutating func handleFailure(
        _ answer: Answer, of flight: Flight, _ target: FlightTarget, _ context: EntryContext,
        _ effects: inout some EntryEffects
    ) {
        switch answer {
        case .failure(let failure, let retryIn?) where hasInterest:
            retry(failure, in: retryIn, target, context, &effects)
        case .failure(let failure, _):
            fail(failure, flight, target, context, &effects)
        case .cancelled:
            effects.event(.cancelled, flight.cause, of: flight.generation)
            end(target, .cancelled, context, &effects)
        case .value, .notModified, .finished, .misplaced: return
        }
    }

    mutating func yield(
        _ candidate: CommitCandidate, of generation: UInt64, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        guard let flight = runningFlight(generation), flight.requestNumber >= heldBefore else {
            return effects.event(.dropped, .superseded, of: generation)
        }
        supersede(before: generation, &effects)
        changeFlights { if $0.generation == generation { $0.hasYielded = true } }
        put(candidate, at: context, &effects)
        answerCount &+= 1
        markAnswered(flight, &effects)
        updateStaleness(context)
        persistAnswer(&effects)
    }

    /// Requests that an answer is written to the cache, if there is one. A source of truth has it already.
    func persistAnswer(_ effects: inout some EntryEffects) {
        if !hasSource { effects.persist() }
    }

    private mutating func markAnswered(_ flight: Flight, _ effects: inout some EntryEffects) {
        // A newer fetch may have failed. It was requested after the invalidation, while this one may predate it.
        endFailure(leavesStale: flight.requestNumber < invalidatedBefore, &effects)
        if flight.requestNumber >= invalidatedBefore { isDisproved = false }
        answeredRequest = max(answeredRequest, flight.requestNumber)
    }

    private mutating func retry(
        _ reason: Failure, in delay: Duration, _ target: FlightTarget, _ context: EntryContext,
        _ effects: inout some EntryEffects
    ) {
        guard var flight = self[target] else { return }
        let label = TransientError.label(reason.error)
        effects.replace(&flight.lastFailure, by: reason)
        // The next attempt fetches the same part.
        if !flight.isPartial, let request = flight.request.take() { effects.end(request, .failed(reason.error)) }
        flight.failures += 1
        flight.phase = .backingOff
        flight.progress = nil
        flight.retryAt = context.now.advanced(by: delay)
        flight.cause = .retry(flight.failures, after: label, of: flight.cause.withoutRetries)
        self[target] = flight
        effects.event(.retrying(in: delay, after: label), flight.cause, of: flight.generation, error: reason.error)
        changed()
    }

    // MARK: Ends

    /// Ends a fetch with its final failure. If the whole value failed, the old value stays and becomes stale whatever
    /// its stale time (A2, T6). If a page failed, all pages stay, and only its direction has the error (A25, A26).
    mutating func fail(
        _ reason: Failure, _ flight: Flight, _ target: FlightTarget, _ context: EntryContext,
        _ effects: inout some EntryEffects
    ) {
        let label = TransientError.label(reason.error)
        switch target {
        case .whole where flight.isPartial:
            effects.event(.failed(label), flight.cause, of: flight.generation, error: reason.error)
        case .whole:
            effects.replace(&failure, by: reason)
            if FetchPolicy.isAnswer(reason.error) { wasRefused = true }
            if wasInvalidatedByName { isDisproved = true }
            failedAt = context.now
            failureCount &+= 1
            answeredRequest = max(answeredRequest, flight.requestNumber)
            staleAt = nil
            effects.event(.failed(label), flight.cause, of: flight.generation, error: reason.error)
        case .page(let direction):
            changePage(direction) { $0.error = reason }
            effects.event(.pageFailed(direction, label), flight.cause, of: flight.generation, error: reason.error)
        }
        end(target, .failure(reason), context, &effects)
    }

    mutating func end(
        _ target: FlightTarget, _ settlement: Settlement, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        switch target {
        case .whole: endFlight(settlement, context, &effects)
        case .page(let direction): endPage(direction, settlement, &effects)
        }
    }

    mutating func endFlight(_ settlement: Settlement, _ context: EntryContext, _ effects: inout some EntryEffects) {
        guard let ended = flight else { return }
        effects.end(ended, settlement.end)
        takeNextOptions(of: ended, &effects)
        flight = olderFlights.popLast()
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
        if let followUp, isAwaited, ended.requestNumber < heldBefore, case .value = settlement {
            // The answer was dropped because of an edit made after the request. Its waiters get the next answer.
            return fetch(followUp, .join, fromStart: ended.fromStart, context, &effects)
        }
        foldLayers(&effects)
        let isOutdated = isAnswer && wasInvalidatedByName
        resumeCallers(with: settlement, to: isOutdated ? ended.requestNumber : .max, &effects)
        endFirstPages(settlement, &effects)
        if let followUp, isActive, mayRefetch {
            fetch(followUp, .join, fromStart: ended.fromStart, context, &effects)
        }
        startWaitingPages(settlement, context, &effects)
        // Those who came after an invalidation later than the request wait for another fetch (A58).
        if isAwaited, !isBusy { fetch(ended.followUp ?? .requested, .join, fromStart: false, context, &effects) }
    }
}
