/// An entry whose data lives elsewhere, in a source of truth: it shows what the source holds, and nothing else.
///
/// - Whoever needs the data has the source read first; only what was read decides about a fetch.
/// - What a fetch, a page or the program brings is saved in the source before it is shown, and only while it counts.
/// - What the source says is shown whatever else happens: a failure, a cancellation or a late answer takes nothing away.
extension Entry {
    package var sourceWork: SourceWork { side?.source ?? SourceWork() }

    @inline(never)  // most entries have no source: its frame is not theirs
    mutating func receive(_ input: SourceInput, _ moment: Moment, _ effects: inout EffectBuffer) {
        switch input {
        case .consult(let demand): consult(demand, moment, &effects)
        case .readingBegan: changeSource { $0.begin() }
        case .reading(let answer): landReading(answer, moment, &effects)
        case .emptied:
            changeSource { $0.wasEmptied() }
            show(nil, moment, &effects)
        case .change(let landing, let generation): landChange(landing, asked: generation, moment, &effects)
        }
    }

    /// Takes the number of a change of the source that is about to be made. Fetches and demands asked before have smaller
    /// ones.
    package mutating func askForChange() -> UInt64 { ask() }

    /// Has the source read. A fetch that is under way brings what is asked for.
    mutating func consult(_ demand: Demand, _ moment: Moment, _ effects: inout EffectBuffer) {
        if isBusy, demand != .nothing {
            effects.event(.joined, demand.cause)
            return
        }
        let number = demand == .nothing ? 0 : ask()
        var isFirst = false
        changeSource { isFirst = $0.ask(demand, number: number) }
        if isFirst { effects.add(.readSource) } else { effects.event(.joined, demand.cause) }
    }

    /// Whatever is being read is shown, and leads to no fetch.
    mutating func callOffDemands() {
        if side != nil { changeSource { $0.callOff() } }
    }

    private mutating func landReading(_ answer: SourceAnswer, _ moment: Moment, _ effects: inout EffectBuffer) {
        let knewNothing = !sourceWork.wasRead
        var ended: SourceWork.Ask?
        changeSource { ended = $0.end() }
        guard let ask = ended else {
            if case .content(let landing, _) = answer { effects.discard(landing.shown) }
            return
        }
        if knewNothing { changed() }  // from here on, nothing to show is that there is nothing
        let needsFetch: Bool
        switch answer {
        case .content(let landing, let isStale):
            show(landing, moment, &effects)
            needsFetch = isStale || isInvalidated
        case .nothing:
            show(nil, moment, &effects)
            needsFetch = true
        case .failure(let failure):
            // What was shown before may still be right: it stays, and is fetched again.
            let problem = "the source could not be read: \(TransientError.label(failure.error))"
            effects.event(.cacheProblem(problem), .cached)
            effects.discard(failure)
            needsFetch = true
        }
        switch ask.demand {
        case .ifStale where !needsFetch: break
        case .always(let cause), .ifStale(let cause):
            fetch(cause, .join, fromStart: true, asked: ask.number, moment, &effects)
        case .nothing: break
        }
        settleReading(.value, &effects)
    }

    /// Answers those who wait for the source to be read, unless it is read once more.
    private mutating func settleReading(_ settlement: Settlement, _ effects: inout EffectBuffer) {
        guard sourceWork.isIdle else { return }
        if shown == nil { changed() }  // until now it could be told that something may be there
        effects.add(.sourceRead)
        guard !isBusy, waiters > 0 else { return }
        waiters = 0
        effects.add(.settle(settlement))
    }

    /// The entry is emptied, and its source is in its turn.
    mutating func beginEmptying(_ effects: inout EffectBuffer) {
        guard hasSource else { return }
        let wasIdle = sourceWork.isIdle
        changeSource { $0.empty() }
        if !wasIdle { settleReading(.cancelled, &effects) }
    }

    /// Shows what the source holds.
    private mutating func show(_ landing: Landing?, _ moment: Moment, _ effects: inout EffectBuffer) {
        guard let landing else {
            guard shown != nil else { return }
            hide(&effects)
            effects.event(.written, .sourceChanged)
            return
        }
        guard !landing.isSame || shown == nil else {
            effects.discard(landing.shown)
            // A layer may hide what differs.
            guard !layers.isEmpty else { return }
            effects.discard(base)
            base = landing.base
            revision += 1
            return
        }
        let isFirst = shown == nil
        effects.discard(shown)
        base = landing.base
        shown = landing.shown
        if isFirst { writtenAt = moment.now }
        valueVersion += 1
        revision += 1
        settleStaleness(moment)
        changed()
        if isFirst { effects.event(.hydrated, .cached) } else { effects.event(.written, .sourceChanged) }
    }

    private mutating func hide(_ effects: inout EffectBuffer) {
        if base !== shown { effects.discard(base) }
        effects.discard(shown)
        base = nil
        shown = nil
        valueVersion += 1
        revision += 1
        changed()
    }

    /// The program changed what the source holds: a success, which takes the place of a fetch asked before. A page load
    /// goes on; whether its page still follows is seen when it is saved. `nil` when nothing is left that it could follow.
    private mutating func landChange(
        _ landing: Landing?, asked generation: UInt64, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        // Emptied since: what was changed before is about to go.
        guard !sourceWork.isEmptying else { return effects.discard(landing?.shown) }
        if let landing {
            put(landing, at: moment, &effects)
            forgetPageErrors(&effects)
            effects.event(.written, .written)
        } else {
            hide(&effects)
            forgetPageErrors(&effects)
            stopPageLoads(.written, &effects)
            effects.event(.cleared, .written)
        }
        // Latest asked wins: what failed, was invalidated or asked for since still counts.
        if answeredAt < generation { effects.discard(failure.take()) }
        if invalidatedAt <= generation { invalidatedAt = 0 }
        settleStaleness(moment)
        if let flight, flight.generation > generation { return }
        cancel(.written, moment, &effects)
    }
}
