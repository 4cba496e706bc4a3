/// Work that is described now and started later, once.
public final class ResponseFuture<T: Sendable>: Sendable {
    private let operation: @Sendable (@escaping TransferReport) async throws -> T

    /// A future that runs an operation when it is started.
    package init(operation: @escaping @Sendable (@escaping TransferReport) async throws -> T) {
        self.operation = operation
    }

    /// Starts the future, if it is not, and waits for its end. Cancelling the caller's task cancels the future.
    public var value: T {
        get async throws { try await operation { _ in } }
    }
}
