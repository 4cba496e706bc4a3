public import PigeonCore

/// Identifies one kind of data, and stores the state that its stores share. Create one manager for each kind, and
/// retain it for as long as the program runs:
///
/// ```swift
/// final class UserStateManager: FlowableDataStateManager<UserId>, @unchecked Sendable {
///     static let shared = UserStateManager()
///     private override init() {}
/// }
/// ```
///
/// The states themselves are in the client: `client.invalidate(.path(UserStateManager.shared.queryKey))` invalidates
/// all data of the kind. If there is only one piece of data, use ``UnitHash`` as the key.
open class FlowableDataStateManager<KEY: Hashable & Sendable>:
    @unchecked Sendable  // its properties are immutable and Sendable
{
    let identities = StoreIdentities<KEY>()
    private let name: Locked<QueryKey>
    /// The page keys of lists whose factories do not store them.
    let keys = LRUCache<StoreSlot<KEY>, CachedKeys>(capacity: 10_000)

    /// Creates a manager with the name of its type.
    public init() {
        name = Locked(StoreRoots.root(of: Self.self))
    }

    /// Creates a manager with a custom name. A subclass overrides ``queryKey`` instead.
    ///
    /// - Parameter queryKey: The path of the manager's stores in a client. No other manager or cacher may have the same
    ///   path.
    public convenience init(queryKey: QueryKey) {
        // A subclass can write `override init() {}`, as users of StoreFlowable do, only if there is one designated
        // initializer.
        self.init()
        name.withLock { $0 = queryKey }
    }

    /// The path of this kind's stores in a client. It must not change, and no other manager or cacher may have the same
    /// path.
    open var queryKey: QueryKey { name.withLock { $0 } }

    /// Empties the caches of all stores of this kind that are in use. Answers to earlier requests are not
    /// stored afterwards.
    public func clearAll() {
        keys.removeAll()
        identities.clear(below: queryKey)
    }
}

final class CachedKeys: Sendable {
    let keys: PageKeys

    init(_ keys: PageKeys) {
        self.keys = keys
    }
}
