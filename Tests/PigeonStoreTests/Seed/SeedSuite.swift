import PigeonStore
import TestSupport
import Testing

/// The examples name no client, so each has that of a program of its own; one at a time, as they share the app's cachers and
/// state managers. Those of its README are in `Tests/Seeds/002`.
@MainActor
@Suite(
    "What StoreFlowable's other documents show", .serialized, .timeLimit(.minutes(1)), OwnSharedState())
struct SeedSuite {
    typealias Error = any Swift.Error  // this package asks for the `any` that the examples are written without

    /// Starts an app whose server has all users, and whose disk has none.
    static func begin() {
        App.world.withLock { $0 = App.World() }
        TimelineStateManager.shared.clearAll()
        UserCacher.shared.clear()
        UserListCacher.shared.clear()
        TimelineCacher.shared.clear()
    }
}

extension SeedSuite {
    /// Writes down what a screen is told.
    final class Seen: Sendable {
        private let signal = Watched<[String]>([])

        func add(_ line: String) { signal.update { $0.append(line) } }

        /// What was told since last asked, once a line is among it.
        func lines(until line: String) async -> [String] {
            await signal.wait { $0.contains(line) }
            return signal.update { lines in
                defer { lines = [] }
                return lines
            }
        }
    }
}
