/// An address as text, split at the parts that can be secret. The fragment is left out.
///
/// Servers read bytes, not characters: to them, an equals sign with an accent is an equals sign.
struct AddressText {
    /// The text before the user: "https://".
    let start: Substring
    /// User and password, up to the "@".
    let user: Substring?
    /// Host, port and path.
    let path: Substring
    /// A query that was written into the path, beginning with its mark: "%3Fa=1".
    let escapedQuery: Substring
    /// The query, beginning with its mark.
    let query: Substring

    init(_ text: String) {
        let text = text[..<(text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex)]
        let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
        query = text[mark...]
        var rest = text[..<mark]
        let slashes = rest.utf8.indices.first { rest.utf8[$0...].starts(with: "//".utf8) }
        start = slashes.map { rest[..<rest.utf8.index($0, offsetBy: 2)] } ?? rest[..<rest.startIndex]
        rest = rest[start.endIndex...]
        let limit = slashes == nil ? rest.firstIndex(ofEscaped: "?#") : nil
        let at = rest[..<(limit ?? rest.endIndex)].utf8.prefix { $0 != UInt8(ascii: "/") }
            .lastIndex(of: UInt8(ascii: "@"))
        user = at.map { rest[..<$0] }
        if let at { rest = rest[rest.utf8.index(after: at)...] }
        let escaped = rest.firstIndex(ofEscaped: "?#") ?? rest.endIndex
        path = rest[..<escaped]
        escapedQuery = rest[escaped...]
    }
}

extension Substring {
    /// The position of the first of some ASCII characters, escaped or not, and also if it was escaped several times:
    /// "?", "%3f", "%253F".
    func firstIndex(ofEscaped characters: String) -> Index? {
        utf8.indices.first { characters.utf8.contains(utf8[$0...].leadingEscape?.byte ?? utf8[$0]) }
    }

    /// The bytes of the text, however often it was escaped.
    var unescaped: [UInt8] {
        var rest = Array(utf8)[...]
        var bytes: [UInt8] = []
        while let first = rest.first {
            let escape = rest.leadingEscape
            bytes.append(escape?.byte ?? first)
            rest = escape?.rest ?? rest.dropFirst()
        }
        return bytes
    }
}

extension Collection<UInt8> where SubSequence == Self {
    /// The escaped byte at the front, and the text after it.
    fileprivate var leadingEscape: (byte: UInt8, rest: Self)? {
        guard first == UInt8(ascii: "%") else { return nil }
        var rest = dropFirst()
        while rest.starts(with: "25".utf8) { rest = rest.dropFirst(2) }
        let digits = rest.prefix(2)
        guard digits.count == 2, digits.allSatisfy(ASCIISet.hexDigits.contains) else { return nil }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16).map { ($0, rest.dropFirst(2)) }
    }
}

/// A set of ASCII characters, for one lookup at each byte of an address or a header.
package struct ASCIISet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    package init(_ characters: String) {
        for byte in characters.utf8 { insert(byte) }
    }

    private mutating func insert(_ byte: UInt8) {
        if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
    }

    package func contains(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return false }
        return (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }

    private static let alphanumerics = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

    /// The characters that a path contains unescaped (RFC 3986, 3.3).
    package static let path = ASCIISet(alphanumerics + "-._~!$&'()*+,;=:@/")

    /// The characters that a name or value in a query contains unescaped (RFC 3986, 3.4). The separators of names,
    /// values and items are left out, and so is "+", which many servers read as a space.
    package static let queryItem = ASCIISet(alphanumerics + "-._~!$'()*,:@/?")

    /// The characters of an escaped byte (RFC 3986, 2.1).
    static let hexDigits = ASCIISet("0123456789ABCDEFabcdef")

    /// The characters of a header's name (RFC 9110, 5.6.2).
    static let token = ASCIISet(alphanumerics + "!#$%&'*+-.^_`|~")

    /// The characters that mean the same to a shell, quoted or not.
    static let shellWord = ASCIISet(alphanumerics + "-._/:@+,")
}

extension Unicode.Scalar {
    /// Stands in a path, which is plain text, for a slash that belongs to a component and is sent as "%2F". Unicode keeps
    /// this scalar for such use within a program: no text contains it.
    static let escapedSlash = Unicode.Scalar(0xFDD0 as UInt32) ?? "/"
}

extension [UInt8] {
    /// Appends a path, percent-encoded.
    ///
    /// - Returns: True if no byte was escaped.
    mutating func append(path: String) -> Bool {
        guard path.unicodeScalars.contains(.escapedSlash) else { return append(encoding: path, allowed: .path) }
        for (index, part) in path.unicodeScalars.split(
            separator: .escapedSlash, omittingEmptySubsequences: false
        ).enumerated() {
            if index > 0 { append(contentsOf: "%2F".utf8) }
            append(encoding: String(part), allowed: .path)
        }
        return false
    }

    /// Appends a text. Each byte outside of a set is written as "%" and two digits (RFC 3986, 2.1).
    ///
    /// - Returns: True if no byte was escaped.
    @discardableResult
    package mutating func append(encoding text: String, allowed: ASCIISet) -> Bool {
        let digits: StaticString = "0123456789ABCDEF"
        var isPlain = true
        for byte in text.utf8 {
            guard !allowed.contains(byte) else {
                append(byte)
                continue
            }
            isPlain = false
            append(UInt8(ascii: "%"))
            append(digits.utf8Start[Int(byte >> 4)])
            append(digits.utf8Start[Int(byte & 15)])
        }
        return isPlain
    }
}
