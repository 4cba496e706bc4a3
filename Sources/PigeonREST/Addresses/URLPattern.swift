package import Foundation

/// Which addresses a configuration is for, by a pattern with stars.
package struct URLPattern: Sendable {
    private let glob: Glob

    /// Creates a pattern.
    ///
    /// Without a scheme it is relative to the base URL, whose parameters do not count. Without a base URL it stands for
    /// whole addresses, as a pattern with a scheme does.
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

    /// Whether an address is meant. Its parameters and its fragment do not count.
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
    /// With escapes as canonical addresses have them. Wildcards stay.
    fileprivate var normalizedPattern: String { String(escapedWhereNoURLHas[...].normalizedEscapes) }

    /// With scheme and host in small letters, and without the scheme's own port.
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
