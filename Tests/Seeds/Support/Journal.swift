import PigeonBase
import TestSupport

/// What an example did, in order, from any thread.
package final class Journal: Sendable {
    private let state = Locked<[String]>([])

    package init() {}

    package func add(_ line: String) {
        state.withLock { $0.append(line) }
    }

    package var lines: [String] { state.withLock { $0 } }

    /// What was written since last asked.
    package func take() -> [String] {
        state.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    /// Waits until a line has been written, and gives all.
    @MainActor
    package func take(until line: String) async -> [String] {
        await until { lines.contains(line) }
        return take()
    }
}
