@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension Simulation {
    /// Finds fewer actions that break the same rule. Omits smaller and smaller parts, and then simplifies arguments.
    ///
    /// The method is delta debugging (Zeller and Hildebrandt, 2002), bounded so that it ends within some hundred runs.
    func shrink(_ actions: [SimulatedAction], _ rule: SimulationRule) -> [SimulatedAction] {
        var best = actions
        var runs = 0
        func breaks(_ candidate: [SimulatedAction]) -> Bool {
            guard runs < 2_000 else { return false }
            runs += 1
            return play(candidate).failure?.rule == rule
        }
        var size = max(1, best.count / 2)
        while true {
            var start = 0
            var isShorter = false
            while start < best.count {
                var candidate = best
                candidate.removeSubrange(start..<min(start + size, best.count))
                if breaks(candidate) {
                    best = candidate
                    isShorter = true
                } else {
                    start += size
                }
            }
            if size == 1, !isShorter { break }
            if size > 1 || !isShorter { size = max(1, size / 2) }
        }
        for index in best.indices {
            for simpler in best[index].simpler {
                var candidate = best
                candidate[index] = simpler
                guard breaks(candidate) else { continue }
                best = candidate
                break
            }
        }
        return best
    }
}

extension SimulatedAction {
    /// The same action with simpler arguments, the simplest first.
    fileprivate var simpler: [SimulatedAction] {
        switch self {
        case .observe(let key, false): [.observe(key, isEnabled: true)]
        case .unobserve(let index) where index > 0: [.unobserve(0), .unobserve(1)]
        case .answer(let index) where index > 0: [.answer(0), .answer(1)]
        case .receive(let index) where index > 0: [.receive(0), .receive(1)]
        case .duplicate(let index) where index > 0: [.duplicate(0), .duplicate(1)]
        case .fail(_, let failure): [.fail(0, .unavailable), .fail(0, failure), .fail(1, failure)]
        case .cancelWait(let index) where index > 0: [.cancelWait(0)]
        case .iterate(let index) where index > 0: [.iterate(0)]
        case .wait(let seconds) where seconds > 1: [1, 3, 8, 30].filter { $0 < seconds }.map { .wait($0) }
        case .slowDisk(let seconds) where seconds > 1: [.slowDisk(1), .slowDisk(3)].filter { $0 != self }
        case .flipBit(let index, let bit) where index > 0: [.flipBit(0, bit: bit), .flipBit(1, bit: bit)]
        case .set(let key, true): [.set(key, keeps: false)]
        case .update(let key, true): [.update(key, keeps: false)]
        case .change(let key, let choice) where choice > 1: [.change(key, 1), .change(key, 0)]
        case .mutate(let key, let style): style.simpler.map { .mutate(key, $0) }
        case .invalidate(let filter, let scope): filter.simpler.map { .invalidate($0, scope) }
        case .restart(let flushes, let clock, let losesBatch) where clock != 0 || losesBatch:
            [
                .restart(flushes: flushes, clock: 0, losesBatch: false),
                .restart(flushes: flushes, clock: 0, losesBatch: losesBatch),
            ]
        case .interrupt(let moment, let action): action.simpler.map { .interrupt(moment, $0) }
        default: []
        }
    }
}

extension SimulatedEditStyle {
    fileprivate var simpler: [Self] {
        var (plain, quiet, direct) = (Self(), self, self)
        plain.shows = shows
        plain.writes = writes
        quiet.isScoped = false
        quiet.isIdempotent = false
        direct.invalidates = false
        return [Self(), plain, quiet, direct].filter { $0 != self }
    }
}

extension SimulatedFilter {
    fileprivate var simpler: [Self] {
        if case .key = self { [] } else { [.key("a/1"), .key("b/2")] }
    }
}
