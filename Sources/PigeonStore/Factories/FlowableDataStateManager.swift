public import PigeonCore

/// Names one kind of data, and keeps what its stores share. Make one for each kind, and keep it for as long as the program
/// runs:
///
/// ```swift
/// final class UserStateManager: FlowableDataStateManager<UserId>, @unchecked Sendable {
///     static let shared = UserStateManager()
///     private override init() {}
/// }
/// ```
///
/// The states themselves are in the client: `client.invalidate(.path(UserStateManager.shared.queryKey))` reaches all of the
/// kind. Put ``UnitHash`` in place of a key where there is only one piece of data.
open class FlowableDataStateManager<KEY: Hashable & Sendable>:
    @unchecked Sendable  // its properties are immutable and Sendable
{
    let identities = StoreIdentities<KEY>()
    private let name: Locked<QueryKey>
    /// Where lists go on whose factories do not keep that themselves.
    let keys = Shelf<KEY, KeptKeys>(capacity: 10_000)

    /// Creates a manager that is named after its type.
    public init() {
        name = Locked(StoreRoots.root(of: Self.self))
    }

    /// Creates a manager with a name of its own. A subclass overrides ``queryKey`` in its place.
    ///
    /// - Parameter queryKey: The path below which its stores are in a client. No other manager or cacher may have it.
    public convenience init(queryKey: QueryKey) {
        // With one designated initializer alone may a subclass write `override init() {}`, as StoreFlowable's users do.
        self.init()
        name.withLock { $0 = queryKey }
    }

    /// The path below which the stores of this kind are in a client. Always the same; no other manager or cacher has it.
    open var queryKey: QueryKey { name.withLock { $0 } }

    /// Empties the caches of all stores of this kind that are in use. Nothing that was asked for before lands after.
    public func clearAll() {
        keys.removeAll()
        identities.clear(below: queryKey)
    }
}

/// Where a list goes on.
final class KeptKeys: Sendable {
    let keys: PageKeys

    init(_ keys: PageKeys) {
        self.keys = keys
    }
}
