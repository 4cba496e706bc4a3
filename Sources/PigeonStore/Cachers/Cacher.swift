public import Foundation
public import PigeonCore

/// Caches data of one kind. The base class caches in memory, and a subclass can use another place.
///
/// ```swift
/// let users = Cacher<User.ID, User>(expireSeconds: 60)
/// let user = AnyStoreFlowable.from(cacher: users, fetcher: UserFetcher(), param: 42)
/// ```
///
/// A subclass overrides only the functions that it needs. They may throw where the base class does not:
///
/// ```swift
/// final class UserCacher: Cacher<User.ID, User>, @unchecked Sendable {
///     static let shared = UserCacher()
///     override func loadData(param: User.ID) async throws -> User? { try await database.user(param) }
///     override func saveData(data: User?, param: User.ID) async throws { try await database.save(data, param) }
/// }
/// ```
///
/// Create one cacher for each kind of data, and retain it. Its functions are called on any thread, one at a time for
/// each `param`. A function that waits for a store of its own `param` would wait forever. An error when reading starts
/// a fetch. An error when saving becomes the error of the state.
open class Cacher<PARAM: Hashable & Sendable, DATA: Sendable>:
    @unchecked Sendable  // its properties are immutable and Sendable
{
    let identities = StoreIdentities<PARAM>()
    let entries = LRUCache<PARAM, CachedData<DATA>>(capacity: 10_000)
    private let options: Locked<CacherOptions>

    /// Creates a cacher whose data does not expire, named after its type.
    public init() {
        options = Locked(CacherOptions(name: StoreRoots.root(of: Self.self)))
    }

    /// Creates a cacher. A subclass overrides ``expireSeconds`` and ``queryKey`` instead.
    ///
    /// - Parameters:
    ///   - expireSeconds: The time for which data is valid, in seconds.
    ///   - queryKey: The path of the cacher's stores in a client, by default the name of its type. No other manager or
    ///     cacher may have the same path.
    public convenience init(expireSeconds: TimeInterval, queryKey: QueryKey? = nil) {
        // A subclass can write `override init() {}`, as users of StoreFlowable do, only if there is one designated
        // initializer.
        self.init()
        options.withLock { options in
            options.lifetime = expireSeconds
            options.name = queryKey ?? options.name
        }
    }

    /// The path of this cacher's stores in a client. It must not change, and no other manager or cacher may have the
    /// same path.
    open var queryKey: QueryKey { options.withLock { $0.name } }

    /// The time for which data is valid, in seconds. `TimeInterval.infinity` by default.
    open var expireSeconds: TimeInterval { options.withLock { $0.lifetime } }

    /// The current time in seconds since 1970, from which the age of data is computed.
    open var epochSeconds: Double { Date().timeIntervalSince1970 }

    /// Reads the data. `nil` if there is none.
    ///
    /// The base class caches the data of the 10,000 params that were used most recently.
    open func loadData(param: PARAM) async throws -> DATA? {
        entries[param]?.facts.data?.value
    }

    /// Writes the data. `nil` empties it.
    open func saveData(data: DATA?, param: PARAM) async throws {
        keep(param) {
            $0.data = data.map { .whole($0) }
            if data == nil { $0.cachedAt = nil }
        }
    }

    /// Reads the time at which the data was fetched or written by the program, in seconds since 1970. 0 if the data
    /// must be fetched again, `nil` if the time is unknown.
    open func loadDataCachedAt(param: PARAM) async throws -> Double? {
        entries[param]?.facts.cachedAt
    }

    /// Writes the time at which the data was fetched or written by the program, in seconds since 1970, or 0 if it was
    /// invalidated.
    open func saveDataCachedAt(epochSeconds: Double, param: PARAM) async throws {
        keep(param) { $0.cachedAt = epochSeconds }
    }

    /// Returns true if the data must be fetched again.
    ///
    /// The default returns true if the data is as old as ``expireSeconds``, or was invalidated. If data expires, a
    /// missing or future date counts as old, so that setting the clock back never keeps data valid for longer.
    open func needRefresh(cachedData: DATA, param: PARAM) async throws -> Bool {
        isExpired(try await loadDataCachedAt(param: param))
    }

    func isExpired(_ cachedAt: Double?) -> Bool {
        if let cachedAt, cachedAt <= 0 { return true }
        guard expireSeconds < .infinity else { return false }
        guard let cachedAt else { return true }
        let age = epochSeconds - cachedAt
        return age < 0 || age >= expireSeconds
    }

    /// Returns a stream with an element for each change of the data outside the store, so that observers see it. The
    /// default returns `nil`: such changes are not observed.
    open func changes(param: PARAM) -> AsyncStream<Void>? { nil }

    /// Empties the data in memory at once, and then the caches of the stores that are in use. Answers to earlier
    /// requests are not stored afterwards. A subclass that stores data elsewhere overrides this to empty that place, and
    /// calls `super`.
    open func clear() {
        entries.removeAll()
        identities.clear(below: queryKey)
    }

    /// True if no function is overridden, so that the data in memory can be read without suspending.
    var isPlain: Bool { type(of: self) == Cacher.self }

    func keep(_ param: PARAM, _ change: (inout CachedData<DATA>.Facts) -> Void) {
        entries.update(param) { cached in
            var facts = cached?.facts ?? CachedData.Facts()
            change(&facts)
            cached = facts.isEmpty ? nil : CachedData(facts)
        }
    }
}

/// The name of a cacher, and how long its data is valid. Not nested in the cacher, which is generic: its type would be
/// looked up for each use.
private struct CacherOptions {
    var name: QueryKey
    var lifetime = TimeInterval.infinity
}

/// The cached data of one `param`.
final class CachedData<DATA: Sendable>: Sendable {
    struct Facts: Sendable {
        var data: StoreData<DATA>?
        var cachedAt: Double?
        var keys = PageKeys()

        var isEmpty: Bool { data == nil && cachedAt == nil && keys == PageKeys() }
    }

    let facts: Facts
    /// The data as a payload of the engine. All readers share one object, so they need not compare its content.
    let payload: Payload?

    init(_ facts: Facts) {
        self.facts = facts
        payload = facts.data.map { PayloadOf(StoreContent(data: $0, keys: facts.keys)) }
    }
}

/// Fetches data from its origin.
public protocol Fetcher<PARAM, DATA>: Sendable {
    /// The type of the parameter, which identifies a piece of data.
    associatedtype PARAM: Hashable & Sendable
    /// The type of the data.
    associatedtype DATA: Sendable

    /// Fetches the data.
    func fetch(param: PARAM) async throws -> DATA
}
