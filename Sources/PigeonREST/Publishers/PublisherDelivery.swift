internal import PigeonBase

/// Where a publisher of resources delivers.
public enum PublisherDelivery: Sendable, Hashable {
    /// On the main actor: at once when what happens, happens there, and as soon as it is free when not. The default.
    case main
    /// On the thread on which it happens: for programs that have no main run loop.
    case immediate

    /// Has `body` called there.
    func perform(_ body: @escaping @Sendable () -> Void) {
        switch self {
        case .main: MainActor.runSoon(body)
        case .immediate: body()
        }
    }
}
