internal import Foundation

/// Detects a row whose bytes were changed on disk. It has 64 bits. That of a record covers the key and all columns.
///
/// It is neither secret nor a signature: any process that can write the file can compute a matching checksum.
struct Checksum {
    private var sum: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// Initial values of the additional sums for long values: digits of pi, which are arbitrary.
    private static let starts: (UInt64, UInt64, UInt64) = (
        0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344, 0xA409_3822_299F_31D0
    )

    var value: Int64 { Int64(bitPattern: sum) }

    mutating func add(_ word: UInt64) {
        sum = Self.mixed(sum, word)
    }

    mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }

    private static func mixed(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        let product = (sum ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return (product.high ^ product.low) &+ 0x9E37_79B9_7F4A_7C15
    }

    /// Adds bytes and their count.
    mutating func add(_ bytes: Data?) {
        guard let bytes else { return add(UInt64.max) }
        add(UInt64(bytes.count))
        bytes.withUnsafeBytes { bytes in
            var offset = 0
            if bytes.count >= 32 {
                // Computes four sums in parallel, because they hide the latency of multiplication.
                var (first, second, third, fourth) = (sum, Self.starts.0, Self.starts.1, Self.starts.2)
                while offset &+ 32 <= bytes.count {
                    first = Self.mixed(first, bytes.word(at: offset))
                    second = Self.mixed(second, bytes.word(at: offset &+ 8))
                    third = Self.mixed(third, bytes.word(at: offset &+ 16))
                    fourth = Self.mixed(fourth, bytes.word(at: offset &+ 24))
                    offset &+= 32
                }
                sum = first
                add(second)
                add(third)
                add(fourth)
            }
            while offset &+ 8 <= bytes.count {
                add(bytes.word(at: offset))
                offset &+= 8
            }
            guard offset < bytes.count else { return }
            add(bytes[offset...].reduce(0) { $0 << 8 | UInt64($1) })
        }
    }

    /// Adds a number. SQLite does not preserve the sign of zero.
    mutating func add(_ number: Double?) {
        add(number.map { $0 == 0 ? 0 : $0.bitPattern } ?? .max)
    }
}

extension Checksum {
    init(
        key: Data, savedAt: Double?, schema: Int64, freshFor: Double?, validators: Data?, tags: Data?, data: Data
    ) {
        add(key)
        add(savedAt)
        add(schema)
        add(freshFor)
        add(validators)
        add(tags)
        add(data)
    }

    /// The checksum of a record with or without the stale mark. Marking changes only this and the mark, so that a
    /// statement can do it without the other columns.
    func value(isStale: Bool) -> Int64 { isStale ? ~value : value }
}

extension UnsafeRawBufferPointer {
    fileprivate func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
