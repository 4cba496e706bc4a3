internal import Foundation
internal import PigeonBase
internal import PigeonCore

extension Configuration {
    /// For how long content is fresh.
    var staleAfter: StaleTime {
        expirationTime == .infinity ? .never : .after(Duration(untrustedSeconds: expirationTime) ?? .zero)
    }

    /// What the client is to know of it: content is kept for as long as there is room, and whoever observes a resource
    /// does not load it by that.
    func optionChanges(fetchesOnAttach: Bool) -> OptionChanges {
        let staleAfter = staleAfter
        let own: @Sendable (inout QueryOptions) -> Void = { options in
            options.staleAfter = staleAfter
            options.keepFor = .forever
            options.networkMode = .always
            options.fetchesOnAttach = fetchesOnAttach
            options.refetchOnReconnect = .ifStale
        }
        return OptionChanges([own] + queryChanges)
    }
}

/// For how long what is known of a resource counts.
struct FreshnessTerms: Sendable {
    let staleAfter: StaleTime
    /// How long after a failure it is too early to try again.
    let retryAfter: Duration

    init(_ configuration: Configuration) {
        staleAfter = configuration.staleAfter
        retryAfter = Duration(untrustedSeconds: configuration.retryTime) ?? .zero
    }
}
