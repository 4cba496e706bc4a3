import PigeonStore
import PigeonTesting
import Testing

/// An origin or a cache whose calls a test answers.
final class Origin<Value: Sendable>: Sendable {
    private struct Call {
        let id: Int
        let name: String
        /// Sends a value of a publisher without ending it.
        let send: @Sendable (Value) -> Void
        let end: @Sendable (Result<Value?, any Error>) -> Void
    }

    private struct State {
        var names: [String] = []
        var lastID = 0
        var cancelled: [String] = []
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

    /// The names of all calls since the last ``takeCalls()``, in order.
    var asked: [String] { state.withLock { $0.names } }

    /// The names of the calls that wait for an answer, in order.
    var waiting: [String] { state.withLock { $0.open.map(\.name) } }

    /// The names of the calls that were cancelled while they waited, in order.
    var cancelled: [String] { state.withLock { $0.cancelled } }

    /// Returns the names of the calls since the last call of this function.
    func takeCalls() -> [String] {
        state.withLock { state in
            defer { state.names = [] }
            return state.names
        }
    }

    func set(script: @escaping @Sendable (String) throws -> Value?) {
        state.withLock { $0.script = script }
    }

    // MARK: Calls

    func ask(_ name: String) async throws -> Value {
        let (id, script) = begin(name)
        if let value = try script(name) { return value }
        let value = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value?, any Error>) in
                guard ignoresCancellation || !Task.isCancelled else {
                    return continuation.resume(throwing: CancellationError())
                }
                let call = Call(id: id, name: name, send: { _ in }, end: { continuation.resume(with: $0) })
                state.withLock { $0.open.append(call) }
            }
        } onCancel: {
            if !ignoresCancellation { cancel(id)?.end(.failure(CancellationError())) }
        }
        return try value.orThrow(Broken("no value"))
    }

    func publisher(_ name: String) -> AnyPublisher<Value, any Error> {
        let call = Deferred<AnyPublisher<Value, any Error>> { [self] in
            let (id, script) = begin(name)
            do {
                if let value = try script(name) {
                    return Just(value).setFailureType(to: (any Error).self).eraseToAnyPublisher()
                }
            } catch {
                return Fail<Value, any Error>(error: error).eraseToAnyPublisher()
            }
            let values = PatientSubject<Value, any Error>()
            let call = Call(id: id, name: name) { value in
                values.send(value)
            } end: { result in
                switch result {
                case .success(let value):
                    if let value { values.send(value) }
                    values.send(completion: .finished)
                case .failure(let error): values.send(completion: .failure(error))
                }
            }
            state.withLock { $0.open.append(call) }
            return values.handleEvents(receiveCancel: { [self] in _ = cancel(id) }).eraseToAnyPublisher()
        }
        return call.eraseToAnyPublisher()
    }

    private func begin(_ name: String) -> (id: Int, script: @Sendable (String) throws -> Value?) {
        state.withLock { state in
            state.names.append(name)
            state.lastID += 1
            return (state.lastID, state.script)
        }
    }

    private func cancel(_ id: Int) -> Call? {
        let call = take { $0.id == id }
        if let call { state.withLock { $0.cancelled.append(call.name) } }
        return call
    }

    private func take(_ fits: (Call) -> Bool) -> Call? {
        state.withLock { state in
            state.open.firstIndex(where: fits).map { state.open.remove(at: $0) }
        }
    }

    // MARK: Answers

    /// Answers the oldest waiting call.
    func answer(_ value: Value) { end(nil, .success(value)) }

    /// Answers the oldest waiting call with a name.
    func answer(_ name: String, _ value: Value) { end(name, .success(value)) }

    /// Fails the oldest waiting call.
    func fail(_ error: any Error = Broken("origin")) { end(nil, .failure(error)) }

    /// Answers all waiting calls, including those that begin to wait in the meantime.
    func answerAll(_ value: Value) {
        while !waiting.isEmpty { answer(value) }
    }

    /// Ends the oldest waiting call, or the oldest one with a name. Without a value, a publisher only ends.
    ///
    /// - Returns: False if no such call waits.
    @discardableResult
    func end(_ name: String?, _ result: Result<Value?, any Error>) -> Bool {
        let call = take { name == nil || $0.name == name }
        call?.end(result)
        afterwards()
        return call != nil
    }

    /// Makes a publisher send a value, without ending it.
    func send(_ value: Value, of name: String, location: SourceLocation = #_sourceLocation) {
        guard let call = state.withLock({ $0.open.first { $0.name == name } }) else {
            Issue.record("no call of \(name) is open: \(waiting)", sourceLocation: location)
            return
        }
        call.send(value)
    }

    /// Fails all waiting calls, without running the resulting work.
    func letGo() {
        while let call = take({ _ in true }) { call.end(.failure(CancellationError())) }
    }
}
