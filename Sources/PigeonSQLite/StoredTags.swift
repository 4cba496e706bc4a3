internal import Foundation

/// A record's tags in one column, each preceded by its length: `4:feed7:user/42`.
enum StoredTags {
    /// Encodes tags. Returns `nil` for no tags.
    static func bytes(of tags: [String]) -> Data? {
        guard !tags.isEmpty else { return nil }
        var bytes = Data()
        for tag in tags {
            bytes.append(contentsOf: "\(tag.utf8.count):".utf8)
            bytes.append(contentsOf: tag.utf8)
        }
        return bytes
    }

    /// Decodes tags. Returns `nil` if the bytes are not tags.
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

    /// Returns a tag as it is stored in the index.
    static func indexed(_ tag: String) -> Data { Data(tag.storedForm.utf8) }
}
