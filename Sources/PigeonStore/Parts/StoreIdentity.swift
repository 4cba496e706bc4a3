/// What the stores of one key share, whoever makes them: the key of their entry, and the lane in which their cache is used.
final class StoreIdentity: Sendable {
    let key: QueryKey
    let lane = SourceLane()
    private let onDeinit: @Sendable () -> Void

    init(key: QueryKey, onDeinit: @escaping @Sendable () -> Void) {
        self.key = key
        self.onDeinit = onDeinit
    }

    deinit {
        onDeinit()
    }
}
