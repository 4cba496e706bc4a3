/// What the first of some bytes mean, and how many those are.
enum KeyStep: Equatable {
    case key(Key, count: Int)
    case text(Unicode.Scalar, count: Int)
    case pasteBegins(count: Int)
    /// Bytes that mean nothing here.
    case noise(count: Int)
    /// More bytes are needed.
    case incomplete

    /// - Parameter bytes: At least one byte.
    init(_ bytes: [UInt8]) {
        switch bytes[0] {
        case 0x1b: self = Self.escaped(bytes)
        case 0x0a, 0x0d: self = .key(.enter, count: 1)
        case 0x09: self = .key(.tab, count: 1)
        case 0x08, 0x7f: self = .key(.backspace, count: 1)
        case 0x00...0x1f: self = .key(.control(Self.controlled(bytes[0])), count: 1)
        default: self = Self.scalar(bytes)
        }
    }

    /// The sign that gives a control byte together with Control.
    private static func controlled(_ byte: UInt8) -> Character {
        switch byte {
        case 0: " "
        case 1...26: Character(Unicode.Scalar(byte + 0x60))
        default: Character(Unicode.Scalar(byte + 0x40))
        }
    }

    private static func scalar(_ bytes: [UInt8]) -> KeyStep {
        let length = bytes[0].sequenceLength
        guard length > 0 else { return .text("\u{FFFD}", count: 1) }
        let part = bytes.prefix(length)
        if let wrong = part.dropFirst().firstIndex(where: { !(0x80...0xbf).contains($0) }) {
            return .text("\u{FFFD}", count: wrong)
        }
        guard part.count == length else { return .incomplete }
        guard let text = String(validating: part, as: UTF8.self), let scalar = text.unicodeScalars.first else {
            return .text("\u{FFFD}", count: length)
        }
        return scalar.isControl ? .noise(count: length) : .text(scalar, count: length)
    }

    private static func escaped(_ bytes: [UInt8]) -> KeyStep {
        guard bytes.count > 1 else { return .incomplete }
        switch bytes[1] {
        case 0x1b: return .key(.escape, count: 1)
        case UInt8(ascii: "["): return ControlSequence.step(bytes)
        case UInt8(ascii: "O"):
            guard bytes.count > 2 else { return .incomplete }
            guard let key = ControlSequence.letters[bytes[2]] else { return .noise(count: 3) }
            return .key(key, count: 3)
        default: return alt(KeyStep(Array(bytes.dropFirst())))
        }
    }

    private static func alt(_ step: KeyStep) -> KeyStep {
        switch step {
        case .text(let scalar, let count): .key(.alt(Character(scalar)), count: count + 1)
        case .key(.backspace, let count): .key(.control("w"), count: count + 1)
        // Escape and then a key of its own, both pressed fast or sent by a program.
        case .key: .key(.escape, count: 1)
        case .noise(let count): .noise(count: count + 1)
        case .pasteBegins, .incomplete: step
        }
    }
}

extension UInt8 {
    /// The bytes of the UTF-8 sequence that begins with this one; 0 for none.
    fileprivate var sequenceLength: Int {
        switch self {
        case 0x00...0x7f: 1
        case 0xc2...0xdf: 2
        case 0xe0...0xef: 3
        case 0xf0...0xf4: 4
        default: 0
        }
    }
}
