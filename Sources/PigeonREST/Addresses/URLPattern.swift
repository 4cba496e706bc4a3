package import Foundation

/// A pattern with stars for the URLs to which a configuration applies.
package struct URLPattern: Sendable {
    private let glob: Glob

    /// Creates a pattern.
    ///
    /// A pattern without a scheme is relative to the base URL, whose parameters do not count. Without a base URL, it
    /// matches whole URLs, as a pattern with a scheme does.
    package init(_ pattern: String, baseURL: URL?) {
        if let colon = pattern.utf8.firstIndex(of: UInt8(ascii: ":")), pattern[..<colon].isScheme {
            glob = Glob(pattern.withSmallServer.normalizedPattern.utf8)
        } else if let base = baseURL?.canonical.withoutQuery {
            let slash = base.utf8.last == UInt8(ascii: "/") ? "" : "/"
            let path = pattern.utf8.first == UInt8(ascii: "/") ? String(Substring(pattern.utf8.dropFirst())) : pattern
            glob = Glob(path.normalizedPattern.utf8, after: Array("\(base)\(slash)".utf8))
        } else {
            glob = Glob(pattern.normalizedPattern.utf8)
        }
    }

    /// Returns true if a URL matches. Its parameters and its fragment do not count.
    package func matches(_ url: URL) -> Bool {
        glob.matches(url.canonical.withoutQuery.utf8)
    }
}

extension URL {
    fileprivate var withoutQuery: String {
        var parts = URLParts(self)
        (parts.query, parts.fragment) = (nil, nil)
        return parts.text
    }
}

extension String {
    /// The pattern with the escapes of canonical URLs. Wildcards stay.
    fileprivate var normalizedPattern: String { String(escapedWhereNoURLHas[...].normalizedEscapes) }

    /// The pattern with a lowercase scheme and host, and without the scheme's default port.
    fileprivate var withSmallServer: String {
        guard let start = utf8.firstRange(of: "://".utf8)?.upperBound else { return lowercasedScheme }
        let end = self[start...].utf8.firstIndex(of: UInt8(ascii: "/")) ?? endIndex
        var parts = URLParts(String(self[..<end]))
        parts.normalize()
        guard parts.query == nil else { return self[..<end].lowercased() + self[end...] }
        parts.path = ""
        return parts.text + self[end...]
    }

    private var lowercasedScheme: String {
        guard let colon = utf8.firstIndex(of: UInt8(ascii: ":")) else { return self }
        return self[..<colon].lowercased() + self[colon...]
    }
}
