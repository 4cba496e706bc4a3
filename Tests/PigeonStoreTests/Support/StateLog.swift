import PigeonStore

/// The states that one reader of a store was given, as text.
final class StateLog: @unchecked Sendable {  // all is guarded by the lock
    private struct State {
        var lines: [String] = []
        var cancel: (() -> Void)?
    }

    private let state = Locked(State())

    deinit {
        cancel()
    }

    /// What came since last asked.
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

/// Carries what is not known to be `Sendable` to where it is used.
struct UncheckedBox<Value>: @unchecked Sendable {  // used by one thread at a time, or safe by itself, as subjects are
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Error {
    /// A broken thing's own name, else the name of the type.
    var name: String { (self as? Broken)?.name ?? "\(type(of: self as any Error))" }
}
