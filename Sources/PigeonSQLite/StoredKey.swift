internal import Foundation
internal import PigeonCore

/// A key as it lies in the file: `/` and the canonical text, in UTF-8.
///
/// The slash keeps the bytes of an empty key from being taken for NULL.
struct StoredKey {
    let bytes: Data

    init(_ key: QueryKey) {
        bytes = Data("/\(key.queryKeyValue.storedForm)".utf8)
    }

    /// The first bytes that a key below this one can have.
    var firstBelow: Data { bytes + [UInt8(ascii: "/")] }

    /// The first bytes after all that a key below this one can have: `0` follows `/`.
    var endBelow: Data { bytes + [UInt8(ascii: "/") + 1] }

    /// The key that was stored. `nil` when the bytes are none.
    static func key(from bytes: Data) -> QueryKey? {
        bytes.withUnsafeBytes { bytes -> QueryKey? in
            guard bytes.first == UInt8(ascii: "/") else { return nil }
            let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
            // Decoding repairs what is not UTF-8: then it is not what was stored.
            guard text.utf8.elementsEqual(bytes.dropFirst()) else { return nil }
            return QueryKey(canonical: text)
        }
    }
}

extension String {
    /// One spelling for all that Swift calls equal: without it, equal keys could be two records.
    var storedForm: String {
        utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping
    }
}
