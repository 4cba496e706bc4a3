internal import Foundation

/// Bodies in gzip coding (RFC 1951 and 1952).
enum Gzip {
    /// "hello hello hello hello"
    static let hello = Array(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAJwHjUT2NFwAAAA==") ?? Data())

    /// A few bytes that inflate to very many zeros.
    ///
    /// - Parameter size: How many bytes come out, about.
    static func bomb(inflatingTo size: Int) -> [UInt8] {
        var bits = BitWriter()
        bits.append(0b011, count: 3)  // the last block, with fixed codes (RFC 1951, 3.2.6)
        bits.append(0b0000_1100, count: 8)  // a zero
        let start = bits.bytes.count
        for _ in 0..<8 {
            bits.append(0b1010_0011, count: 8)  // 258 bytes more …
            bits.append(0, count: 5)  // … as the one before
        }
        // Eight of them are whole bytes, which repeat.
        let period = bits.bytes[start...]
        var bomb: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + bits.bytes[..<start]
        for _ in 0..<(size / 258 / 8) { bomb += period }
        return bomb
    }

    private struct BitWriter {
        private(set) var bytes: [UInt8] = []
        private var open: UInt32 = 0
        private var count: UInt32 = 0

        /// Appends bits, the lowest first.
        mutating func append(_ value: UInt32, count more: UInt32) {
            open |= value << count
            count += more
            while count >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: open))
                open >>= 8
                count -= 8
            }
        }
    }
}
