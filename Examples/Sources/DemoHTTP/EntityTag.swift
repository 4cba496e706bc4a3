package import Foundation
package import NIOHTTP1

/// Names one state of a resource: equal content has an equal tag, in every run.
package struct EntityTag {
    /// The tag as a header carries it, quotes included.
    package let text: String

    /// - Parameters:
    ///   - about: What the headers say of the body, such as the size of the whole list that it is a page of.
    ///   - isWeak: Whether the tag promises only that the content means the same.
    package init(body: Data, about: String? = nil, isWeak: Bool = false) {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        Self.mix(body, into: &hash)
        Self.mix(Data((about ?? "").utf8), into: &hash)
        let digits = String(hash, radix: 16)
        text = (isWeak ? "W/\"" : "\"") + String(repeating: "0", count: 16 - digits.count) + digits + "\""
    }

    /// Returns whether `If-None-Match` names this tag, by the weak comparison (RFC 9110, 8.8.3.2).
    package func isNamed(in headers: HTTPHeaders) -> Bool {
        let opaque = text.drop { $0 != "\"" }
        return headers[canonicalForm: "If-None-Match"].contains { candidate in
            candidate == "*" || candidate == opaque || candidate == "W/" + opaque
        }
    }

    /// Returns whether `If-Match` names this tag, by the strong comparison (RFC 9110, 8.8.3.2).
    package func isMatched(in headers: HTTPHeaders) -> Bool {
        headers[canonicalForm: "If-Match"].contains { $0 == "*" || $0 == text }
    }

    /// FNV-1a over words in place of bytes, with a shift that carries high bits down: fast enough unoptimised.
    private static func mix(_ data: Data, into hash: inout UInt64) {
        data.withUnsafeBytes { bytes in
            var index = 0
            while index < bytes.count {
                var word: UInt64 = 0
                withUnsafeMutableBytes(of: &word) { $0.copyBytes(from: bytes[index..<min(index + 8, bytes.count)]) }
                hash = (hash ^ UInt64(littleEndian: word)) &* 0x0000_0100_0000_01b3
                hash ^= hash >> 29
                index += 8
            }
        }
        hash = (hash ^ UInt64(data.count)) &* 0x0000_0100_0000_01b3
        hash ^= hash >> 32
    }
}
