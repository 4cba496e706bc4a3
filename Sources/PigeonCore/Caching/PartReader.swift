internal import Foundation

/// Reads the parts that a value is kept as.
protocol PartReader {
    /// `nil` if there is no such part.
    func part<Part: Codable>(_ type: Part.Type, at key: QueryKey) throws -> Part?
}

/// The parts in a cache that takes and gives values.
struct CachedParts: PartReader {
    let cache: any QueryCacheType

    func part<Part: Codable>(_ type: Part.Type, at key: QueryKey) -> Part? {
        cache.get(for: key)
    }
}

/// The parts in a store of records.
struct StoredParts: PartReader {
    let store: any QueryRecordStore
    /// The value's own record, which was read already.
    let key: QueryKey
    let record: QueryRecord

    func part<Part: Codable>(_ type: Part.Type, at key: QueryKey) throws -> Part? {
        let record = key == self.key ? record : try store.record(for: key)
        return try record.map { try RecordData.part(type, from: $0.data) }
    }
}

/// A part that its coder always writes as an object or array, and that records hold as it is.
protocol SelfContainedPart {}

/// The bytes of a record: JSON, in which a part that may be a bare string or number stands in an array of its own.
enum RecordData {
    static func data<Part: Codable>(of part: Part) throws -> Data {
        Part.self is any SelfContainedPart.Type
            ? try JSONEncoder().encode(part) : try JSONEncoder().encode(Wrapped(value: part))
    }

    static func part<Part: Codable>(_ type: Part.Type, from data: Data) throws -> Part {
        guard type is any SelfContainedPart.Type else {
            return try JSONDecoder().decode(Wrapped<Part>.self, from: data).value
        }
        return try JSONDecoder().decode(type, from: data)
    }
}
