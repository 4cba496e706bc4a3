/// Keeps something attached for as long as it is held.
///
/// Ends when ``cancel()`` is called or when it is freed, whichever comes first.
public final class QuerySubscription: Sendable {
    private let onCancel: Locked<(@Sendable () -> Void)?>

    /// Creates a subscription from what ends it.
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
