/// An element of a header field, with its parameters: `text/html; charset=utf-8`, `max-age=60`, or
/// `<https://api.test/?page=2>; rel="next"`. The one reader of lists, quoted strings and parameters (RFC 9110, 5.6).
package struct FieldElement: Sendable, Hashable {
    /// A name, and the value after its "=", without quotes and escapes.
    package struct Part: Sendable, Hashable {
        package let name: String
        package let value: String?
    }

    /// The element without its parameters. The name of a link is its address between "<" and ">".
    package let head: Part
    package let parameters: [Part]

    /// The value of the first parameter with a name in lower case.
    package subscript(name: String) -> String? {
        parameters.first { $0.name.lowercased() == name }?.value
    }

    /// Returns the elements of a field's value, without empty ones.
    ///
    /// Reads any text in one pass. Text that the grammar does not allow is read as far as it has a meaning: a quoted
    /// string without an end ends with the text, and a link without a comma before it is an element.
    package static func list(_ text: String) -> [FieldElement] {
        var scanner = FieldScanner(rest: text.utf8[...])
        var elements: [FieldElement] = []
        while let element = scanner.element() { elements.append(element) }
        return elements
    }
}

extension String {
    /// The media type in a `Content-Type`, in lower case and without its parameters (RFC 9110, 8.3.1). If the field was
    /// sent several times, the last one applies.
    package var mediaType: String { FieldElement.list(self).last?.head.name.lowercased() ?? "" }

    package var charsetName: String? {
        guard let name = FieldElement.list(self).last?["charset"] else { return nil }
        let plain = name.trimming { $0 == "'" || $0 == " " || $0 == "\t" }
        return plain.isEmpty ? nil : plain
    }
}

extension HTTPHeaders {
    /// The codings of the body, in the order in which they were applied and in lower case (RFC 9110, 8.4). `identity` is
    /// none.
    var contentCodings: [String] { codings(in: "Content-Encoding") }

    /// The codings of the body and those of its transfer, except for chunks.
    var bodyCodings: [String] { contentCodings + codings(in: "Transfer-Encoding").filter { $0 != "chunked" } }

    private func codings(in name: String) -> [String] {
        guard let text = self[name] else { return [] }
        return FieldElement.list(text).map { $0.head.name.lowercased() }.filter { $0 != "identity" }
    }
}

/// Reads a field's value from its front. A field has ASCII separators only, so its bytes are read.
private struct FieldScanner {
    var rest: Substring.UTF8View

    /// Reads the next element, up to the comma after it. `nil` at the end.
    mutating func element() -> FieldElement? {
        rest = rest.drop { $0 == .comma || $0.isBlank }
        guard !rest.isEmpty else { return nil }
        let head = part()
        var parameters: [FieldElement.Part] = []
        while rest.first == .semicolon {
            rest = rest.dropFirst()
            let parameter = part()
            if !parameter.name.isEmpty { parameters.append(parameter) }
        }
        return FieldElement(head: head, parameters: parameters)
    }

    /// Reads a name, and a value if there is one, up to the separator after them.
    private mutating func part() -> FieldElement.Part {
        skipBlanks()
        if rest.first == .less {
            let address = take(through: .greater)
            _ = take { $0 == .semicolon || $0 == .comma || $0 == .less }
            return FieldElement.Part(name: address, value: nil)
        }
        let name = text { $0 == .equals || $0 == .semicolon || $0 == .comma }
        guard rest.first == .equals else { return FieldElement.Part(name: name, value: nil) }
        rest = rest.dropFirst()
        skipBlanks()
        guard rest.first == .quote else {
            return FieldElement.Part(name: name, value: text { $0 == .semicolon || $0 == .comma })
        }
        let value = quoted()
        _ = take { $0 == .semicolon || $0 == .comma || $0 == .less }
        return FieldElement.Part(name: name, value: value)
    }

    private mutating func skipBlanks() {
        rest = rest.drop(while: \.isBlank)
    }

    /// Reads up to a separator outside of quoted strings, and returns the text without surrounding blanks.
    private mutating func text(until isEnd: (UInt8) -> Bool) -> String {
        let start = rest
        while let next = rest.first, !isEnd(next) {
            if next == .quote { _ = quoted() } else { rest = rest.dropFirst() }
        }
        return String(Substring(start[..<rest.startIndex])).trimmed
    }

    private mutating func take(until isEnd: (UInt8) -> Bool) -> String {
        let start = rest
        rest = rest.drop { !isEnd($0) }
        return String(Substring(start[..<rest.startIndex]))
    }

    private mutating func take(through end: UInt8) -> String {
        let text = take { $0 == end }
        guard rest.first == end else { return text }
        rest = rest.dropFirst()
        return text + String(decoding: CollectionOfOne(end), as: UTF8.self)
    }

    /// Reads a quoted string, and returns it without quotes and escapes (RFC 9110, 5.6.4).
    private mutating func quoted() -> String {
        rest = rest.dropFirst()
        var content: [UInt8] = []
        while let next = rest.popFirst(), next != .quote {
            content.append(next == .backslash ? rest.popFirst() ?? next : next)
        }
        return String(decoding: content, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate static let comma = UInt8(ascii: ",")
    fileprivate static let semicolon = UInt8(ascii: ";")
    fileprivate static let equals = UInt8(ascii: "=")
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let backslash = UInt8(ascii: "\\")
    fileprivate static let less = UInt8(ascii: "<")
    fileprivate static let greater = UInt8(ascii: ">")

    /// True for a space and a tab (RFC 9110, 5.6.3).
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
}
