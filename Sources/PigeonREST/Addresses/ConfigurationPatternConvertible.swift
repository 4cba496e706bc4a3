public import Foundation

/// Something that says which addresses a configuration is for.
public protocol ConfigurationPatternConvertible: Sendable {
    /// Tells whether an address is meant.
    func configurationPattern(for service: Service) -> @Sendable (URL) -> Bool

    /// What logs call it.
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
/// A relative pattern begins after the slash that ends the base URL: `**/avatars` matches `avatars` and `users/7/avatars`.
///
/// All else stands for itself: there is no pattern of bad syntax. Parameters of addresses do not count, nor do those
/// of the base URL. A relative pattern matches nothing outside of the base URL, so that `"**"` is what to give
/// headers with credentials. In a service without a base URL every pattern stands for whole addresses: there `"**"`
/// matches every server, and `"https://api.example.com/**"` is the pattern for credentials.
extension String: ConfigurationPatternConvertible {
    /// Tells whether an address matches.
    public func configurationPattern(for service: Service) -> @Sendable (URL) -> Bool {
        let pattern = URLPattern(self, baseURL: service.baseURL)
        return { pattern.matches($0) }
    }

    /// The pattern.
    public var configurationPatternDescription: String { self }
}

/// Matches addresses that have a part which matches, whatever their host.
extension NSRegularExpression: ConfigurationPatternConvertible {
    /// Tells whether a part of an address matches.
    public func configurationPattern(for service: Service) -> @Sendable (URL) -> Bool {
        { url in
            let text = url.absoluteString
            return self.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
        }
    }

    /// The expression.
    public var configurationPatternDescription: String { pattern }
}

/// Matches the resource's own address, parameters and all.
extension Resource: ConfigurationPatternConvertible {
    /// Tells whether an address is the resource's.
    public func configurationPattern(for service: Service) -> @Sendable (URL) -> Bool {
        guard wrongAddress == nil else { return { _ in false } }
        return { [url] in $0 == url }
    }

    /// The address, without its parameters.
    public var configurationPatternDescription: String { url.nameForLogs }
}
