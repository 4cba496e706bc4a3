import PigeonBase
import TestSupport

/// Records what an example does, in order, from any thread.
package final class Journal: Sendable {
    private let state = Locked<[String]>([])

    package init() {}

    package func add(_ line: String) {
        state.withLock { $0.append(line) }
    }

    package var lines: [String] { state.withLock { $0 } }

    /// Returns the lines since the last call.
    package func take() -> [String] {
        state.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    /// Waits until a line has been written, and returns all lines since the last call.
    @MainActor
    package func take(until line: String) async -> [String] {
        await until { lines.contains(line) }
        return take()
    }
}
