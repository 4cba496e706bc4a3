import PigeonBase

/// A value that tasks change and other tasks wait for.
package final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let isMet: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var lastID = 0
        /// Those whose task was cancelled before they waited.
        var cancelled: Set<Int> = []
    }

    private let state: Locked<State>

    package init(_ value: Value) {
        state = Locked(State(value: value))
    }

    package var value: Value { state.withLock { $0.value } }

    /// Changes the value, and resumes the tasks that waited for it.
    @discardableResult
    package func update<Result>(_ change: (inout Value) -> Result) -> Result {
        let (result, met) = state.withLock { state in
            let result = change(&state.value)
            let value = state.value
            let met = state.waiters.filter { $0.value.isMet(value) }
            for id in met.keys { state.waiters[id] = nil }
            return (result, met.values)
        }
        for waiter in met { waiter.continuation.resume() }
        return result
    }

    /// Waits until the value meets a condition, or the task is cancelled.
    package func wait(until isMet: @escaping @Sendable (Value) -> Bool) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.cancelled.remove(id) != nil || isMet(state.value) { return true }
                    state.waiters[id] = Waiter(isMet: isMet, continuation: continuation)
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: id)
                if waiter == nil { state.cancelled.insert(id) }
                return waiter
            }
            waiter?.continuation.resume()
        }
    }
}

/// Holds tasks until it is opened.
package final class Gate: Sendable {
    private let isOpen = Watched(false)

    package init() {}

    package func open() {
        isOpen.update { $0 = true }
    }

    /// Waits until the gate is open, or the task is cancelled.
    package func wait() async {
        await isOpen.wait { $0 }
    }
}
