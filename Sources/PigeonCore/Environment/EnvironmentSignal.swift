/// A fact about the surroundings that is on or off and tells who listens when it changes.
///
/// Connectivity, foreground activity and memory pressure are signals. On Apple's platforms PigeonUI feeds them from
/// the system; on Linux, and in tests, you do:
///
/// ```swift
/// let environment = QueryEnvironment()
/// environment.connectivity.set(false)          // every client with this environment is offline
/// ```
public final class EnvironmentSignal: Sendable {
    private struct State {
        var isOn: Bool
        var nextID = 0
        var listeners: [Int: @Sendable (Bool) -> Void] = [:]
        /// What was set and not told yet, to one listener or to all, and whether a thread is telling.
        var untold: [(isOn: Bool, listener: Int?)] = []
        var isTelling = false
    }

    private let state: Locked<State>

    /// Creates a signal with its first value.
    public init(_ isOn: Bool) {
        state = Locked(State(isOn: isOn))
    }

    /// The present value.
    public var isOn: Bool {
        state.withLock { $0.isOn }
    }

    /// Changes the value. Setting the same value again tells nobody.
    public func set(_ isOn: Bool) {
        state.withLock { state in
            guard state.isOn != isOn else { return }
            state.isOn = isOn
            state.untold.append((isOn, nil))
        }
        tell()
    }

    /// One thread at a time tells, so that every listener hears the values in the order they were set, and the last one
    /// last.
    private func tell() {
        while true {
            let next = state.withLock { state -> (isOn: Bool, listeners: [@Sendable (Bool) -> Void])? in
                guard !state.isTelling, !state.untold.isEmpty else { return nil }
                state.isTelling = true
                let (isOn, only) = state.untold.removeFirst()
                let told = state.listeners.filter { only == nil || $0.key == only }
                return (isOn, told.sorted { $0.key < $1.key }.map(\.value))
            }
            guard let next else { return }
            for listener in next.listeners { listener(next.isOn) }
            state.withLock { $0.isTelling = false }
        }
    }

    /// Calls `listener` with each new value, on a thread that sets one, until the subscription is cancelled or freed.
    public func onChange(_ listener: @escaping @Sendable (Bool) -> Void) -> QuerySubscription {
        add(listener, isToldNow: false)
    }

    /// Calls `listener` with the present value, and with each new one after it, as ``onChange(_:)`` does. No value that was
    /// set meanwhile comes before an older one.
    package func follow(_ listener: @escaping @Sendable (Bool) -> Void) -> QuerySubscription {
        let subscription = add(listener, isToldNow: true)
        tell()
        return subscription
    }

    private func add(_ listener: @escaping @Sendable (Bool) -> Void, isToldNow: Bool) -> QuerySubscription {
        let id = state.withLock { state in
            state.nextID += 1
            state.listeners[state.nextID] = listener
            if isToldNow { state.untold.append((state.isOn, state.nextID)) }
            return state.nextID
        }
        return QuerySubscription { [weak self] in
            // The closure is freed after the lock is: it may hold user values.
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
        }
    }
}
