/// An address as text, taken apart at what may be secret. The fragment is left out.
///
/// Servers read bytes, not characters: to them, an equals sign with an accent is an equals sign.
package struct AddressText {
    /// What stands before a user: "https://".
    package let start: Substring
    /// User and password, as before "@".
    package let user: Substring?
    /// Host, port and path.
    package let path: Substring
    /// A query that was written into the path, with the mark at its front: "%3Fa=1".
    let escapedQuery: Substring
    /// The query, with the mark at its front.
    let query: Substring

    package init(_ text: String) {
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
    /// The position of the first of some characters of ASCII, be it escaped, also more than once: "?", "%3f", "%253F".
    func firstIndex(ofEscaped characters: String) -> Index? {
        utf8.indices.first { characters.utf8.contains(utf8[$0...].leadingEscape?.byte ?? utf8[$0]) }
    }

    /// The bytes that the text stands for, however often it was escaped.
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
    /// The byte that is escaped at the front, and what follows it.
    fileprivate var leadingEscape: (byte: UInt8, rest: Self)? {
        guard first == UInt8(ascii: "%") else { return nil }
        var rest = dropFirst()
        while rest.starts(with: "25".utf8) { rest = rest.dropFirst(2) }
        let digits = rest.prefix(2)
        guard digits.count == 2, digits.allSatisfy(ASCIISet.hexDigits.contains) else { return nil }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16).map { ($0, rest.dropFirst(2)) }
    }
}
