/// A mutation that has taken its place in its scope, and whose optimistic edits are shown.
package struct StartedMutation<Output: Sendable>: Sendable {
    let plan: MutationPlan<Output>
    let id: UInt64
    /// Resumed when the mutation is the first of its scope. `nil` if it has no scope.
    let turn: MutationWait?
    /// The entries that its optimistic edits concern.
    let edited: [EditScope]
}

/// A mutation as closures, so that other modules can create one without a type.
package struct MutationPlan<Output: Sendable>: Sendable {
    package let name: String
    package let run: @Sendable (MutationContext) async throws -> Output
    package let optimistic: @Sendable (inout OptimisticEdits) -> Void
    package let succeeded: @Sendable (Output, CacheWrites) -> Void
    package let invalidates: @Sendable (Output) -> [KeyFilter]
    package let scope: String?
    package let retry: RetryPolicy
    package let isIdempotent: Bool
    package let networkMode: NetworkMode

    package init(
        name: String, scope: String?, retry: RetryPolicy, isIdempotent: Bool, networkMode: NetworkMode,
        run: @escaping @Sendable (MutationContext) async throws -> Output,
        optimistic: @escaping @Sendable (inout OptimisticEdits) -> Void,
        succeeded: @escaping @Sendable (Output, CacheWrites) -> Void = { _, _ in },
        invalidates: @escaping @Sendable (Output) -> [KeyFilter] = { _ in [] }
    ) {
        self.name = name
        self.scope = scope
        self.retry = retry
        self.isIdempotent = isIdempotent
        self.networkMode = networkMode
        self.run = run
        self.optimistic = optimistic
        self.succeeded = succeeded
        self.invalidates = invalidates
    }

    package init<M: Mutating>(_ mutation: M, name: String) where M.Output == Output {
        self.init(
            name: name, scope: mutation.scope, retry: mutation.retryWhileAwaited,
            isIdempotent: mutation.isIdempotent, networkMode: mutation.networkMode,
            run: { try await mutation.run($0) },
            optimistic: { mutation.optimistic(&$0) },
            succeeded: { mutation.succeeded($0, $1) },
            invalidates: { mutation.invalidates($0) })
    }
}
