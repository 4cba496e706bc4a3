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

    /// The first bytes that a key below this one can have.
    var firstBelow: Data { bytes + [UInt8(ascii: "/")] }

    /// The first bytes after all that a key below this one can have: `0` follows `/`.
    var endBelow: Data { bytes + [UInt8(ascii: "/") + 1] }

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
