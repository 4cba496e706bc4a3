import Foundation
import PigeonCore
import PigeonTesting
package import SwiftUI

/// The world around an app of Pigeon's README: time that the test moves, and an app that can be started again.
@MainActor
package final class World {
    private let clock = ManualClock()

    package init() {}

    /// Whether nothing is being fetched by the app that was started.
    package var isAtRest: Bool { QueryClient.shared.entries().allSatisfy { $0.activity == .idle } }

    /// Whether nobody watches anything any more in the app that was started.
    package var isLeft: Bool { QueryClient.shared.entries().allSatisfy { !$0.isActive } }

    /// Lets time pass.
    package func pass(seconds passed: Double) {
        clock.advance(by: .milliseconds(Int(passed * 1000)))
    }

    /// Starts an app, with a client that knows nothing and what earlier ones left in `UserDefaults`.
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
    /// Waits for a text, and says what is there in its place if it does not come.
    package func wait(for text: String) async -> String {
        _ = await wait { $0 == text }
        return self.text
    }
}
