/// A JSON value. Unlike fields that are left out, `null` is written.
indirect enum JSON: Encodable, Sendable {
    case string(String)
    case number(Int)
    case bool(Bool)
    case array([JSON])
    case object([String: JSON])
    case null

    static func text(_ text: String?) -> JSON {
        text.map(JSON.string) ?? .null
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        case .null: try container.encodeNil()
        }
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral, ExpressibleByBooleanLiteral {
    init(stringLiteral value: String) {
        self = .string(value)
    }

    init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }

    /// This object with more fields, which win; anything else stays as it is.
    func adding(_ fields: [String: JSON]) -> JSON {
        guard case .object(let own) = self else { return self }
        return .object(own.merging(fields) { _, new in new })
    }
}
