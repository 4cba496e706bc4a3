public import Foundation

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
