import PigeonCore
import PigeonREST

/// Something loadable that is in whatever state a test puts it.
final class ScriptedLoadable: Loadable {
    private struct State {
        var part = ResourceStatus.Part()
        var loads: [ScriptedLoad] = []
        var listeners: [Int: @Sendable () -> Void] = [:]
        var nextID = 0
    }

    private let state = Locked(State())

    var statusPart: ResourceStatus.Part { state.withLock { $0.part } }
    /// The loads that were asked for.
    var loads: [ScriptedLoad] { state.withLock { $0.loads } }
    /// How many listen.
    var listeners: Int { state.withLock { $0.listeners.count } }

    func change(_ change: (inout ResourceStatus.Part) -> Void) {
        let listeners = state.withLock { state in
            change(&state.part)
            return state.listeners.values
        }
        for listener in listeners { listener() }
    }

    func fail(_ message: String) {
        change { part in
            part.isLoading = false
            part.latestError = RequestError(userMessage: message, cause: nil)
        }
    }

    func reload() -> any ManualLoad {
        let load = ScriptedLoad()
        state.withLock { $0.loads.append(load) }
        return load
    }

    func onStatusChange(_ changed: @escaping @Sendable () -> Void) -> QuerySubscription {
        let id = state.withLock { state in
            state.nextID += 1
            state.listeners[state.nextID] = changed
            return state.nextID
        }
        return QuerySubscription { [weak self] in
            let old = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
            _ = old  // freed after the lock is
        }
    }
}

/// A load that ends when a test says so.
final class ScriptedLoad: ManualLoad {
    private let actions = Locked<[@Sendable () -> Void]>([])

    func whenEnded(_ action: @escaping @Sendable () -> Void) {
        actions.withLock { $0.append(action) }
    }

    func end() {
        let actions = actions.withLock { actions in
            defer { actions = [] }
            return actions
        }
        for action in actions { action() }
    }
}
