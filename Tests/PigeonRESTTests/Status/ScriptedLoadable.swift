import PigeonREST

/// A loadable whose state a test sets, and which counts its reloads and listeners.
final class ScriptedLoadable: Loadable {
    private struct State {
        var part = ResourceStatus.Part()
        var reloads = 0
        var listeners: [Int: @Sendable () -> Void] = [:]
        var nextID = 0
    }

    private let state = Locked(State())
    let load = ScriptedLoad()
    let name: String

    init(_ name: String = "", isLoading: Bool = false, hasContent: Bool = false, failed message: String? = nil) {
        self.name = name
        state.withLock { state in
            state.part.isLoading = isLoading
            state.part.hasContent = hasContent
            state.part.latestError = message.map { RequestError(userMessage: $0, cause: Mishap()) }
        }
    }

    var statusPart: ResourceStatus.Part { state.withLock { $0.part } }
    var reloads: Int { state.withLock { $0.reloads } }
    /// Number of listeners.
    var listeners: Int { state.withLock { $0.listeners.count } }

    func change(_ change: (inout ResourceStatus.Part) -> Void) {
        let listeners = state.withLock { state in
            change(&state.part)
            return state.listeners.values
        }
        for listener in listeners { listener() }
    }

    func reload() -> any ManualLoad {
        state.withLock { $0.reloads += 1 }
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
            _ = old
        }
    }
}

/// A load that ends when a test says so.
final class ScriptedLoad: ManualLoad {
    private let state = Locked<(isOver: Bool, actions: [@Sendable () -> Void])>((false, []))

    func whenEnded(_ action: @escaping @Sendable () -> Void) {
        let isOver = state.withLock { state in
            if !state.isOver { state.actions.append(action) }
            return state.isOver
        }
        if isOver { action() }
    }

    func end() {
        let actions = state.withLock { state in
            defer { state = (true, []) }
            return state.actions
        }
        for action in actions { action() }
    }
}
