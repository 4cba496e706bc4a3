internal import PigeonBase

extension FutureCore {
    /// Runs what makes the future's source, on this thread as far as its actor allows. What it throws ends the future.
    func begin(_ work: @escaping @Sendable () async throws -> Void) {
        launchImmediately {
            do {
                try await work()
            } catch {
                finish(FutureOutcome(error))
            }
        }
    }
}
