internal import Foundation

/// Reads the parts in which a value is stored.
protocol PartReader {
    /// Returns the part at a key. `nil` if there is none.
    func part<Part: Codable>(_ type: Part.Type, at key: QueryKey) throws -> Part?
}

/// Reads parts from a cache of values.
struct CachedParts: PartReader {
    let cache: any QueryCacheType

    func part<Part: Codable>(_ type: Part.Type, at key: QueryKey) -> Part? {
        cache.get(for: key)
    }
}

/// Reads parts from a store of records.
struct StoredParts: PartReader {
    let store: any QueryRecordStore
    /// The key of the value's own record, which has been read already.
    let key: QueryKey
    let record: QueryRecord

    func part<Part: Codable>(_ type: Part.Type, at key: QueryKey) throws -> Part? {
        let record = key == self.key ? record : try store.record(for: key)
        return try record.map { try RecordData.part(type, from: $0.data) }
    }
}

/// A part that always encodes as an object or array, so that a record contains it without a wrapper.
protocol SelfContainedPart {}

/// Encodes and decodes the bytes of a record. They are JSON. A part that may be a bare string or number is wrapped in
/// an array.
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
