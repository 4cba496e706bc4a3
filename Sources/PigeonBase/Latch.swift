/// An event that happens at most once, and the task that waits for it.
///
/// The owner stores the outcome, and sets it in ``open(_:)``. A latch lies in its owner and is not generic: it costs neither
/// an allocation nor a look-up of type metadata.
package struct Latch: ~Copyable, Sendable {
    // Not private: the owner's module lays out the latch, and in debug builds (Swift 6.3) it must find the type.
    package enum State {
        case closed
        case awaited(CheckedContinuation<Void, Never>)
        case open
    }

    private let state = Locked(State.closed)

    package init() {}

    /// True once the event has happened. What `set` did is visible then.
    package var isOpen: Bool {
        state.withLock { state in
            if case .open = state { true } else { false }
        }
    }

    /// Resumes the task that waits. Only the first call has an effect.
    ///
    /// - Parameter set: Stores the outcome. Called under a lock, and only by the first call.
    /// - Returns: True for the first call.
    @discardableResult
    package borrowing func open(_ set: () -> Void = {}) -> Bool {
        let (isFirst, waiting) = state.withLock { state -> (Bool, CheckedContinuation<Void, Never>?) in
            if case .open = state { return (false, nil) }
            set()
            defer { state = .open }
            if case .awaited(let continuation) = state { return (true, continuation) }
            return (true, nil)
        }
        waiting?.resume()
        return isFirst
    }

    /// Waits for the event; does not suspend if it has happened. At most one task may wait.
    ///
    /// - Parameter onCancel: Called when the task is cancelled meanwhile. It should cause the event.
    package borrowing func wait(onCancel: @escaping @Sendable () -> Void) async {
        guard !isOpen else { return }
        await withCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if case .open = state { return true }
                    state = .awaited(continuation)
                    return false
                }
                if isOpen { continuation.resume() }
            }
        } onCancel: {
            _LockPoints.holdTurn(onCancel)
        }
        state.synchronizeAfterResumption()
    }
}
