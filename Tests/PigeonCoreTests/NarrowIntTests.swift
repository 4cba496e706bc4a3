import Foundation
import Testing

@testable import PigeonCore

/// On older watches, `Int` has 32 bits. Here it has 64, so the calculations are tested with `Int32`, or with numbers that
/// are too large for 64 bits.
@Suite("Delays and sizes where Int has 32 bits")
struct NarrowIntTests {
    @Test(
        "A timer's delay of more than 2.1 s is not cut off",
        arguments: [
            (0, 0, 0), (1, 0, 1), (2_147_483_648, 2, 147_483_648), (3_600_000_000_000, 3600, 0),
            (86_400_000_000_001, 86_400, 1), (-1_500_000_000, -1, -500_000_000), (.max, .max, 854_775_807),
        ] as [(Int64, Int32, Int32)])
    func delays(nanoseconds: Int64, seconds: Int32, rest: Int32) {
        let delay = TimerDelay<Int32>(nanoseconds: nanoseconds)
        #expect(delay.seconds == seconds)
        #expect(delay.nanoseconds == rest)
    }

    @Test("A delay is exact where Int has 64 bits")
    func wideDelay() {
        let delay = TimerDelay<Int64>(nanoseconds: .max)
        #expect(delay.seconds * 1_000_000_000 + delay.nanoseconds == .max)
    }

    @Test("More minutes and hours than can be counted are the most that can, and end no program")
    func longTimes() {
        #expect(Duration.minutes(Int64.max) == .seconds(Int64.max))
        #expect(Duration.hours(Int64.min) == .seconds(Int64.min))
        #expect(Duration.hours(Int32.max) == .seconds(7_730_941_129_200 as Int64))
        #expect(StaleTime.minutes(.max) == .after(.seconds(Int64.max)))
        #expect(StaleTime.hours(.max) == .after(.seconds(Int64.max)))
        #expect(StaleTime.hours(.min) == .zero)
    }

    @Test("Sums and products are clamped")
    func clamping() {
        #expect(Int32(2_000_000_000).clampedSum(with: 1_000_000_000) == .max)
        #expect(Int32(-2_000_000_000).clampedSum(with: -1_000_000_000) == .min)
        #expect(Int32(2).clampedSum(with: -3) == -1)
        #expect(Int32(100_000).clampedProduct(with: 100_000) == .max)
        #expect(Int32(100_000).clampedProduct(with: -100_000) == .min)
        #expect(Int32.min.clampedProduct(with: -1) == .max)
        #expect(Int32(7).clampedProduct(with: -3) == -21)
    }

    @Test("The size of an array whose first element is large is clamped")
    func largeEstimate() {
        // Each array has the next one many times, but all are one in memory.
        let row = [UInt8](repeating: 0, count: 1 << 16)
        let table = Array(repeating: row, count: 1 << 16)
        let book = Array(repeating: table, count: 1 << 16)
        let shelf = Array(repeating: book, count: 1 << 16)
        let size = ValueCost.estimate(shelf)
        #expect(size == .max)
    }

    @Test("The total of a cache's sizes is clamped")
    func totals() {
        let sizes: [(bytes: Int, savedAt: Date)] = [
            (.max, Date(timeIntervalSince1970: 0)), (1, Date(timeIntervalSince1970: 1)),
        ]
        #expect(QueryCacheTotals(of: sizes).bytes == .max)
        #expect(QueryCacheTotals(of: sizes).records == 2)
    }
}
