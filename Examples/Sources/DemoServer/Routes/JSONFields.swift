import DemoHTTP
import Foundation

/// The fields of a JSON object, before they are known to make a record.
struct JSONFields {
    private var fields: [String: Any]

    init(_ body: Data) throws(Refusal) {
        guard let fields = try? JSONSerialization.jsonObject(with: body) as? [String: Any] else {
            throw .badRequest("the body is not a JSON object")
        }
        self.fields = fields
    }

    init(of record: some Encodable) throws {
        try self.init(JSONEncoder().encode(record))
    }

    /// Returns these fields with those of another object in place of, or added to, them.
    func merging(_ other: JSONFields) -> JSONFields {
        var merged = self
        merged.fields.merge(other.fields) { _, new in new }
        return merged
    }

    /// Makes a record with this identifier, whatever the fields say of it.
    func record<Record: BlogRecord>(_ type: Record.Type, id: Int) throws -> Record {
        var identified = self
        identified.fields["id"] = id
        return try identified.decode(type)
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: JSONSerialization.data(withJSONObject: fields))
        } catch let error as DecodingError {
            throw Refusal.badRequest(error.complaint)
        }
    }
}

extension DecodingError {
    /// Names the field, never its value.
    fileprivate var complaint: String {
        switch self {
        case .keyNotFound(let key, let context): "field '\(context.path(to: key))' is missing"
        case .typeMismatch(let type, let context): "field '\(context.path())' must be of type \(type)"
        case .valueNotFound(let type, let context): "field '\(context.path())' must be of type \(type), not null"
        case .dataCorrupted(let context): "field '\(context.path())' cannot be read"
        @unknown default: "the body cannot be read"
        }
    }
}

extension DecodingError.Context {
    fileprivate func path(to last: (any CodingKey)? = nil) -> String {
        (codingPath + (last.map { [$0] } ?? [])).map(\.stringValue).joined(separator: ".")
    }
}
