import PigeonBase

/// A value that is changed by some and waited on by others.
final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let isMet: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var value: Value
        var waiters: [Int: Waiter] = [:]
        var nextID = 0
        var cancelled: Set<Int> = []
    }

    private let state: Locked<State>

    init(_ value: Value) {
        state = Locked(State(value: value))
    }

    var value: Value { state.withLock { $0.value } }

    /// Changes the value, and wakes who waited for that.
    @discardableResult
    func update<Result>(_ change: (inout Value) -> Result) -> Result {
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
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.cancelled.remove(id) != nil || isMet(state.value) { return true }
                    state.waiters[id] = Waiter(isMet: isMet, continuation: continuation)
                    return false
                }
                if goesOn { continuation.resume() }
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

/// Holds whoever waits until it is opened.
final class Latch: Sendable {
    private let isOpen = Watched(false)

    func open() {
        isOpen.update { $0 = true }
    }

    func wait() async {
        await isOpen.wait { $0 }
    }
}
