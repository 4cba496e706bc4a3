/// The sequences that begin with `ESC [` (ECMA-48, 5.4).
enum ControlSequence {
    /// The keys whose sequences end in a letter.
    static let letters: [UInt8: Key] = [
        UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
        UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end, UInt8(ascii: "Z"): .backTab, UInt8(ascii: "M"): .enter,
    ]
    private static let numbers: [Int: Key] = [
        1: .home, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
    ]
    /// No terminal sends a longer one.
    private static let longest = 32

    /// - Parameter bytes: Begins with `ESC [`.
    static func step(_ bytes: [UInt8]) -> KeyStep {
        // Function keys of the Linux console: `ESC [ [ A`.
        if bytes.count > 2, bytes[2] == UInt8(ascii: "[") {
            return bytes.count > 3 ? .noise(count: 4) : .incomplete
        }
        guard let end = bytes.dropFirst(2).firstIndex(where: { !(0x20...0x3f).contains($0) }) else {
            return bytes.count < longest ? .incomplete : .noise(count: bytes.count)
        }
        // What cannot be in a sequence ends it, and means what it means.
        guard (0x40...0x7e).contains(bytes[end]) else { return .noise(count: end) }
        let count = end + 1
        guard bytes[end] == UInt8(ascii: "~") else {
            return letters[bytes[end]].map { .key($0, count: count) } ?? .noise(count: count)
        }
        let number = Int(String(decoding: bytes[2..<end].prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self))
        if number == 200 { return .pasteBegins(count: count) }
        return number.flatMap { numbers[$0] }.map { .key($0, count: count) } ?? .noise(count: count)
    }
}
