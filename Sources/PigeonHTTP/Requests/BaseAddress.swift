internal import Foundation

/// A server's address, taken apart to add a request's path and query to it.
///
/// Works on the text: `URLComponents` costs three times the rest of a request.
struct BaseAddress {
    private let scheme: String
    private let authority: Substring
    private let path: Substring
    private let query: Substring

    init(_ url: URL) throws(RequestError) {
        let text = url.absoluteString
        guard let scheme = Self.schemes.first(where: { text.hasScheme($0) }) else {
            throw .invalidBaseURL(url.plainDescription)
        }
        let whole = text.prefix(upTo: text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex)
        let mark = whole.utf8.firstIndex(of: UInt8(ascii: "?")) ?? whole.endIndex
        let start = whole.utf8.index(whole.startIndex, offsetBy: scheme.utf8.count)
        let slash = whole[start..<mark].utf8.firstIndex(of: UInt8(ascii: "/")) ?? mark
        self.scheme = scheme
        authority = whole[start..<slash]
        path = whole[slash..<mark]
        query = whole[mark...].dropFirst()
        let host = authority.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last
        guard let first = host?.first, first != UInt8(ascii: ":") else {
            throw .invalidBaseURL(url.plainDescription)
        }
    }

    private static let schemes = ["https://", "http://"]

    /// The address of a path and a query below this one.
    func appending(path added: String, queryItems: [URLQueryItem]) throws(RequestError) -> URL {
        guard !added.utf8.contains(where: \.isControl) else { throw .invalidPath(added) }
        var text = scheme
        text.reserveCapacity(64 + path.utf8.count + added.utf8.count)
        text.append(contentsOf: authority)
        text.append(
            contentsOf: added.utf8.first == UInt8(ascii: "/") && path.utf8.last == UInt8(ascii: "/")
                ? path.dropLast() : path)
        if !added.isEmpty {
            if added.utf8.first != UInt8(ascii: "/"), path.utf8.last != UInt8(ascii: "/") { text.append("/") }
            text.append(encoding: added, allowed: .path)
        } else if path.isEmpty {
            text.append("/")
        }
        appendQuery(queryItems, to: &text)
        guard let url = URL(string: text) else { throw .invalidURL(cause: URLError(.badURL)) }
        return url
    }

    private func appendQuery(_ items: [URLQueryItem], to text: inout String) {
        var separator = "?"
        if !query.isEmpty {
            text.append("?")
            text.append(contentsOf: query)
            separator = "&"
        }
        for item in items where !(item.name.isEmpty && item.value == nil) {
            text.append(separator)
            text.append(encoding: item.name, allowed: .queryItem)
            separator = "&"
            guard let value = item.value else { continue }
            text.append("=")
            text.append(encoding: value, allowed: .queryItem)
        }
    }
}

extension String {
    /// Whether the text begins with a scheme, which is so without regard to case.
    fileprivate func hasScheme(_ scheme: String) -> Bool {
        utf8.count >= scheme.utf8.count && zip(utf8, scheme.utf8).allSatisfy { $0 == $1 || $0 | 0x20 == $1 }
    }
}

extension UInt8 {
    /// Whether it is an ASCII control character.
    var isControl: Bool { self < 0x20 || self == 0x7F }
}
