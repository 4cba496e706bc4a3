/// Fetches of pages. Time limits, retries and pauses apply to them as to all fetches. They wait for a fetch of the
/// whole value.
extension Entry {
    /// The page loads in flight. Empty for most entries.
    var pageTargets: [FlightTarget] {
        guard let side else { return [] }
        return switch (side.next.isFetching, side.previous.isFetching) {
        case (false, false): []
        case (true, false): Self.nextPage
        case (false, true): Self.previousPage
        case (true, true): Self.bothPages
        }
    }

    // Created once, because they are read after each input.
    private static let nextPage = [FlightTarget.page(.next)]
    private static let previousPage = [FlightTarget.page(.previous)]
    private static let bothPages = nextPage + previousPage

    /// True if a page load runs, or waits for a retry.
    package var isLoadingPage: Bool {
        pageTargets.contains { [.running, .backingOff].contains(self[$0]?.phase) }
    }

    /// True if there is a list that a page can be added to. With a source of truth, pages can follow only after a
    /// successful refresh.
    var hasListForPages: Bool { base != nil && (!hasSource || failure == nil) }

    /// The page load with a generation, if its fetcher runs.
    func pageTarget(of generation: UInt64) -> FlightTarget? {
        guard let side else { return nil }
        if let load = side.next.flight, load.generation == generation { return load.isRunning ? .page(.next) : nil }
        if let load = side.previous.flight, load.generation == generation {
            return load.isRunning ? .page(.previous) : nil
        }
        return nil
    }

    /// Loads a page. Each direction has at most one page load: a second request joins it (A23). A page load waits for a
    /// refresh and never cancels it (A24). Without a page, the first one comes from a fetch of the whole value (T103).
    mutating func loadPage(
        _ direction: PageDirection, isFirst: Bool, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        guard self[.page(direction)] == nil else {
            effects.event(.joined, direction.cause, of: self[.page(direction)]?.generation)
            return
        }
        forgetError(of: direction, &effects)
        let isFirst = isFirst || base == nil
        // Another fetch loads the first page, so this page load takes no number.
        let load = Flight(
            generation: isFirst ? 0 : nextGeneration(), cause: direction.cause, phase: isFirst ? .first : .waiting)
        self[.page(direction)] = load
        changed()
        guard !isBusy else { return }
        if isFirst {
            fetch(direction.cause, .join, fromStart: false, context, &effects)
        } else {
            startOrWait(.page(direction), context, &effects)
        }
    }

    mutating func handlePage(
        _ answer: Answer, _ direction: PageDirection, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        guard let load = self[.page(direction)] else { return }
        switch answer {
        case .value(let candidate):
            put(candidate, at: context, &effects, renewsAge: false)
            effects.event(.page(direction), load.cause, of: load.generation)
            persistAnswer(&effects)
            endPage(direction, .value, &effects)
            foldLayers(&effects)
        case .finished, .notModified:
            effects.event(.page(direction), load.cause, of: load.generation)
            endPage(direction, .value, &effects)
        case .misplaced:
            effects.event(.dropped, .superseded, of: load.generation)
            // The list was written in the meantime. If there is still a list, the page is requested again, based on the
            // new list (A33).
            guard base != nil else {
                endPage(direction, .cancelled, &effects)
                break
            }
            reask(direction, &effects)
            startOrWait(.page(direction), context, &effects)
        case .failure, .cancelled:
            handleFailure(answer, of: load, .page(direction), context, &effects)
        }
        changed()
    }

    mutating func endPage(_ direction: PageDirection, _ settlement: Settlement, _ effects: inout some EntryEffects) {
        guard let load = self[.page(direction)] else { return }
        if load.phase != .first { effects.end(load, settlement.end) }
        self[.page(direction)] = nil
        changed()
        resumeCallers(of: .page(direction), with: settlement, &effects)
    }

    /// Gives a page load a new generation, so that the answer to its earlier request is dropped.
    private mutating func reask(_ direction: PageDirection, _ effects: inout some EntryEffects) {
        guard var load = self[.page(direction)] else { return }
        effects.stop(load)
        effects.end(load, .superseded)
        load = Flight(generation: nextGeneration(), cause: load.cause.withoutRetries, phase: .waiting)
        self[.page(direction)] = load
    }

    /// Postpones page loads, because the list is about to be replaced. They are requested again, based on the new list.
    ///
    /// - Parameter forgetsErrors: False if only a part of the list is about to be replaced.
    mutating func postponePages(forgetsErrors: Bool, _ effects: inout some EntryEffects) {
        if forgetsErrors { forgetPageErrors(&effects) }
        for case .page(let direction) in pageTargets where self[.page(direction)]?.phase != .first {
            reask(direction, &effects)
        }
    }

    /// Cancels the page loads that run or wait. The error of an earlier page load stays.
    mutating func stopPageLoads(_ cause: Cause, _ effects: inout some EntryEffects) {
        for case .page(let direction) in pageTargets { stopPageLoad(direction, cause, &effects) }
    }

    mutating func stopPageLoad(_ direction: PageDirection, _ cause: Cause, _ effects: inout some EntryEffects) {
        guard let load = self[.page(direction)] else { return }
        effects.stop(load)
        effects.event(.cancelled, cause, of: load.generation)
        endPage(direction, .cancelled, &effects)
    }

    mutating func forgetPageErrors(_ effects: inout some EntryEffects) {
        for direction in PageDirection.allCases { forgetError(of: direction, &effects) }
    }

    private mutating func forgetError(of direction: PageDirection, _ effects: inout some EntryEffects) {
        guard side?[direction].error != nil else { return }
        changePage(direction) { effects.replace(&$0.error, by: nil) }
    }

    /// Ends the page loads that waited for the first page. The list is loaded, or the fetch that should have loaded it
    /// is over.
    mutating func endFirstPages(_ settlement: Settlement, _ effects: inout some EntryEffects) {
        for case .page(let direction) in pageTargets where self[.page(direction)]?.phase == .first {
            endPage(direction, settlement, &effects)
        }
    }

    /// Starts the page loads that waited for a refresh, which is now over.
    mutating func startWaitingPages(
        _ settlement: Settlement, _ context: EntryContext, _ effects: inout some EntryEffects
    ) {
        guard !isBusy else { return }
        for case .page(let direction) in pageTargets {
            guard let load = self[.page(direction)] else { continue }
            if load.phase == .waiting, hasListForPages {
                startOrWait(.page(direction), context, &effects)
            } else if !load.isRunning {
                endPage(direction, settlement, &effects)
            }
        }
    }
}

extension PageDirection {
    package var cause: Cause { self == .next ? .nextPage : .previousPage }
}
