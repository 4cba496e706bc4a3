/// Gives the same numbers for the same seed on every platform (SplitMix64).
package struct SeededRandom {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }

    /// Returns a number below a bound that is at least 1.
    package mutating func number(below bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }

    package mutating func number(in range: ClosedRange<Int>) -> Int {
        range.lowerBound + number(below: range.count)
    }

    /// Returns one of the words of a list that is not empty.
    package mutating func pick(_ words: [String]) -> String {
        words[number(below: words.count)]
    }
}
