internal import Foundation

/// The parts of a URL with their original spelling (RFC 3986, 3).
///
/// Used instead of Foundation's parser, which repairs and resolves URLs differently on different platforms.
struct URLParts {
    var scheme: Substring?
    var authority: Substring?
    var path: Substring
    var query: Substring?
    var fragment: Substring?

    /// Accepts any text.
    init(_ text: String) {
        var rest = text[...]
        if let hash = rest.utf8.firstIndex(of: UInt8(ascii: "#")) {
            fragment = rest[rest.utf8.index(after: hash)...]
            rest = rest[..<hash]
        }
        if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
            query = rest[rest.utf8.index(after: mark)...]
            rest = rest[..<mark]
        }
        if let colon = rest.schemeEnd {
            scheme = rest[..<colon]
            rest = rest[rest.utf8.index(after: colon)...]
        }
        if rest.utf8.starts(with: "//".utf8) {
            rest = rest[rest.utf8.index(rest.startIndex, offsetBy: 2)...]
            let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = rest[..<slash]
            rest = rest[slash...]
        }
        path = rest
    }

    init(_ url: URL) {
        self.init(url.absoluteString)
    }

    /// The URL as text (RFC 3986, 5.3).
    var text: String {
        var text = ""
        text.reserveCapacity(path.utf8.count + (authority?.utf8.count ?? 0) + (query?.utf8.count ?? 0) + 16)
        if let scheme { text += "\(scheme):" }
        if let authority { text += "//\(authority)" }
        text += path
        if let query { text += "?\(query)" }
        if let fragment { text += "#\(fragment)" }
        return text
    }

    var url: URL? { URL(string: text) }

    /// The parts of the authority: the user with the password, the host, and the port.
    var server: (user: Substring?, host: Substring, port: Substring?) {
        var host = authority ?? ""
        var (user, port): (Substring?, Substring?)
        if let mark = host.utf8.lastIndex(of: UInt8(ascii: "@")) {
            user = host[..<mark]
            host = host[host.utf8.index(after: mark)...]
        }
        let bracket = host.utf8.lastIndex(of: UInt8(ascii: "]")) ?? host.startIndex  // IPv6 addresses contain colons
        if let colon = host[bracket...].utf8.lastIndex(of: UInt8(ascii: ":")) {
            port = host[host.utf8.index(after: colon)...]
            host = host[..<colon]
        }
        return (user, host, port)
    }
}

extension Substring {
    /// The index of the colon after the scheme. `nil` if there is no scheme.
    fileprivate var schemeEnd: Index? {
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")), self[..<colon].isScheme else { return nil }
        return colon
    }

    /// As RFC 3986, 3.1 defines a scheme.
    var isScheme: Bool {
        guard let first = utf8.first, (first | 0x20).isSmallLetter else { return false }
        return utf8.allSatisfy { ($0 | 0x20).isSmallLetter || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
    }
}

extension UInt8 {
    fileprivate var isSmallLetter: Bool { (0x61...0x7A).contains(self) }
}
