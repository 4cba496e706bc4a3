import Foundation
import PigeonCore
import PigeonTesting
package import SwiftUI

/// The environment of an app from Pigeon's README: a clock that the test advances, and a client that is created again
/// for each start.
@MainActor
package final class World {
    private let clock = ManualClock()

    package init() {}

    /// True if the started app is fetching nothing.
    package var isAtRest: Bool { QueryClient.shared.entries().allSatisfy { $0.activity == .idle } }

    /// True if nothing is observed in the started app.
    package var isLeft: Bool { QueryClient.shared.entries().allSatisfy { !$0.isActive } }

    /// Advances the clock.
    package func pass(seconds passed: Double) {
        clock.advance(by: .milliseconds(Int(passed * 1000)))
    }

    /// Starts an app with a new client. The values that earlier apps left in `UserDefaults` stay.
    package func start<Result>(_ app: () async throws -> Result) async rethrows -> Result {
        let environment = QueryEnvironment(
            clock: clock,
            wallClock: { [clock] in
                Date(timeIntervalSinceReferenceDate: Double(clock.now().nanoseconds) / 1e9)
            })
        return try await SharedState.$current.withValue(SharedState(client: QueryClient(environment: environment))) {
            QueryCache.setGlobal(InMemoryQueryCache())
            return try await app()
        }
    }
}

extension Screen {
    /// Waits for a text on the screen. Returns the current text, which differs if the text never appears.
    package func wait(for text: String) async -> String {
        _ = await wait { $0 == text }
        return self.text
    }
}
