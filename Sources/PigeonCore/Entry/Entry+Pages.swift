extension Entry {
    /// One page load per direction: a second request joins it (A23). A refresh is never cancelled for it: it waits
    /// (A24). With nothing there yet, the first page is what a fetch brings (T103).
    mutating func loadPage(_ direction: PageDirection, _ moment: Moment, _ effects: inout EffectBuffer) {
        var load = side?[direction] ?? PageFlight()
        load.waiters += 1
        guard load.phase == .idle else {
            set(load, direction)
            effects.event(.joined, direction.cause)
            return
        }
        effects.discard(load.error)
        load.error = nil
        load.failures = 0
        load.phase = shown == nil ? .first : .waiting
        set(load, direction)
        changed()
        guard flight == nil else { return }
        if shown == nil {
            fetch(direction.cause, .join, fromStart: false, moment, &effects)
        } else {
            startPage(direction, moment, &effects)
        }
    }

    mutating func leavePage(_ direction: PageDirection) {
        guard var load = side?[direction], load.waiters > 0 else { return }
        load.waiters -= 1
        set(load, direction)
    }

    /// Starts a page load that waited, if it may run now.
    private mutating func startPage(_ direction: PageDirection, _ moment: Moment, _ effects: inout EffectBuffer) {
        guard var load = side?[direction], load.phase == .waiting else { return }
        guard options.values.networkMode != .online || moment.isOnline else { return }
        generation += 1
        load.generation = generation
        load.phase = .loading
        set(load, direction)
        effects.event(.loadingPage(direction, attempt: load.failures + 1), direction.cause)
        effects.add(.startPage(direction, generation: load.generation, attempt: load.failures))
    }

    /// Whether the page that a load brings is added.
    func takesPage(_ direction: PageDirection, of generation: UInt64) -> Bool {
        guard let load = side?[direction] else { return false }
        return load.phase == .loading && load.generation == generation
    }

    mutating func landPage(
        _ answer: PageAnswer, _ direction: PageDirection, of generation: UInt64, _ moment: Moment,
        _ effects: inout EffectBuffer
    ) {
        guard var load = side?[direction], load.phase == .loading, load.generation == generation else {
            // A refresh came in between: a page of the old list never lands in the new one. The end of a load that was
            // cancelled is no answer.
            if case .cancelled = answer { return }
            effects.event(.dropped, .superseded)
            if case .page(let landing) = answer {
                effects.discard(landing.base)
                effects.discard(landing.shown)
            }
            return
        }
        load.phase = .idle
        switch answer {
        case .page(let landing):
            load.failures = 0
            set(load, direction)
            put(landing, at: moment, &effects, renewsAge: false)
            effects.event(.page(direction), direction.cause)
            effects.add(.persist)
            settlePage(direction, .value, &effects)
            foldLayers(moment, &effects)
        case .end:
            set(load, direction)
            settlePage(direction, .value, &effects)
        case .failure(let failure, let retryIn?) where hasInterest || load.waiters > 0:
            load.failures += 1
            load.phase = .backingOff(until: moment.now.advanced(by: retryIn))
            set(load, direction)
            effects.event(.retrying(in: retryIn, after: TransientError.label(failure.error)), direction.cause)
            effects.discard(failure)
        case .failure(let failure, _):
            // All pages stay; the failure is the direction's own (A26), and the cursor has not moved (A25).
            load.error = failure
            set(load, direction)
            effects.event(.pageFailed(direction, TransientError.label(failure.error)), direction.cause)
            settlePage(direction, .failure(failure), &effects)
        case .cancelled:
            set(load, direction)
            settlePage(direction, .cancelled, &effects)
        }
        changed()
    }

    /// Page loads answer from a list that is about to be replaced: they are dropped. Who waits for one gets the list as
    /// the refresh leaves it.
    mutating func dropPageLoads(_ effects: inout EffectBuffer) {
        guard let side else { return }
        for direction in PageDirection.allCases {
            var load = side[direction]
            if load.phase == .loading { effects.add(.stopPage(direction)) }
            switch load.phase {
            case .loading, .backingOff: load.phase = .idle
            case .idle, .waiting, .first: break
            }
            effects.discard(load.error)
            load.error = nil
            set(load, direction)
        }
    }

    /// Ends every page load, also those that wait.
    mutating func cancelPageLoads(_ effects: inout EffectBuffer) {
        dropPageLoads(&effects)
        for direction in PageDirection.allCases {
            guard var load = side?[direction] else { continue }
            load.phase = .idle
            set(load, direction)
            settlePage(direction, .cancelled, &effects)
        }
    }

    /// Cancels the page loads that run or wait, and nothing else: an error of an earlier one stays.
    mutating func stopPageLoads(_ cause: Cause, _ effects: inout EffectBuffer) {
        for direction in PageDirection.allCases {
            guard var load = side?[direction], load.phase != .idle else { continue }
            if load.phase == .loading { effects.add(.stopPage(direction)) }
            load.phase = .idle
            set(load, direction)
            effects.event(.cancelled, cause)
            settlePage(direction, .cancelled, &effects)
            changed()
        }
    }

    /// Page loads may be asked again as if none had failed.
    mutating func forgetPageErrors(_ effects: inout EffectBuffer) {
        for direction in PageDirection.allCases {
            guard var load = side?[direction], load.error != nil else { continue }
            effects.discard(load.error)
            load.error = nil
            set(load, direction)
        }
    }

    /// The refresh is over. Loads that waited for it start; who waited for a load that it replaced is answered.
    mutating func startWaitingPages(_ settlement: Settlement, _ moment: Moment, _ effects: inout EffectBuffer) {
        guard side != nil, flight == nil else { return }
        for direction in PageDirection.allCases {
            guard var load = side?[direction] else { continue }
            switch load.phase {
            case .waiting where shown != nil:
                startPage(direction, moment, &effects)
            case .waiting, .first, .idle:
                load.phase = .idle
                set(load, direction)
                settlePage(direction, settlement, &effects)
            case .loading, .backingOff:
                break
            }
        }
    }

    mutating func resumePages(_ moment: Moment, _ effects: inout EffectBuffer) {
        guard side != nil, flight == nil else { return }
        for direction in PageDirection.allCases { startPage(direction, moment, &effects) }
    }

    mutating func retryPages(_ moment: Moment, _ effects: inout EffectBuffer) {
        guard side != nil, flight == nil else { return }
        for direction in PageDirection.allCases {
            guard var load = side?[direction], case .backingOff(let until) = load.phase, until <= moment.now
            else { continue }
            load.phase = .waiting
            set(load, direction)
            startPage(direction, moment, &effects)
        }
    }

    mutating func set(_ load: PageFlight, _ direction: PageDirection) {
        side = (side ?? SideWork()).replacing(direction, with: load)
    }

    private mutating func settlePage(
        _ direction: PageDirection, _ settlement: Settlement, _ effects: inout EffectBuffer
    ) {
        guard var load = side?[direction], load.waiters > 0 else { return }
        load.waiters = 0
        set(load, direction)
        effects.add(.settlePage(direction, settlement))
    }
}

extension PageDirection {
    var cause: Cause { self == .next ? .nextPage : .previousPage }
}
