/// Fetches of pages. They have the limits, retries and pauses of all fetches, and wait for those of the whole.
extension Entry {
    /// The page loads under way. Empty for most entries.
    var pageTargets: [FlightTarget] {
        guard let side else { return [] }
        return switch (side.next.isFetching, side.previous.isFetching) {
        case (false, false): []
        case (true, false): Self.nextPage
        case (false, true): Self.previousPage
        case (true, true): Self.bothPages
        }
    }

    // Made once: they are asked for after each input.
    private static let nextPage = [FlightTarget.page(.next)]
    private static let previousPage = [FlightTarget.page(.previous)]
    private static let bothPages = nextPage + previousPage

    /// Whether a page is being loaded, or will be tried again.
    package var isLoadingPage: Bool {
        pageTargets.contains { [.running, .backingOff].contains(self[$0]?.phase) }
    }

    /// Whether there is a list that a page can be added to. With a source of truth, a refresh must succeed before pages follow.
    var hasListForPages: Bool { base != nil && (!hasSource || failure == nil) }

    /// The page load with a number, if its fetcher is running.
    func pageTarget(of generation: UInt64) -> FlightTarget? {
        guard let side else { return nil }
        if let load = side.next.flight, load.generation == generation { return load.isRunning ? .page(.next) : nil }
        if let load = side.previous.flight, load.generation == generation {
            return load.isRunning ? .page(.previous) : nil
        }
        return nil
    }

    /// One page load per direction: a second request joins it (A23). A refresh is never cancelled for it: it waits
    /// (A24). With nothing there yet, the first page is what a fetch brings (T103).
    mutating func loadPage(_ direction: PageDirection, _ moment: Moment, _ effects: inout EffectBuffer) {
        changePage(direction) { $0.waiters += 1 }
        guard self[.page(direction)] == nil else {
            effects.event(.joined, direction.cause)
            return
        }
        effects.discard(side?[direction].error)
        let isFirst = base == nil
        // The first page is brought by another fetch, so that it is no ask of its own.
        let load = Flight(
            generation: isFirst ? 0 : ask(), cause: direction.cause, phase: isFirst ? .first : .waiting)
        changePage(direction) { page in
            page.error = nil
            page.flight = load
        }
        changed()
        guard !isBusy else { return }
        if isFirst {
            fetch(direction.cause, .join, fromStart: false, moment, &effects)
        } else {
            launch(.page(direction), moment, &effects)
        }
    }

    mutating func leavePage(_ direction: PageDirection) {
        guard let page = side?[direction], page.waiters > 0 else { return }
        changePage(direction) { $0.waiters -= 1 }
    }

    mutating func landPage(
        _ answer: Answer, _ direction: PageDirection, _ moment: Moment, _ effects: inout EffectBuffer
    ) {
        guard let load = self[.page(direction)] else { return }
        switch answer {
        case .value(let landing):
            put(landing, at: moment, &effects, renewsAge: false)
            effects.event(.page(direction), load.cause)
            effects.add(.persist)
            endPage(direction, .value, &effects)
            foldLayers(&effects)
        case .finished, .notModified:
            endPage(direction, .value, &effects)
        case .misplaced:
            effects.event(.dropped, .superseded)
            // The list was written meanwhile: the page is asked for again, from the list as it is now (A33), if there is one.
            guard base != nil else {
                endPage(direction, .cancelled, &effects)
                break
            }
            reask(direction, &effects)
            launch(.page(direction), moment, &effects)
        case .failure, .cancelled:
            landFailure(answer, of: load, .page(direction), moment, &effects)
        }
        changed()
    }

    /// The page load is over, however it went.
    mutating func endPage(_ direction: PageDirection, _ settlement: Settlement, _ effects: inout EffectBuffer) {
        guard let page = side?[direction], let load = page.flight else { return }
        if load.phase != .first { effects.add(.end(generation: load.generation)) }
        effects.discard(load.lastFailure)
        changePage(direction) { page in
            page.flight = nil
            page.waiters = 0
        }
        changed()
        if page.waiters > 0 { effects.add(.settlePage(direction, settlement)) }
    }

    /// Gives a page load a new number: what it was asked for before can no longer land.
    private mutating func reask(_ direction: PageDirection, _ effects: inout EffectBuffer) {
        guard var load = self[.page(direction)] else { return }
        effects.add(
            load.isRunning
                ? .stop(generation: load.generation, isSuperseded: true) : .end(generation: load.generation))
        effects.discard(load.lastFailure)
        load = Flight(generation: ask(), cause: load.cause.origin, phase: .waiting)
        self[.page(direction)] = load
    }

    /// The list is about to be replaced: its page loads wait, and are asked for again from the list as it is then.
    mutating func postponePages(_ effects: inout EffectBuffer) {
        forgetPageErrors(&effects)
        for case .page(let direction) in pageTargets where self[.page(direction)]?.phase != .first {
            reask(direction, &effects)
        }
    }

    /// Cancels the page loads that run or wait. An error of an earlier one stays.
    mutating func stopPageLoads(_ cause: Cause, _ effects: inout EffectBuffer) {
        for case .page(let direction) in pageTargets { stopPageLoad(direction, cause, &effects) }
    }

    mutating func stopPageLoad(_ direction: PageDirection, _ cause: Cause, _ effects: inout EffectBuffer) {
        guard let load = self[.page(direction)] else { return }
        if load.isRunning { effects.add(.stop(generation: load.generation, isSuperseded: false)) }
        effects.event(.cancelled, cause)
        endPage(direction, .cancelled, &effects)
    }

    /// Page loads may be asked again as if none had failed.
    mutating func forgetPageErrors(_ effects: inout EffectBuffer) {
        guard let side, side.next.error != nil || side.previous.error != nil else { return }
        for direction in PageDirection.allCases {
            effects.discard(side[direction].error)
            changePage(direction) { $0.error = nil }
        }
    }

    /// The page loads that waited for the first page end: a list is there, or the fetch that was to bring it is over.
    mutating func endFirstPages(_ settlement: Settlement, _ effects: inout EffectBuffer) {
        for case .page(let direction) in pageTargets where self[.page(direction)]?.phase == .first {
            endPage(direction, settlement, &effects)
        }
    }

    /// The refresh is over: the page loads that waited for it start.
    mutating func startWaitingPages(_ settlement: Settlement, _ moment: Moment, _ effects: inout EffectBuffer) {
        guard !isBusy else { return }
        for case .page(let direction) in pageTargets {
            guard let load = self[.page(direction)] else { continue }
            if load.phase == .waiting, hasListForPages {
                launch(.page(direction), moment, &effects)
            } else if !load.isRunning {
                endPage(direction, settlement, &effects)
            }
        }
    }
}

extension PageDirection {
    var cause: Cause { self == .next ? .nextPage : .previousPage }
}
