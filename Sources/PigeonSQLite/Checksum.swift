internal import Foundation

/// Tells a record whose bytes the disk has changed: 64 bits of its key and of all that is kept for it, but for whether it was
/// marked as stale, which changes by itself.
///
/// It is no secret and no signature: who can write the file can make one that fits.
struct Checksum {
    private var sum: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// What stands in the file.
    var value: Int64 { Int64(bitPattern: sum) }

    mutating func add(_ word: UInt64) {
        let product = (sum ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        sum = (product.high ^ product.low) &+ 0x9E37_79B9_7F4A_7C15
    }

    /// Adds bytes and how many there are.
    mutating func add(_ bytes: Data?) {
        guard let bytes else { return add(UInt64.max) }
        add(UInt64(bytes.count))
        bytes.withUnsafeBytes { bytes in
            let whole = bytes.count & ~7
            for offset in stride(from: 0, to: whole, by: 8) {
                add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            }
            guard whole < bytes.count else { return }
            add(bytes[whole...].reduce(0) { $0 << 8 | UInt64($1) })
        }
    }

    /// Adds a number, which SQLite gives back without the sign of a zero.
    mutating func add(_ number: Double?) {
        add(number.map { $0 == 0 ? 0 : $0.bitPattern } ?? .max)
    }
}

extension Checksum {
    /// That of a record, as its columns have it.
    init(
        key: Data, savedAt: Double?, schema: Int64, freshFor: Double?, validators: Data?, tags: Data?, data: Data
    ) {
        add(key)
        add(savedAt)
        add(UInt64(bitPattern: schema))
        add(freshFor)
        add(validators)
        add(tags)
        add(data)
    }
}
