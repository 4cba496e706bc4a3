import PigeonCore
package import Testing

/// Runs each test with its own client, cache and configuration instead of the program's shared ones.
package struct OwnSharedState: SuiteTrait, TestTrait, TestScoping {
    package init() {}

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await SharedState.$current.withValue(SharedState()) { try await function() }
    }
}
