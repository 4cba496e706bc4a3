internal import Foundation

/// Changes the configuration of the resources that match.
struct ConfigurationEntry: Sendable {
    let id: UInt64
    let description: String
    let matches: @Sendable (URL) -> Bool
    /// `nil` for all.
    let methods: Set<RequestMethod>?
    /// Whether it says nothing of where it applies: then it sends no headers to foreign servers.
    let isForAll: Bool
    let configurer: @Sendable (inout Configuration) -> Void
}

/// A change of a service's configuration, to be taken back if need be.
///
/// ```swift
/// let experiment = service.configure("**") { $0.headers["X-Experiment"] = "on" }
/// service.removeConfiguration(experiment)
/// ```
public struct ConfigurationToken: Sendable {
    let id: UInt64
}
