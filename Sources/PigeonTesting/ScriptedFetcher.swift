public import PigeonCore

/// A fetcher whose answers a test decides. Fits every async function: the fetcher of a definition, a page, a mutation,
/// and the methods of your API protocol.
///
/// Each call waits until the test answers it:
///
/// ```swift
/// let fetcher = lab.fetcher(returning: User.self)
/// let observer = lab.client.observe(QueryDefinition("users", 1, fetch: fetcher.fetch))
/// fetcher.succeed(with: ann)
/// ```
///
/// A function without a ``/PigeonCore/FetchContext`` calls ``call(_:)`` with its arguments:
///
/// ```swift
/// let server = lab.fetcher(returning: User.self)
/// let rename = Mutation<String, User>(client: lab.client) { name in try await server.call("rename", name) }
/// rename.execute(with: "Ann")
/// server.succeed(with: ann)
/// #expect(server.calls.map(\.arguments) == [["rename", "Ann"]])
/// ```
public final class ScriptedFetcher<Value: Sendable>: Sendable {
    /// A call of the fetcher.
    public struct Call: Sendable {
        /// Number of the call, from 0.
        public let index: Int
        /// The key that was fetched. For a call without a context, the path of its arguments: `rename/Ann`.
        public let key: QueryKey
        /// Number of the attempt, from 1. It is 1 for a call without a context, also if a mutation retries.
        public let attempt: Int
        /// The cause of the fetch. It is ``/PigeonCore/Cause/requested`` for a call without a context.
        public let cause: Cause
        /// The arguments of a call without a context, as text. Empty for a fetch.
        public let arguments: [String]
    }

    /// Identifies a call, also before it has an index.
    private final class Ticket: Sendable {}

    private struct Gate {
        let ticket: Ticket
        let call: Call
        let context: FetchContext<Value>?
        let continuation: CheckedContinuation<Value, any Error>
    }

    private struct State {
        var calls: [Call] = []
        var open: [Gate] = []
        var script: [Result<Value, any Error>] = []
        /// Answers a call at once, unless it returns `nil`.
        var answer: (@Sendable (Call, FetchContext<Value>?) throws -> Value?)?
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

    // MARK: Answers

    /// Answers the oldest waiting call, or the next call if none waits.
    public func succeed(with value: Value) { end(.success(value)) }

    /// Fails the oldest waiting call, or the next call if none waits.
    public func fail(with error: any Error) { end(.failure(error)) }

    /// Answers the waiting call with an index.
    ///
    /// - Returns: True if the call was waiting.
    @discardableResult
    public func succeed(_ index: Int, with value: Value) -> Bool { end(index) { _ in value } }

    /// Fails the waiting call with an index.
    ///
    /// - Returns: True if the call was waiting.
    @discardableResult
    public func fail(_ index: Int, with error: any Error) -> Bool { end(index) { _ in throw error } }

    /// Yields a value from the oldest waiting call, which continues to wait.
    ///
    /// - Returns: False if no call waits, or if the oldest one has no context and so cannot yield.
    @discardableResult
    public func yield(_ value: Value) -> Bool {
        let context = state.withLock { $0.open.first?.context }
        context?.yield(value)
        afterwards()
        return context != nil
    }

    /// Answers the oldest waiting call with "not modified".
    ///
    /// - Returns: False if no call waits, or if the oldest one has no context. It then continues to wait.
    @discardableResult
    public func notModified() -> Bool {
        guard let gate = state.withLock({ $0.open.first }), let context = gate.context else { return false }
        return end(gate.call.index) { _ in try context.notModified() }
    }

    /// Answers every later fetch at once. A call without a context waits. Replaces earlier such answers.
    public func answer(with make: @escaping @Sendable (FetchContext<Value>) throws -> Value) {
        state.withLock { $0.answer = { _, context in try context.map { try make($0) } } }
    }

    /// Answers every later call at once, with or without a context. Replaces earlier such answers.
    public func answerCalls(with make: @escaping @Sendable (Call) throws -> Value) {
        state.withLock { $0.answer = { call, _ in try make(call) } }
    }

    // MARK: Calls

    /// The fetcher function, to be passed to a definition.
    @Sendable
    public func fetch(_ context: FetchContext<Value>) async throws -> Value {
        try await answer(context) { index in
            Call(index: index, key: context.key, attempt: context.attempt, cause: context.cause, arguments: [])
        }
    }

    /// Waits for an answer, in a function that has no ``/PigeonCore/FetchContext``.
    ///
    /// ```swift
    /// struct ScriptedAPI: UserAPI {
    ///     let renames: ScriptedFetcher<User>
    ///     let posts: ScriptedFetcher<[Post]>
    ///
    ///     func rename(_ id: Int, to name: String) async throws -> User { try await renames.call(id, name) }
    ///     func posts(page: Int) async throws -> [Post] { try await posts.call(page) }
    /// }
    /// ```
    ///
    /// - Parameter arguments: The arguments of the function, which ``Call/arguments`` and ``Call/key`` show as text.
    /// - Throws: The error with which the test fails the call. `CancellationError` if the task is cancelled first.
    public func call(_ arguments: any Sendable...) async throws -> Value {
        let texts = arguments.map(Self.text)
        return try await answer(nil) { index in
            Call(index: index, key: QueryKey(texts), attempt: 1, cause: .requested, arguments: texts)
        }
    }

    private static func text(of argument: any Sendable) -> String {
        if let component = argument as? any QueryKeyComponent { return component.queryKeyComponent }
        return String(describing: argument)
    }

    private func answer(_ context: FetchContext<Value>?, to make: @Sendable (Int) -> Call) async throws -> Value {
        let ticket = Ticket()
        return try await withCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                // A call that can be seen takes what is scripted, or can be answered.
                let (call, scripted, answer) = state.withLock { state in
                    let call = make(state.calls.count)
                    state.calls.append(call)
                    let scripted = state.script.isEmpty ? nil : state.script.removeFirst()
                    if scripted == nil {
                        state.open.append(
                            Gate(ticket: ticket, call: call, context: context, continuation: continuation))
                    }
                    return (call, scripted, state.answer)
                }
                if let scripted { return continuation.resume(with: scripted) }
                do {
                    if let value = try answer?(call, context) { release(ticket)?.continuation.resume(returning: value) }
                } catch {
                    release(ticket)?.continuation.resume(throwing: error)
                }
                // The handler may have run before there was anything to cancel.
                if Task.isCancelled { cancel(ticket) }
            }
        } onCancel: {
            cancel(ticket)
        }
    }

    private func cancel(_ ticket: Ticket) {
        guard !ignoresCancellation else { return }
        release(ticket)?.continuation.resume(throwing: CancellationError())
    }

    private func release(_ ticket: Ticket) -> Gate? { release(if: { $0.ticket === ticket }) }

    private func release(if isMeant: (Gate) -> Bool) -> Gate? {
        state.withLock { state in
            guard let position = state.open.firstIndex(where: isMeant) else { return nil }
            return state.open.remove(at: position)
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

    /// Answers the waiting call with an index, with what `make` returns or throws.
    ///
    /// - Returns: True if the call was waiting.
    @discardableResult
    package func end(_ index: Int, _ make: (FetchContext<Value>?) throws -> Value) -> Bool {
        guard let gate = release(if: { $0.call.index == index }) else { return false }
        gate.continuation.resume(with: Result { try make(gate.context) })
        afterwards()
        return true
    }
}

extension ScriptedFetcher where Value == Void {
    /// Ends the oldest waiting call with success, or the next call if none waits.
    public func succeed() { succeed(with: ()) }
}
