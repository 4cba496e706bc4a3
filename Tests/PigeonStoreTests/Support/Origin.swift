import PigeonStore
import PigeonTesting

/// An origin or a cache whose calls a test answers.
final class Origin<Value: Sendable>: Sendable {
    private struct Call {
        let id: Int
        let name: String
        let continuation: CheckedContinuation<Value, any Error>
    }

    private struct State {
        var names: [String] = []
        var open: [Call] = []
        var script: @Sendable (String) throws -> Value?
    }

    private let state: Locked<State>
    private let ignoresCancellation: Bool
    private let afterwards: @Sendable () -> Void

    /// - Parameter script: Returns the answer to give at once, or `nil` if the call waits.
    init(
        _ lab: QueryLab, ignoringCancellation: Bool = false,
        script: @escaping @Sendable (String) throws -> Value? = { _ in nil }
    ) {
        state = Locked(State(script: script))
        ignoresCancellation = ignoringCancellation
        afterwards = { [weak lab] in lab?.settle() }
    }

    /// The names of all calls, in order.
    var asked: [String] { state.withLock { $0.names } }

    /// The names of the calls that wait for an answer, in order.
    var waiting: [String] { state.withLock { $0.open.map(\.name) } }

    func set(script: @escaping @Sendable (String) throws -> Value?) {
        state.withLock { $0.script = script }
    }

    func ask(_ name: String) async throws -> Value {
        let (id, script) = state.withLock { state in
            state.names.append(name)
            return (state.names.count, state.script)
        }
        if let value = try script(name) { return value }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard ignoresCancellation || !Task.isCancelled else {
                    return continuation.resume(throwing: CancellationError())
                }
                state.withLock { $0.open.append(Call(id: id, name: name, continuation: continuation)) }
            }
        } onCancel: {
            if !ignoresCancellation { take { $0.id == id }?.resume(throwing: CancellationError()) }
        }
    }

    /// Answers the oldest waiting call.
    func answer(_ value: Value) { end(nil, with: .success(value)) }

    /// Answers the oldest waiting call with a name.
    func answer(_ name: String, _ value: Value) { end(name, with: .success(value)) }

    /// Fails the oldest waiting call.
    func fail(_ error: any Error = Broken("origin")) { end(nil, with: .failure(error)) }

    /// Answers all waiting calls, including those that begin to wait in the meantime.
    func answerAll(_ value: Value) {
        while !waiting.isEmpty { answer(value) }
    }

    private func end(_ name: String?, with result: Result<Value, any Error>) {
        take { name == nil || $0.name == name }?.resume(with: result)
        afterwards()
    }

    private func take(_ fits: (Call) -> Bool) -> CheckedContinuation<Value, any Error>? {
        state.withLock { state in
            state.open.firstIndex(where: fits).map { state.open.remove(at: $0).continuation }
        }
    }
}
