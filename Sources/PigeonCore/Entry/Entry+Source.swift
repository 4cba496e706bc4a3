/// An entry whose data lives in a source of truth. It shows the source's content, and nothing else.
///
/// - Each demand reads the source first. Only the content that was read decides about a fetch.
/// - Values of fetches, of page loads and of the program are saved in the source before they are shown, and only while
///   they are current.
/// - The source's content is shown whatever else happens. A failure, a cancellation or a late answer removes nothing.
extension Entry {
    package var sourceWork: SourceWork { side?.source ?? SourceWork() }

    @inline(never)  // most entries have no source, so its stack frame is kept out of their calls
    mutating func receive(_ input: SourceInput, _ context: EntryContext, _ effects: inout some EntryEffects) {
        switch input {
        case .consult(let demand): consult(demand, context, &effects)
        case .readingBegan: _ = beginReading()
        case .reading(let answer): handleReading(answer, context, &effects)
        case .emptied:
            changeSource { $0.wasEmptied() }
            show(nil, context, &effects)
        case .saved: changeSource { $0.wasSaved() }
        case .change(let candidate, let generation): handleChange(candidate, requested: generation, context, &effects)
        }
    }

    /// Takes a number for a change of the source that is about to be made. Earlier fetches and demands have smaller
    /// numbers.
    package mutating func nextGenerationForChange() -> UInt64 { nextGeneration() }

    /// Starts the requested reading. No effect follows from it.
    ///
    /// - Returns: False if none is requested.
    mutating func beginReading() -> Bool {
        guard sourceWork.requested != nil else { return false }
        changeSource { $0.begin() }
        return true
    }

    /// True if the source may have content that is not shown because it has not been read.
    var mayHaveUnreadContent: Bool { hasSource && shown == nil && !sourceWork.wasRead }

    /// Records that a job in the source's queue will save what the program has written.
    mutating func noteSaving() { changeSource { $0.save() } }

    /// True if the entry shows this content of the source, and no layers hide it.
    package func isShowing(_ content: Payload) -> Bool { shown === content && base === content && layers.isEmpty }

    /// Notes that content of the source was read which the entry shows, so that its unused time starts again.
    ///
    /// - Returns: False if it is not certain that this answers a caller: something is in flight, or must be fetched.
    mutating func useAgain(_ content: Payload) -> Bool {
        guard isShowing(content), sourceWork.wasRead, !sourceWork.isEmptying, !hasSideWork, !isBusy, !isInvalidated,
            !isAwaited
        else { return false }
        // Computed again at the end of the next input.
        collectAt = nil
        return true
    }

    /// Requests a reading of the source. A fetch in flight satisfies the demand without one.
    mutating func consult(_ demand: Demand, _ context: EntryContext, _ effects: inout some EntryEffects) {
        if isFetchingWhole, demand != .nothing { return join(demand.cause, &effects) }
        let number = demand == .nothing ? 0 : nextGeneration()
        var isFirst = false
        changeSource { isFirst = $0.request(demand, number: number) }
        if isFirst { effects.readSource() } else { effects.event(.joined, demand.cause) }
    }

    /// Withdraws the demands of all readings: their content is shown, but starts no fetch.
    mutating func callOffDemands() {
        if side != nil { changeSource { $0.callOff() } }
    }

    private mutating func handleReading(
        _ answer: SourceAnswer, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        let knewNothing = !sourceWork.wasRead
        var ended: SourceWork.ReadRequest?
        changeSource { ended = $0.end() }
        guard let request = ended else { return }
        if knewNothing { changed() }  // from now on, no value means that the source is empty
        let needsFetch: Bool
        switch answer {
        // The entry shows a later write of the program, which is still to be saved.
        case .content where sourceWork.savings > 0: needsFetch = isInvalidated
        case .content(let candidate, let isStale, let isDated):
            show(candidate, context, &effects)
            if isDated { takeDate(of: candidate, isStale: isStale, requested: request.number, context, &effects) }
            needsFetch = isStale || isInvalidated || isDated && isDue(by: options.values, at: context.now)
        case .nothing where sourceWork.savings > 0: needsFetch = isInvalidated
        case .nothing:
            show(nil, context, &effects)
            needsFetch = true
        case .failure(let failure):
            // The value on show may still be right: it stays, and is fetched again.
            let problem = "the source could not be read: \(TransientError.label(failure.error))"
            effects.event(.cacheProblem(problem), .cached)
            needsFetch = true
        }
        switch request.demand {
        case .ifStale where !needsFetch: break
        case .always(let cause), .ifStale(let cause):
            fetch(cause, .join, fromStart: false, requested: request.number, context, &effects)
        case .nothing: break
        }
        endReading(.value, &effects)
    }

