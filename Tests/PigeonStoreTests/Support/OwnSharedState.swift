import PigeonCore
import Testing

/// Runs each test with a client of its own in place of the program's.
struct OwnSharedState: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await SharedState.$current.withValue(SharedState()) { try await function() }
    }
}
