public import PigeonCore

/// A fetcher whose answers a test decides.
///
/// Each call waits until the test answers it:
///
/// ```swift
/// let fetcher = lab.fetcher(returning: User.self)
/// let observer = lab.client.observe(QueryDefinition("users", 1, fetch: fetcher.fetch))
/// fetcher.succeed(with: ann)
/// ```
public final class ScriptedFetcher<Value: Sendable>: Sendable {
    /// A call of the fetcher.
    public struct Call: Sendable {
        /// Number of the call, from 0.
        public let index: Int
        /// The key that was fetched.
        public let key: QueryKey
        /// Number of the attempt, from 1.
        public let attempt: Int
        /// The cause of the fetch.
        public let cause: Cause
    }

    private struct Gate {
        let call: Call
        let context: FetchContext<Value>
        var continuation: CheckedContinuation<Value, any Error>?
    }

    private struct State {
        var calls: [Call] = []
        var open: [Gate] = []
        var script: [Result<Value, any Error>] = []
        var answersAtOnce: (@Sendable (FetchContext<Value>) throws -> Value)?
    }

    private let state = Locked(State())
    private let ignoresCancellation: Bool
    private let afterwards: @Sendable () -> Void

    /// Creates a fetcher without a lab. Use ``QueryLab/fetcher(returning:ignoringCancellation:)`` to create one that a
    /// lab runs.
    ///
    /// - Parameters:
    ///   - returning: The type of the answers.
    ///   - ignoringCancellation: True if a cancelled call continues to wait for its answer.
    ///   - afterwards: Called after each answer, to run the resulting work.
    public init(
        returning: Value.Type = Value.self, ignoringCancellation: Bool = false,
        afterwards: @escaping @Sendable () -> Void = {}
    ) {
        ignoresCancellation = ignoringCancellation
        self.afterwards = afterwards
    }

    /// Every call so far.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// Number of calls that wait for an answer.
    public var pendingCount: Int { state.withLock { $0.open.count } }

    /// The calls that wait for an answer, oldest first.
    public var pending: [Call] { state.withLock { $0.open.map(\.call) } }

    /// Answers the oldest waiting call, or the next call if none waits.
    public func succeed(with value: Value) { end(.success(value)) }

    /// Fails the oldest waiting call, or the next call if none waits.
    public func fail(with error: any Error) { end(.failure(error)) }

    /// Answers the waiting call with an index.
    ///
    /// - Returns: True if the call was waiting.
    @discardableResult
    public func succeed(_ index: Int, with value: Value) -> Bool { end(index, .success(value)) }

    /// Fails the waiting call with an index.
    ///
    /// - Returns: True if the call was waiting.
    @discardableResult
    public func fail(_ index: Int, with error: any Error) -> Bool { end(index, .failure(error)) }

    /// Yields a value from the oldest waiting call, which continues to wait.
    public func yield(_ value: Value) {
        let context = state.withLock { $0.open.first?.context }
        context?.yield(value)
        afterwards()
    }

    /// Answers the oldest waiting call with "not modified".
    public func notModified() {
        guard let (context, index) = state.withLock({ $0.open.first.map { ($0.context, $0.call.index) } }) else {
            return
        }
        end(index, Result { try context.notModified() })
    }

    /// Answers every later call at once.
    public func answer(with make: @escaping @Sendable (FetchContext<Value>) throws -> Value) {
        state.withLock { $0.answersAtOnce = make }
    }

    /// The fetcher function, to be passed to a definition.
    @Sendable
    public func fetch(_ context: FetchContext<Value>) async throws -> Value {
        let (call, scripted, make) = state.withLock { state in
            let call = Call(
                index: state.calls.count, key: context.key, attempt: context.attempt, cause: context.cause)
            state.calls.append(call)
            let scripted = state.script.isEmpty ? nil : state.script.removeFirst()
            return (call, scripted, state.answersAtOnce)
        }
        if let scripted { return try scripted.get() }
        if let make { return try make(context) }
        return try await wait(call, context)
    }

    private func wait(_ call: Call, _ context: FetchContext<Value>) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = !ignoresCancellation && Task.isCancelled
                if isCancelled { return continuation.resume(throwing: CancellationError()) }
                state.withLock { $0.open.append(Gate(call: call, context: context, continuation: continuation)) }
            }
        } onCancel: {
            guard !ignoresCancellation else { return }
            release(call.index)?.resume(throwing: CancellationError())
        }
    }

    private func release(_ index: Int) -> CheckedContinuation<Value, any Error>? {
        state.withLock { state in
            guard let position = state.open.firstIndex(where: { $0.call.index == index }) else { return nil }
            return state.open.remove(at: position).continuation
        }
    }

    private func end(_ result: Result<Value, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            guard !state.open.isEmpty else {
                state.script.append(result)
                return nil
            }
            return state.open.removeFirst().continuation
        }
        continuation?.resume(with: result)
        afterwards()
    }

    @discardableResult
    private func end(_ index: Int, _ result: Result<Value, any Error>) -> Bool {
        guard let continuation = release(index) else { return false }
        continuation.resume(with: result)
        afterwards()
        return true
    }
}
