internal import PigeonCore

/// A random number generator with a seed. The same seed produces the same bits on every platform.
///
/// The generator is SplitMix64 (Steele, Lea and Flood, 2014).
public final class SeededRandom: Sendable {
    private let state: Locked<UInt64>

    /// Creates a generator.
    public init(seed: UInt64) {
        state = Locked(seed)
    }

    /// Returns the next 64 bits.
    public func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var bits = state
            bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
            bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
            return bits ^ (bits >> 31)
        }
    }

    /// Returns a number from 0 up to, but not including, `bound`, which must be positive.
    public func below(_ bound: Int) -> Int {
        Int(next() % UInt64(max(1, bound)))
    }

    /// Returns `true` with a probability of 1 to `count`.
    public func once(in count: Int) -> Bool {
        below(count) == 0
    }

    /// Returns a random element. `nil` if there are none.
    public func pick<C: RandomAccessCollection>(_ elements: C) -> C.Element? where C.Index == Int {
        elements.isEmpty ? nil : elements[elements.startIndex + below(elements.count)]
    }
}
