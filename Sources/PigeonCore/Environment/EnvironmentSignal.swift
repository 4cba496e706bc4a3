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
        typealias Pending = (isOn: Bool, listener: UInt64?)

        var isOn: Bool
        var nextID: UInt64 = 0
        var listeners = Roster<@Sendable (Bool) -> Void>()
        /// Values that were set but not delivered yet, each for one listener or for all.
        var pending = SerialDelivery<Pending>()

        /// Returns a value with its listeners, in the order in which they were added.
        func addressed(_ next: Pending) -> (isOn: Bool, listeners: [@Sendable (Bool) -> Void]) {
            guard let listener = next.listener else { return (next.isOn, Array(listeners)) }
            return (next.isOn, [listeners[listener]].compactMap { $0 })
        }
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
            state.pending.add((isOn, nil))
        }
        deliver()
    }

    /// Delivers the pending values. Only one thread delivers at a time, so that every listener receives the values in
    /// the order in which they were set.
    private func deliver() {
        var next = state.withLock { state in state.pending.begin().map { state.addressed($0) } }
        while let (isOn, listeners) = next {
            for listener in listeners { listener(isOn) }
            next = state.withLock { state in state.pending.next().map { state.addressed($0) } }
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
            state.listeners.set(listener, state.nextID)
            if receivesCurrent { state.pending.add((state.isOn, state.nextID)) }
            return state.nextID
        }
        return QuerySubscription { [weak self] in
            // The closure is released after the lock, because it may retain user values.
            _ = self?.state.withLock { $0.listeners.remove(id) }
        }
    }
}
