import PigeonCore
import PigeonTesting

/// A mutation made from closures, whose attempts the test answers.
struct ScriptedMutation: Mutating {
    var scope: String?
    var retry = RetryPolicy.never
    var isIdempotent = false
    var networkMode = NetworkMode.online
    var server: MutationServer
    var edits: @Sendable (inout OptimisticEdits) -> Void = { _ in }
    var writes: @Sendable (String, CacheWrites) -> Void = { _, _ in }
    var stale: [KeyFilter] = []

    init(_ server: MutationServer) {
        self.server = server
    }

    func run(_ context: MutationContext) async throws -> String { try await server.run(context) }
    func optimistic(_ edits: inout OptimisticEdits) { self.edits(&edits) }
    func succeeded(_ output: String, _ writes: CacheWrites) { self.writes(output, writes) }
    func invalidates(_ output: String) -> [KeyFilter] { stale }
}

/// The server of mutations. Each attempt waits until the test ends it.
final class MutationServer: Sendable {
    private let lab: QueryLab
    private let waiting = Locked<[(id: UInt64, continuation: CheckedContinuation<String, any Error>)]>([])
    private let asked = Locked<[MutationContext]>([])
    private let ignoresCancellation: Bool

    init(_ lab: QueryLab, ignoringCancellation: Bool = false) {
        self.lab = lab
        ignoresCancellation = ignoringCancellation
    }

    /// Every attempt so far.
    var attempts: [MutationContext] { asked.withLock { $0 } }

    /// Number of attempts that wait for their end.
    var pendingCount: Int { waiting.withLock { $0.count } }

    func run(_ context: MutationContext) async throws -> String {
        asked.withLock { $0.append(context) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting.withLock { $0.append((context.id, continuation)) }
                // The handler may have run before there was anything to cancel.
                if Task.isCancelled { cancel(context.id) }
            }
        } onCancel: {
            cancel(context.id)
        }
    }

    private func cancel(_ id: UInt64) {
        guard !ignoresCancellation else { return }
        let found = waiting.withLock { waiting in
            waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0) }
        }
        found?.continuation.resume(throwing: CancellationError())
    }

    /// Ends a waiting attempt, counted from the oldest.
    func succeed(_ position: Int = 0, with output: String = "") { end(position, .success(output)) }

    /// Fails a waiting attempt, counted from the oldest.
    func fail(_ position: Int = 0, with error: any Error) { end(position, .failure(error)) }

    private func end(_ position: Int, _ result: Result<String, any Error>) {
        let found = waiting.withLock { $0.remove(at: position) }
        found.continuation.resume(with: result)
        lab.settle()
    }
}

extension QueryLab {
    /// Runs a mutation in a task.
    @discardableResult
    func mutate<M: Mutating>(_ mutation: M) -> LabTask<M.Output> {
        start { [client] in try await client.mutate(mutation) }
    }
}
