import PigeonStore

/// Records the states that one reader of a store receives, as text.
final class StateLog: @unchecked Sendable {  // all is guarded by the lock
    private struct State {
        var lines: [String] = []
        var cancel: (() -> Void)?
    }

    private let state = Locked(State())

    deinit {
        cancel()
    }

    /// Returns the states since the last call.
    func take() -> [String] {
        state.withLock { state in
            defer { state.lines = [] }
            return state.lines
        }
    }

    func add<T>(_ new: LoadingState<T>) {
        let line = new.error.map { "!\($0.name)" } ?? new.word
        state.withLock { $0.lines.append(line) }
    }

    func onCancel(_ cancel: sending @escaping () -> Void) {
        let box = UncheckedBox(cancel)
        state.withLock { $0.cancel = box.value }
    }

    func cancel() {
        let cancel = state.withLock { state in
            defer { state.cancel = nil }
            return UncheckedBox(state.cancel)
        }
        cancel.value?()
    }
}

/// Passes a value that is not `Sendable` to another thread.
struct UncheckedBox<Value>: @unchecked Sendable {  // used by one thread at a time, or thread-safe, as subjects are
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Error {
    /// The name of a ``Broken`` error, otherwise the name of the type.
    var name: String { (self as? Broken)?.name ?? "\(type(of: self as any Error))" }
}
