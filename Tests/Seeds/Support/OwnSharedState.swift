import PigeonCore
package import Testing

/// Runs each test with its own client, cache and configuration instead of the program's shared ones. Only one test runs
/// at a time.
package struct OwnSharedState: SuiteTrait, TestTrait, TestScoping {
    package init() {}

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Turn.shared.take()
        let result = await Result {
            try await SharedState.$current.withValue(SharedState()) {
                QueryCache.setGlobal(InMemoryQueryCache())
                try await function()
            }
        }
        await Turn.shared.leave()
        try result.get()
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ work: () async throws -> Success) async {
        do {
            self = .success(try await work())
        } catch {
            self = .failure(error)
        }
    }
}
