/// Generates the actions of a run from a seed.
///
/// Each seed chooses the frequency of each kind and the keys at random ("swarm testing"). Some runs page all the time
/// and never sign out, others only restart.
struct SimulatedScript {
    private typealias Maker = (inout SimulatedScript) -> SimulatedAction

    private let dice: SeededRandom
    private let keys: [String]
    private let lists: [String]
    private let sources: [String]
    private let paths: [String]
    private let tags: [String]

    init(seed: UInt64, keys: [String], lists: [String], sources: [String], tags: [String]) {
        dice = SeededRandom(seed: seed)
        var chosen = keys
        // With few keys, more actions concern the same key.
        let count = 2 + dice.below(max(1, keys.count - 1))
        while chosen.count > count { chosen.remove(at: dice.below(chosen.count)) }
        self.keys = chosen
        self.lists = lists.filter(chosen.contains)
        self.sources = sources.filter(chosen.contains)
        self.tags = tags
        let parents = keys.compactMap { key in key.lastIndex(of: "/").map { String(key[..<$0]) } }
        paths = Set(parents).sorted()
    }

    mutating func make(_ count: Int) -> [SimulatedAction] {
        let makers = weighted()
        let total = makers.reduce(0) { $0 + $1.weight }
        return (0..<count).map { _ in
            var choice = dice.below(total)
            for (weight, make) in makers {
                if choice < weight { return make(&self) }
                choice -= weight
            }
            return .wait(1)
        }
    }

    /// Returns the kinds with their weights. Always includes the kinds that a run needs to make progress.
    private func weighted() -> [(weight: Int, make: Maker)] {
        let needed: [(Int, Maker)] = [
            (120, { .observe($0.key, isEnabled: !$0.dice.once(in: 8)) }),
            (60, { .unobserve($0.index) }),
            (160, { .answer($0.index) }),
            (40, { .receive($0.index) }),
            (60, { .wait([1, 1, 3, 8, 30, 400][$0.dice.below(6)]) }),
        ]
        var optional: [(Int, Maker)] = [
            (80, { .fetch($0.key, $0.pick(SimulatedFetch.allCases)) }),
            (60, { .fail($0.index, $0.failure) }),
            (30, { .yield($0.index) }),
            (25, { .duplicate($0.index) }),
            (25, { .cancelWait($0.index) }),
            (20, { .cancel($0.filter) }),
            (40, { .set($0.key, keeps: $0.dice.once(in: 3)) }),
            (40, { .update($0.key, keeps: $0.dice.once(in: 3)) }),
            (15, { .read($0.key) }),
            (60, { .change($0.key, $0.dice.below(30)) }),
            (60, { .invalidate($0.filter, $0.pick(SimulatedScope.allCases)) }),
            (60, { .mutate($0.key, $0.style) }),
            (20, { .network($0.dice.once(in: 2)) }),
            (20, { .foreground($0.dice.once(in: 2)) }),
            (5, { _ in .memoryPressure }),
            (8, { .reset($0.filter) }),
            (8, { .remove($0.filter) }),
            (6, { _ in .clear }),
            (8, { _ in .flush }),
            (8, { .disk(fails: $0.dice.once(in: 3)) }),
            (6, { .slowDisk([0, 0, 1, 3, 8][$0.dice.below(5)]) }),
            (4, { .tearRecord($0.index) }),
            (6, { .flipBit($0.index, bit: $0.dice.below(1_000)) }),
            (
                8,
                {
                    .restart(
                        flushes: $0.dice.once(in: 2), clock: [0, 0, 5, 3600, -3600][$0.dice.below(5)],
                        losesBatch: $0.dice.once(in: 3))
                }
            ),
            (15, { .enable($0.index, $0.dice.once(in: 2)) }),
            (10, { .switchKey($0.index, $0.key) }),
            (15, { .iterate($0.index) }),
            (50, { .interrupt($0.pick(SimulatedMoment.allCases), $0.interruption) }),
        ]
        if !lists.isEmpty {
            optional += [
                (60, { .nextPage($0.pick($0.lists)) }), (15, { .previousPage($0.pick($0.lists)) }),
                (10, { .allPages($0.pick($0.lists)) }), (8, { .restartList($0.pick($0.lists)) }),
                (20, { .keepFirstPage($0.pick($0.lists)) }),
            ]
        }
        if !sources.isEmpty {
            optional += [
                (20, { .changeSource($0.pick($0.sources)) }), (5, { .emptySource($0.pick($0.sources)) }),
                (10, { .changeSourceOutside($0.pick($0.sources)) }), (20, { .holdSource($0.pick($0.sources)) }),
                (25, { .releaseSource($0.pick($0.sources)) }), (5, { .failSource($0.pick($0.sources)) }),
            ]
        }
        return needed + optional.map { weight, make in (weight * [0, 0, 1, 2, 4, 8][dice.below(6)] / 2, make) }
    }

    // MARK: Arguments

    private var key: String { pick(keys) }
    /// A number that mostly chooses the first candidate.
    private var index: Int { dice.once(in: 2) ? 0 : dice.below(60) }

    private func pick<Element>(_ elements: [Element]) -> Element { elements[dice.below(elements.count)] }

    private var filter: SimulatedFilter {
        switch dice.below(10) {
        case 0, 1: paths.isEmpty ? .key(key) : .path(pick(paths))
        case 2: tags.isEmpty ? .key(key) : .tag(pick(tags))
        case 3: .all
        case 4: .stale
        default: .key(key)
        }
    }

    private var failure: SimulatedFailure {
        switch dice.below(6) {
        case 0: .refused
        case 1: .busy([2, 10, 60][dice.below(3)])
        case 2: .lost
        default: .unavailable
        }
    }

    private var style: SimulatedEditStyle {
        SimulatedEditStyle(
            shows: [.update, .update, .update, .update, .set, .nothing][dice.below(6)],
            writes: [.nothing, .nothing, .update, .set][dice.below(4)], invalidates: dice.once(in: 2),
            isScoped: dice.once(in: 3), isIdempotent: dice.once(in: 3))
    }

    /// An action to perform within user code, as another thread might at that time.
    private var interruption: SimulatedAction {
        switch dice.below(16) {
        case 0: .set(key, keeps: dice.once(in: 2))
        case 1: .set(key, keeps: true)
        case 2: .update(key, keeps: true)
        case 3: .invalidate(filter, pick(SimulatedScope.allCases))
        case 4: .clear
        case 5: .reset(filter)
        case 6: .remove(filter)
        case 7: .cancel(filter)
        case 8: .wait([1, 8, 30, 400][dice.below(4)])
        case 9: .wait(8)
        case 10: .observe(key, isEnabled: true)
        case 11: .unobserve(index)
        case 12: .iterate(index)
        case 13: .fetch(key, pick(SimulatedFetch.allCases))
        case 14: .answer(index)
        default: .mutate(key, style)
        }
    }
}
