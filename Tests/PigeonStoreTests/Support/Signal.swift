import PigeonStore

/// A value that some change and others wait for.
final class Signal<Value: Sendable>: Sendable {
    private struct Waiter {
        let isMet: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var lastID = 0
        /// Those who were called off before they waited.
        var early: Set<Int> = []
    }

    private let state: Locked<State>

    init(_ value: Value) {
        state = Locked(State(value: value))
    }

    var value: Value { state.withLock { $0.value } }

    @discardableResult
    func change<Result>(_ change: (inout Value) -> Result) -> Result {
        let (result, woken) = state.withLock { state in
            let result = change(&state.value)
            let value = state.value
            let met = state.waiters.filter { $0.value.isMet(value) }
            for id in met.keys { state.waiters[id] = nil }
            return (result, met.values)
        }
        for waiter in woken { waiter.continuation.resume() }
        return result
    }

    /// Waits until the value is as asked, or the task is cancelled.
    func wait(until isMet: @escaping @Sendable (Value) -> Bool) async {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.early.remove(id) != nil || isMet(state.value) { return true }
                    state.waiters[id] = Waiter(isMet: isMet, continuation: continuation)
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: id)
                if waiter == nil { state.early.insert(id) }
                return waiter
            }
            waiter?.continuation.resume()
        }
    }
}
