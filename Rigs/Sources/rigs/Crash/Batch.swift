internal import PigeonCore

/// What a writer does between two acknowledgements. It follows from the seed, so that the writer carries it out and the
/// rig knows what must be in the file.
struct Batch {
    enum Step {
        case set(slot: Int, size: Int)
        case update(slot: Int)
        case remove(slot: Int)
        /// A mutation, which the server confirms or refuses.
        case rename(slot: Int, isRefused: Bool)
        case removePath
        case invalidate
        case clear
    }

    static let slots = 48

    let number: Int
    let steps: [Step]

    /// - Parameter mayClear: False if another writer shares the file, whose values a `clear()` would remove too.
    init(_ number: Int, of writer: Int, seed: UInt64, mayClear: Bool) {
        self.number = number
        var random = SeededRandom(seed, writer, number)
        steps = (0..<random.number(1..<25)).map { _ in Self.step(&random, mayClear: mayClear) }
    }

    private static func step(_ random: inout SeededRandom, mayClear: Bool) -> Step {
        let slot = random.number(0..<slots)
        switch random.number(0..<400) {
        case 0..<240: return .set(slot: slot, size: random.chance(20) ? 40_000 : random.number(0..<2000))
        case 240..<280: return .update(slot: slot)
        case 280..<320: return .rename(slot: slot, isRefused: random.chance(3))
        case 320..<370: return .remove(slot: slot)
        case 370..<394: return .invalidate
        case 394..<397: return .removePath
        default: return mayClear ? .clear : .invalidate
        }
    }

    static func path(_ writer: Int) -> QueryKey { QueryKey("crash", writer) }
    static func key(_ writer: Int, _ slot: Int) -> QueryKey { QueryKey("crash", writer, slot) }
    static func observedKey(_ writer: Int) -> QueryKey { QueryKey("observed", writer) }
    static func owner(_ writer: Int, _ slot: Int) -> String { "\(writer)/\(slot)" }
}

/// The values that a writer's slots have, by the number of the batch that wrote them.
struct Shelf: Equatable {
    private(set) var numbers: [Int: Int] = [:]

    init(_ numbers: [Int: Int] = [:]) { self.numbers = numbers }

    /// Carries out a batch, and returns all values that any slot had meanwhile.
    mutating func apply(_ batch: Batch) -> [Int: Set<Int?>] {
        var seen: [Int: Set<Int?>] = [:]
        for step in batch.steps {
            switch step {
            case .set(let slot, _): numbers[slot] = batch.number
            case .update(let slot): if numbers[slot] != nil { numbers[slot] = batch.number }
            case .remove(let slot): numbers[slot] = nil
            case .removePath, .clear: numbers = [:]
            case .rename(let slot, let isRefused): if !isRefused, numbers[slot] != nil { numbers[slot] = batch.number }
            case .invalidate: continue
            }
            for slot in 0..<Batch.slots { seen[slot, default: []].insert(numbers[slot]) }
        }
        return seen
    }
}
