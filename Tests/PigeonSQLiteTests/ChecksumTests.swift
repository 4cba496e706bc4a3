import Foundation
import TestSupport
import Testing

@testable import PigeonSQLite

@Suite("the sum of a record", .rule("H13"))
struct ChecksumTests {
    private func sum(
        key: String = "/a", savedAt: Double? = 1, schema: Int64 = 0, freshFor: Double? = nil, validators: String? = nil,
        tags: String? = nil, data: Data = Data("text".utf8)
    ) -> Int64 {
        Checksum(
            key: Data(key.utf8), savedAt: savedAt, schema: schema, freshFor: freshFor,
            validators: validators.map { Data($0.utf8) }, tags: tags.map { Data($0.utf8) }, data: data
        ).value
    }

    @Test func `It tells each part from any other, also what is missing from what is empty`() {
        let sums = [
            sum(), sum(key: "/b"), sum(key: ""), sum(savedAt: nil), sum(savedAt: 0), sum(savedAt: 2), sum(schema: 1),
            sum(schema: -1), sum(freshFor: 0), sum(freshFor: 1), sum(validators: ""), sum(validators: "text"),
            sum(tags: ""), sum(tags: "text"), sum(data: Data()), sum(data: Data("text\0".utf8)),
            sum(key: "/atext", data: Data()), sum(key: "/", validators: "a"), sum(key: "/", tags: "a"),
        ]
        #expect(Set(sums).count == sums.count)
    }

    @Test(arguments: [1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100, 1000])
    func `It changes with each bit, and with each pair of neighbouring bytes that change places`(count: Int) {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 1) })
        var sums: Set<Int64> = [sum(data: data)]
        for byte in 0..<count {
            for bit in 0..<8 {
                var changed = data
                changed[byte] ^= 1 << bit
                sums.insert(sum(data: changed))
            }
        }
        for byte in 1..<max(1, count) {
            var changed = data
            changed.swapAt(byte, byte - 1)
            sums.insert(sum(data: changed))
        }
        #expect(sums.count == 1 + count * 8 + count - 1)
    }

    @Test func `Blocks that are the same, or the opposite, of each other count where they stand`() {
        let zeros = Data(count: 8)
        let ones = Data(repeating: 0xFF, count: 8)
        let blocks = (0..<256).map { pattern in
            (0..<8).reduce(into: Data()) { $0 += pattern >> $1 & 1 == 0 ? zeros : ones }
        }
        #expect(Set(blocks.map { sum(data: $0) }).count == 256)
        #expect(Set((0..<200).map { sum(data: Data(count: $0)) }).count == 200)
    }
}
