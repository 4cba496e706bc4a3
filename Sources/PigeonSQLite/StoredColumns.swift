internal import Foundation
internal import PigeonCore

/// A key as it is stored in the file: `/` and the canonical text, in UTF-8.
///
/// Without the slash, an empty key would be stored as NULL.
struct StoredKey {
    let bytes: Data

    init(_ key: QueryKey) {
        bytes = Data("/\(key.queryKeyValue.storedForm)".utf8)
    }

    var firstBelow: Data { bytes + [UInt8(ascii: "/")] }

    /// The first bytes after all that a key below this one can have: `0` follows `/`.
    var endBelow: Data { bytes + [UInt8(ascii: "/") + 1] }

    /// The first bytes after all that a key with the same parent, or a key below one, can have.
    var endOfSiblings: Data {
        let slash = bytes.lastIndex(of: UInt8(ascii: "/")) ?? bytes.startIndex
        return bytes[..<slash] + [UInt8(ascii: "/") + 1]
    }

    /// Returns the key for stored bytes. `nil` if they are not a key.
    static func key(from bytes: Data) -> QueryKey? {
        bytes.withUnsafeBytes { bytes -> QueryKey? in
            guard bytes.first == UInt8(ascii: "/") else { return nil }
            let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
            // Decoding replaces invalid UTF-8, so the text then differs from the stored bytes.
            guard text.utf8.elementsEqual(bytes.dropFirst()) else { return nil }
            return QueryKey(canonical: text)
        }
    }
}

extension String {
    /// The text in a normalized form. Without it, strings that Swift considers equal could be two records.
    var storedForm: String {
        utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping
    }
}

/// A record's tags in one column, each preceded by its length: `4:feed7:user/42`.
enum StoredTags {
    /// Returns `nil` for no tags.
    static func bytes(of tags: [String]) -> Data? {
        guard !tags.isEmpty else { return nil }
        var bytes = Data()
        for tag in tags {
            bytes.append(contentsOf: "\(tag.utf8.count):".utf8)
            bytes.append(contentsOf: tag.utf8)
        }
        return bytes
    }

    /// Returns `nil` if the bytes are not tags.
    static func tags(from bytes: Data) -> [String]? {
        var tags: [String] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let colon = rest.firstIndex(of: UInt8(ascii: ":")),
                let count = Int(String(decoding: rest[..<colon], as: UTF8.self)),
                count >= 0, count <= rest.endIndex - colon - 1
            else { return nil }
            let start = colon + 1
            tags.append(String(decoding: rest[start..<start + count], as: UTF8.self))
            rest = rest[(start + count)...]
        }
        return tags
    }

    static func indexed(_ tag: String) -> Data { Data(tag.storedForm.utf8) }

    /// Returns a tag of the index as SQLite's `hex` does.
    static func hex(of tag: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: tag.storedForm.utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// The validators of a record and the limits for its stale value, in one column: the entity tag and the date, and then, if
/// the server named one, the limits in seconds. Each is preceded by its length. A missing one is empty.
struct StoredMetadata {
    var validators = FetchValidators()
    var staleWhileRevalidate: TimeInterval?
    var staleIfError: TimeInterval?

    /// Returns `nil` if the record has no terms.
    static func bytes(of record: QueryRecord) -> Data? {
        let times = [record.staleWhileRevalidate, record.staleIfError]
        let hasTimes = times.contains { $0 != nil }
        guard hasTimes || !record.validators.isEmpty else { return nil }
        let texts = [record.validators.eTag ?? "", record.validators.lastModified ?? ""]
        return StoredTags.bytes(of: hasTimes ? texts + times.map { $0?.description ?? "" } : texts)
    }

    init() {}

    /// Returns `nil` if the bytes are no terms.
    init?(from bytes: Data) {
        guard let parts = StoredTags.tags(from: bytes), parts.count == 2 || parts.count == 4 else { return nil }
        validators = FetchValidators(
            eTag: parts[0].isEmpty ? nil : parts[0], lastModified: parts[1].isEmpty ? nil : parts[1])
        guard parts.count == 4 else { return }
        func time(_ text: String) -> TimeInterval?? { text.isEmpty ? .some(nil) : TimeInterval(text).map { .some($0) } }
        guard let whileRevalidating = time(parts[2]), let ifError = time(parts[3]) else { return nil }
        (staleWhileRevalidate, staleIfError) = (whileRevalidating, ifError)
    }
}

/// The time at which a record was saved, in seconds since 2001, which a `Date` stores without rounding.
enum StoredTime {
    private static let possible =
        Date.distantPast.timeIntervalSinceReferenceDate...Date.distantFuture.timeIntervalSinceReferenceDate

    /// Returns `nil` for an impossible time, such as NaN.
    static func seconds(of date: Date) -> Double? {
        let seconds = date.timeIntervalSinceReferenceDate
        return possible.contains(seconds) ? seconds : nil
    }

    /// Returns the date for stored seconds. An impossible time becomes the oldest date, so that the record counts as
    /// stale.
    static func date(from seconds: Double) -> Date {
        guard possible.contains(seconds) else { return .distantPast }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}
