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
