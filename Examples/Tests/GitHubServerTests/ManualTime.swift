import Foundation
import GitHubServer
import NIOConcurrencyHelpers

/// A time that passes only when a test says so.
final class ManualTime: Sendable {
    private let date = NIOLockedValueBox(Date(timeIntervalSince1970: 1_800_000_000))

    func pass(_ seconds: Double) {
        date.withLockedValue { $0 += seconds }
    }

    var settings: Settings {
        var settings = Settings()
        settings.now = { self.date.withLockedValue { $0 } }
        return settings
    }
}
