/// Closures that are called when something may have changed, until their subscriptions end.
final class Listeners: Sendable {
    private let state = Locked<(last: UInt64, all: Roster<@Sendable () -> Void>)>((0, Roster()))

    func add(_ listener: @escaping @Sendable () -> Void) -> QuerySubscription {
        let number = state.withLock { state in
            state.last += 1
            state.all.set(listener, state.last)
            return state.last
        }
        return QuerySubscription { [weak self] in
            let old = self?.state.withLock { $0.all.remove(number) }
            _ = old  // released outside the lock
        }
    }

    /// Calls all closures, in the order in which they were added.
    func call() {
        for listener in state.withLock({ $0.all }) { listener() }
    }
}
