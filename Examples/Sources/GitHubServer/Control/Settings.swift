package import DemoHTTP
package import Foundation

/// Says how a ``GitHubServer`` behaves.
package struct Settings: Sendable {
    /// How a server marks the state of what it sends.
    package enum EntityTags: Sendable {
        case weak, strong, none
    }

    /// Who can sign in. An account that is taken out has unknown credentials from then on.
    package var accounts: [Account] = Account.all
    /// How long answers wait.
    package var latency = Latency()
    /// What goes wrong.
    package var faults = Faults.none
    /// How many requests are answered.
    package var rateLimit = RateLimit()
    /// The tags that answers carry, as those of GitHub weak.
    package var entityTags = EntityTags.weak
    /// The seconds that `Cache-Control` calls an answer fresh; `nil` for no such header.
    package var maxAge: Int?
    /// The time after which a star shows in the count of its repository.
    package var starCountDelay = Duration.zero
    /// Tells the time to rate limits and star counts.
    package var now: @Sendable () -> Date = { Date() }

    package init() {}
}
