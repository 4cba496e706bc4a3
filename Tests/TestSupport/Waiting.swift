import Foundation
import Testing

/// Waits for a condition that other tasks bring about. Runs on the caller's actor, like `condition`.
///
/// The test fails if the condition does not hold within two minutes, or when the test's own time limit ends it: a test never
/// waits forever.
package func until(
    _ condition: () async throws -> Bool, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
) async rethrows {
    let clock = ContinuousClock()
    let end = clock.now.advanced(by: .seconds(120))
    var looks = 0
    while try await !condition() {
        guard !Task.isCancelled, clock.now < end else {
            let place = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
            Issue.record("the awaited condition does not hold", sourceLocation: place)
            return
        }
        looks += 1
        // Many tests that only yield would leave little time to what they wait for.
        if looks < 100 { await Task.yield() } else { try? await Task.sleep(for: .milliseconds(1)) }
    }
}

/// Ends the process with SIGALRM when the time is up. Each exit test calls this first: its process is not ended by a test's time limit,
/// and while it runs, it occupies a thread of the tests' pool.
///
/// - Parameter seconds: From 1 to 100, less than the test's time limit.
package func endProcess(after seconds: UInt32) {
    alarm(seconds)
}
