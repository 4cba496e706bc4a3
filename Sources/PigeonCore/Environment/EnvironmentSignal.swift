/// A condition of the surroundings that is on or off, and notifies listeners when it changes.
///
/// Connectivity, foreground activity and memory pressure are signals. On Apple platforms, a module for user interfaces
/// can set them from the system. On Linux and in tests, you set them:
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
        /// Values that were set but not delivered yet, each for one listener or for all. `isDelivering` is true while a
        /// thread delivers.
        var pending: [(isOn: Bool, listener: Int?)] = []
        var isDelivering = false
    }

    private let state: Locked<State>

    /// Creates a signal with an initial value.
    public init(_ isOn: Bool) {
        state = Locked(State(isOn: isOn))
    }

    /// The current value.
    public var isOn: Bool {
        state.withLock { $0.isOn }
    }

    /// Changes the value, and notifies the listeners. Does nothing if the value is the same.
    public func set(_ isOn: Bool) {
        state.withLock { state in
            guard state.isOn != isOn else { return }
            state.isOn = isOn
            state.pending.append((isOn, nil))
        }
        deliver()
    }

    /// Delivers the pending values. Only one thread delivers at a time, so that every listener receives the values in
    /// the order in which they were set.
    private func deliver() {
        while true {
            let next = state.withLock { state -> (isOn: Bool, listeners: [@Sendable (Bool) -> Void])? in
                guard !state.isDelivering, !state.pending.isEmpty else { return nil }
                state.isDelivering = true
                let (isOn, only) = state.pending.removeFirst()
                let receivers = state.listeners.filter { only == nil || $0.key == only }
                return (isOn, receivers.sorted { $0.key < $1.key }.map(\.value))
            }
            guard let next else { return }
            for listener in next.listeners { listener(next.isOn) }
            state.withLock { $0.isDelivering = false }
        }
    }

    /// Calls `listener` with each new value, on a thread that sets one, until the subscription is cancelled or
    /// released.
    public func onChange(_ listener: @escaping @Sendable (Bool) -> Void) -> QuerySubscription {
        add(listener, receivesCurrent: false)
    }

    /// Calls `listener` with the current value, and then with each new one, as ``onChange(_:)`` does. Values arrive in
    /// the order in which they were set.
    package func follow(_ listener: @escaping @Sendable (Bool) -> Void) -> QuerySubscription {
        let subscription = add(listener, receivesCurrent: true)
        deliver()
        return subscription
    }

    private func add(_ listener: @escaping @Sendable (Bool) -> Void, receivesCurrent: Bool) -> QuerySubscription {
        let id = state.withLock { state in
            state.nextID += 1
            state.listeners[state.nextID] = listener
            if receivesCurrent { state.pending.append((state.isOn, state.nextID)) }
            return state.nextID
        }
        return QuerySubscription { [weak self] in
            // The closure is released after the lock, because it may retain user values.
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
        }
    }
}
