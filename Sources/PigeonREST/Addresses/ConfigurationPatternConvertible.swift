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
/// | in a pattern | stands for |
/// |---|---|
/// | `*` | any characters but a slash |
/// | `**` | any characters |
/// | `/**/` | a slash, or two with anything between them |
/// | `?` | one character but a slash |
///
/// A relative pattern begins after the slash that ends the base URL: `**/avatars` matches `avatars` and
/// `users/7/avatars`.
///
/// All other characters stand for themselves, so every pattern is valid. Query parameters of the URL and of the base
/// URL do not count. A relative pattern matches only URLs below the base URL, so use `"**"` for headers with
/// credentials. In a service without a base URL, every pattern matches whole URLs. There, `"**"` matches every server,
/// and `"https://api.example.com/**"` is the pattern for credentials.
extension String: ConfigurationPatternConvertible {
    /// Returns a function that is true for the URLs that match.
    public func configurationPattern(for service: Service) -> @Sendable (URL) -> Bool {
        let pattern = URLPattern(self, baseURL: service.baseURL)
        return { pattern.matches($0) }
    }

    /// The pattern.
    public var configurationPatternDescription: String { self }
}

/// Matches URLs of any host of which a part matches.
extension NSRegularExpression: ConfigurationPatternConvertible {
    /// Returns a function that is true for the URLs of which a part matches.
    public func configurationPattern(for service: Service) -> @Sendable (URL) -> Bool {
        { url in
            let text = url.absoluteString
            return self.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
        }
    }

    /// The expression.
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
