import Foundation

/// A few bytes of gzip that inflate to a large number of bytes.
enum Bomb {
    /// - Parameter size: The approximate number of inflated bytes.
    static func gzip(inflatingTo size: Int) -> Data {
        var bits = BitWriter()
        bits.append(0b011, count: 3)  // the last block, with fixed codes (RFC 1951, 3.2.6)
        bits.append(0b0000_1100, count: 8)  // a zero
        let start = bits.bytes.count
        for _ in 0..<8 {
            bits.append(0b1010_0011, count: 8)  // 258 more bytes …
            bits.append(0, count: 5)  // … equal to the one before
        }
        // Eight of these copies fill whole bytes, which are then repeated.
        let period = bits.bytes[start...]
        var bomb = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]) + bits.bytes[..<start]
        for _ in 0..<(size / 258 / 8) { bomb += period }
        return bomb
    }

    private struct BitWriter {
        private(set) var bytes: [UInt8] = []
        private var open: UInt32 = 0
        private var count: UInt32 = 0

        /// Appends bits, the lowest bit first.
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

/// The most memory that the process has ever used, in bytes.
func mostMemory() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
}
