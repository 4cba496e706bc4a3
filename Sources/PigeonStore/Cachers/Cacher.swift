public import Foundation
public import PigeonCore

/// Keeps data of one kind: in memory, unless you override where.
///
/// ```swift
/// let users = Cacher<User.ID, User>(expireSeconds: 60)
/// let user = AnyStoreFlowable.from(cacher: users, fetcher: UserFetcher(), param: 42)
/// ```
///
/// A cacher of your own overrides what it needs, and may throw where the base class does not:
///
/// ```swift
/// final class UserCacher: Cacher<User.ID, User>, @unchecked Sendable {
///     static let shared = UserCacher()
///     override func loadData(param: User.ID) async throws -> User? { try await database.user(param) }
///     override func saveData(data: User?, param: User.ID) async throws { try await database.save(data, param) }
/// }
/// ```
///
/// Make one for each kind of data, and keep it. Functions are called on any thread, one at a time for each `param`: one that
/// waits for a store of its own `param` would wait for ever. What is thrown when reading leads to a fetch; what is thrown
/// when saving is the state's error.
open class Cacher<PARAM: Hashable & Sendable, DATA: Sendable>:
    @unchecked Sendable  // its properties are immutable and Sendable
{
    let identities = StoreIdentities<PARAM>()
    let shelf = Shelf<PARAM, Kept<DATA>>(capacity: 10_000)
    private let terms: Locked<Terms>

    private struct Terms {
        var name: QueryKey
        var lifetime = TimeInterval.infinity
    }

    /// Creates a cacher whose data does not expire, named after its type.
    public init() {
        terms = Locked(Terms(name: StoreRoots.root(of: Self.self)))
    }

    /// Creates a cacher. A subclass overrides ``expireSeconds`` and ``queryKey`` in its place.
    ///
    /// - Parameters:
    ///   - expireSeconds: For how many seconds data is valid.
    ///   - queryKey: The path below which its stores are in a client. By default its type's name. No other manager or cacher
    ///     may have it.
    public convenience init(expireSeconds: TimeInterval, queryKey: QueryKey? = nil) {
        // With one designated initializer alone may a subclass write `override init() {}`, as StoreFlowable's users do.
        self.init()
        terms.withLock { terms in
            terms.lifetime = expireSeconds
            terms.name = queryKey ?? terms.name
        }
    }

    /// The path below which the stores of this cacher are in a client. Always the same; no other manager or cacher has it.
    open var queryKey: QueryKey { terms.withLock { $0.name } }

    /// For how many seconds data is valid. `TimeInterval.infinity` by default.
    open var expireSeconds: TimeInterval { terms.withLock { $0.lifetime } }

    /// The time by which data expires, in seconds since 1970.
    open var epochSeconds: Double { Date().timeIntervalSince1970 }

    /// Reads the data. `nil` when there is none.
    ///
    /// The base class keeps what was used last, for 10,000 params.
    open func loadData(param: PARAM) async throws -> DATA? {
        shelf[param]?.facts.data?.value
    }

    /// Writes the data. `nil` empties it.
    open func saveData(data: DATA?, param: PARAM) async throws {
        keep(param) {
            $0.data = data.map { .whole($0) }
            if data == nil { $0.cachedAt = nil }
        }
    }

    /// When the data was fetched or written by the program, in seconds since 1970. 0 when it is to be fetched again; `nil`
    /// when that is not known.
    open func loadDataCachedAt(param: PARAM) async throws -> Double? {
        shelf[param]?.facts.cachedAt
    }

    /// Notes when the data was fetched or written by the program, in seconds since 1970, or 0 when it was invalidated.
    open func saveDataCachedAt(epochSeconds: Double, param: PARAM) async throws {
        keep(param) { $0.cachedAt = epochSeconds }
    }

    /// Whether the data is to be fetched again.
    ///
    /// By default when it is as old as ``expireSeconds``, or was invalidated. Where data expires, a date that is missing or
    /// lies in the future counts as old: a clock that was set back makes nothing valid for longer.
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

    /// Tells whenever the data was changed by somebody else, so that those who follow see it. `nil`, as by default, when
    /// that is not known.
    open func changes(param: PARAM) -> AsyncStream<Void>? { nil }

    /// Empties all: what is in memory at once, and then the caches of the stores that are in use. Nothing that was asked for
    /// before lands after. Override it to empty a place of your own, and call this.
    open func clear() {
        shelf.removeAll()
        identities.clear(below: queryKey)
    }

    /// Whether nothing is overridden, so that what is kept in memory need not be waited for.
    var isPlain: Bool { type(of: self) == Cacher.self }

    func keep(_ param: PARAM, _ change: (inout Kept<DATA>.Facts) -> Void) {
        shelf.update(param) { kept in
            var facts = kept?.facts ?? Kept.Facts()
            change(&facts)
            kept = facts.isEmpty ? nil : Kept(facts)
        }
    }
}

/// What a cacher knows of one `param`.
final class Kept<DATA: Sendable>: Sendable {
    struct Facts: Sendable {
        var data: StoreData<DATA>?
        var cachedAt: Double?
        var keys = PageKeys()

        var isEmpty: Bool { data == nil && cachedAt == nil && keys == PageKeys() }
    }

    let facts: Facts
    /// The same as the engine carries it: one object for all who read it, so that nobody has to compare what is in it.
    let payload: Payload?

    init(_ facts: Facts) {
        self.facts = facts
        payload = facts.data.map { PayloadOf(StoreContent(data: $0, keys: facts.keys)) }
    }
}

/// Brings data from its origin.
public protocol Fetcher<PARAM, DATA>: Sendable {
    /// What tells one piece of data from another.
    associatedtype PARAM: Hashable & Sendable
    /// The data.
    associatedtype DATA: Sendable

    /// Fetches the data.
    func fetch(param: PARAM) async throws -> DATA
}
