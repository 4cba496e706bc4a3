extension ResponseFuture {
    /// Starts the future, if it is not, and waits for its end. Cancelling the caller's task cancels the future.
    ///
    /// All handlers have been called by then.
    ///
    /// - Throws: What went wrong; `CancellationError` when the future was cancelled.
    public var value: T {
        get async throws { try await core.outcome(of: self).get() }
    }

    /// Starts the future and waits for its end, as ``value`` does.
    public func fetchResult() async throws -> T {
        try await value
    }
}
