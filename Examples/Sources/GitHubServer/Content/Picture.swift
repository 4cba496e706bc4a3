import DemoHTTP
import Foundation

/// A small picture that a name decides: five by five squares of one colour, the same on both sides.
struct Picture {
    static let side = 40

    private let colour: [UInt8]
    private let squares: [Bool]

    init(of name: String) {
        let seed = name.utf8.reduce(UInt64(5381)) { $0 &* 33 &+ UInt64($1) }
        var random = SeededRandom(seed: seed)
        colour = (0..<3).map { _ in UInt8(random.number(in: 40...200)) }
        squares = (0..<15).map { _ in random.number(below: 2) == 0 }
    }

    private func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        let column = x * 5 / Self.side
        return squares[y * 5 / Self.side * 3 + min(column, 4 - column)] ? colour : [240, 240, 240]
    }

    /// The picture as a PNG file, without compression.
    var png: Data {
        var rows: [UInt8] = []
        for y in 0..<Self.side {
            rows.append(0)
            for x in 0..<Self.side { rows += pixel(x, y) }
        }
        let size = bytes(UInt32(Self.side))
        var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
        file += chunk("IHDR", size + size + [8, 2, 0, 0, 0])
        file += chunk("IDAT", stored(rows))
        file += chunk("IEND", [])
        return Data(file)
    }

    /// A zlib stream of one stored block (RFC 1950, 1951), which holds up to 65535 bytes.
    private func stored(_ content: [UInt8]) -> [UInt8] {
        let length = UInt16(content.count)
        let lengths = [length, ~length].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in content {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return [0x78, 0x01, 0x01] + lengths + content + bytes(high << 16 | low)
    }

    private func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + content
        return bytes(UInt32(content.count)) + checked + bytes(checksum(checked))
    }

    private func checksum(_ content: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in content {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
        }
        return ~sum
    }

    private func bytes(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian, Array.init)
    }
}
