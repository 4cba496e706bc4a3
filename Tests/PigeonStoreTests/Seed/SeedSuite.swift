import PigeonStore
import TestSupport
import Testing

/// The examples use the shared client, so each test has its own. Tests run one at a time, because they share the app's
/// cachers and state managers. The examples of StoreFlowable's README are in `Tests/Seeds/002`.
@MainActor
@Suite(
    "What StoreFlowable's other documents show", .serialized, .timeLimit(.minutes(1)), OwnSharedState())
struct SeedSuite {
    typealias Error = any Swift.Error  // this package requires the `any` that the examples omit

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
    /// Records the lines that a screen receives.
    final class Seen: Sendable {
        private let signal = Watched<[String]>([])

        func add(_ line: String) { signal.update { $0.append(line) } }

        /// Waits for a line, and returns all lines since the last call.
        func lines(until line: String) async -> [String] {
            await signal.wait { $0.contains(line) }
            return signal.update { lines in
                defer { lines = [] }
                return lines
            }
        }
    }
}