    /// Resumes the callers that wait for the source to be read, unless another reading follows.
    private mutating func endReading(_ settlement: Settlement, _ effects: inout some EntryEffects) {
        guard sourceWork.isIdle else { return }
        if shown == nil { changed() }  // until now, the source could still have had content
        effects.sourceRead()
        if !isBusy, isAwaited { resumeCallers(with: settlement, &effects) }
    }

    /// Handles the reset of an entry. The client empties its source later, by a job in the source's queue.
    mutating func beginEmptying(_ effects: inout some EntryEffects) {
        guard hasSource else { return }
        let wasIdle = sourceWork.isIdle
        changeSource { $0.empty() }
        if !wasIdle { endReading(.cancelled, &effects) }
    }

    private mutating func show(
        _ candidate: CommitCandidate?, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        guard let candidate else {
            guard shown != nil else { return }
            hide(&effects)
            effects.event(.written, .sourceChanged)
            return
        }
        guard !candidate.isSame || shown == nil else {
            // A layer may hide the difference.
            guard !layers.isEmpty else { return }
            effects.replace(&base, by: candidate.base)
            revision += 1
            return
        }
        let isFirst = shown == nil
        effects.replace(&base, by: candidate.base)
        effects.replace(&shown, by: candidate.shown)
        if isFirst { writtenAt = context.now }
        valueVersion += 1
        revision += 1
        updateStaleness(context)
        changed()
        if isFirst { effects.event(.hydrated, .cached) } else { effects.event(.written, .sourceChanged) }
    }

    /// Takes the time at which the content of a source was right. Content that is newer than what was invalidated ends the
    /// invalidation.
    private mutating func takeDate(
        of candidate: CommitCandidate, isStale: Bool, requested number: UInt64, _ context: EntryContext,
        _ effects: inout some EntryEffects
    ) {
        let before = (writtenAt, freshFor, wasInvalidatedByName)
        if isStale {
            // The fetch that the reading is for, or one in flight, was requested after the content was marked.
            let mark = number > 0 ? number : nextRequest
            if !wasInvalidatedByName {
                invalidatedBefore = max(invalidatedBefore, min(mark, flight?.requestNumber ?? mark))
            }
        } else {
            let date = context.now.advanced(nanoseconds: -candidate.age)
            // The age is computed from the wall clock, which is not exact.
            if abs(writtenAt.duration(to: date).clampedNanoseconds) > 1_000_000 {
                if date > writtenAt, wasInvalidatedByName { (invalidatedBefore, isDisproved) = (0, false) }
                writtenAt = date
            }
            freshFor = candidate.freshFor
        }
        guard before != (writtenAt, freshFor, wasInvalidatedByName) else { return }
        updateStaleness(context)
        changed()
    }

    private mutating func hide(_ effects: inout some EntryEffects) {
        effects.replace(&base, by: nil)
        effects.replace(&shown, by: nil)
        valueVersion += 1
        revision += 1
        changed()
    }

    /// Shows a change that the program made to the source. It counts as a success and replaces a fetch that was
    /// requested earlier. A page load continues: saving its page checks that it still follows the list. `candidate` is
    /// `nil` if the source is empty, so that there is nothing for a page to follow.
    private mutating func handleChange(
        _ candidate: CommitCandidate?, requested generation: UInt64, _ context: EntryContext,
        _ effects: inout some EntryEffects
    ) {
        // The entry was reset after the change, so the changed content is about to be removed.
        guard !sourceWork.isEmptying else { return }
        if let candidate {
            put(candidate, at: context, &effects)
            forgetPageErrors(&effects)
            effects.event(.written, .written)
        } else {
            hide(&effects)
            forgetPageErrors(&effects)
            stopPageLoads(.written, &effects)
            effects.event(.cleared, .written)
        }
        // The latest request wins: a failure, an invalidation or a request after the change still counts.
        if answeredRequest < generation { effects.replace(&failure, by: nil) }
        if invalidatedBefore <= generation { (invalidatedBefore, isDisproved) = (0, false) }
        updateStaleness(context)
        if let flight, flight.generation > generation { return }
        cancel(.written, context, &effects)
    }
}
