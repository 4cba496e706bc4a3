public import Foundation

/// A type that selects the URLs to which a configuration applies.
public protocol ConfigurationPatternConvertible: Sendable {
    /// Returns a function that is true for the URLs to which the configuration applies.
    func configurationPattern(for service: Service) -> @Sendable (URL) -> Bool

    /// The name of the pattern in logs.
    var configurationPatternDescription: String { get }
}

/// A pattern with stars, relative to the service's base URL unless it begins with a scheme.
///
/// | Wildcard | Matches |
/// |---|---|
/// | `*` | any characters except slashes |
/// | `**` | any characters |
/// | `/**/` | one slash, or two slashes with any characters between them |
/// | `?` | one character except a slash |
///
/// A relative pattern is compared with the rest of the URL after the base URL and its final slash: `**/avatars` matches
/// `avatars` and `users/7/avatars`.
///
/// All other characters match only themselves, so every pattern is valid. Query parameters of the URL and of the base
/// URL are ignored. A relative pattern matches only URLs below the base URL, so use `"**"` for headers with
/// credentials. In a service without a base URL, every pattern is compared with the whole URL. In such a service,
/// `"**"` matches every server, so use a pattern such as `"https://api.example.com/**"` for credentials.
extension String: ConfigurationPatternConvertible {
    /// Returns a function that is true for the URLs that match.
    public func configurationPattern(for service: Service) -> @Sendable (URL) -> Bool {
        let pattern = URLPattern(self, baseURL: service.baseURL)
        return { pattern.matches($0) }
    }

    /// The pattern itself.
    public var configurationPatternDescription: String { self }
}

/// Matches the URLs that contain a match of the expression, on any host.
extension NSRegularExpression: ConfigurationPatternConvertible {
    /// Returns a function that is true for the URLs that contain a match of the expression.
    public func configurationPattern(for service: Service) -> @Sendable (URL) -> Bool {
        { url in
            let text = url.absoluteString
            return self.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
        }
    }

    /// The pattern of the expression.
    public var configurationPatternDescription: String { pattern }
}

/// Matches the resource's own URL, including its parameters.
extension Resource: ConfigurationPatternConvertible {
    /// Returns a function that is true for the resource's URL.
    public func configurationPattern(for service: Service) -> @Sendable (URL) -> Bool {
        guard wrongAddress == nil else { return { _ in false } }
        return { [url] in $0 == url }
    }

    /// The URL without its parameters.
    public var configurationPatternDescription: String { url.nameForLogs }
}

/// A pattern with stars for the URLs to which a configuration applies.
package struct URLPattern: Sendable {
    private let glob: Glob

    /// A pattern without a scheme is relative to the base URL, whose parameters are ignored. Without a base URL, it is
    /// compared with whole URLs, as a pattern with a scheme is.
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

    /// Ignores the parameters and the fragment of the URL.
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
    /// The pattern with the escapes of canonical URLs. Wildcards are preserved.
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
