/// A subscription that lasts for as long as this object is retained.
///
/// It ends when ``cancel()`` is called or when the object is released, whichever comes first.
public final class QuerySubscription: Sendable {
    private let onCancel: Locked<(@Sendable () -> Void)?>

    /// Creates a subscription with a closure that ends it. The closure is called at most once.
    public init(_ onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = Locked(onCancel)
    }

    deinit {
        cancel()
    }

    /// Ends the subscription. Further calls do nothing.
    public func cancel() {
        let action = onCancel.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
    }
}

/// Closures that are called when something may have changed, until their subscriptions end.
package final class Listeners: Sendable {
    private let state = Locked<(last: UInt64, all: Roster<@Sendable () -> Void>)>((0, Roster()))

    package init() {}

    package func add(_ listener: @escaping @Sendable () -> Void) -> QuerySubscription {
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
    package func call() {
        for listener in state.withLock({ $0.all }) { listener() }
    }
}
