internal import Foundation
internal import PigeonCore

/// A record's validators in one column: the entity tag and the date, each preceded by its length. A missing one is
/// empty.
enum StoredValidators {
    /// Encodes validators. Returns `nil` for no validators.
    static func bytes(of validators: FetchValidators) -> Data? {
        guard !validators.isEmpty else { return nil }
        return StoredTags.bytes(of: [validators.eTag ?? "", validators.lastModified ?? ""])
    }

    /// Decodes validators. Returns `nil` if the bytes are not validators.
    static func validators(from bytes: Data) -> FetchValidators? {
        guard let parts = StoredTags.tags(from: bytes), parts.count == 2 else { return nil }
        return FetchValidators(
            eTag: parts[0].isEmpty ? nil : parts[0], lastModified: parts[1].isEmpty ? nil : parts[1])
    }
}
