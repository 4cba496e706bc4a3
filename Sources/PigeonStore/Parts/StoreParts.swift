/// The cache of one store, in whichever style it is written.
struct StoreCache<DATA: Sendable>: Sendable {
    /// What there is, of a cache that need not be waited for. `nil` where it must be.
    var now: (@Sendable () -> SourceReading)?
    var load: @Sendable () async throws -> StoreData<DATA>?
    /// Replaces what is there; `nil` empties it.
    var save: @Sendable (DATA?) async throws -> Void
    var needsRefresh: @Sendable (DATA) async throws -> Bool
    var markStale: @Sendable () async throws -> Void = {}
    var onChange: @Sendable (@escaping @Sendable () -> Void) -> QuerySubscription? = { _ in nil }
    /// `nil` where data is no list.
    var pages: Pages?

    /// How a cache takes pages.
    struct Pages: Sendable {
        var loadKeys: @Sendable () async throws -> PageKeys
        var saveKeys: @Sendable (PageKeys) async throws -> Void
        var add: @Sendable (_ cached: StoreData<DATA>, _ new: DATA, PageDirection) async throws -> Void
    }
}

/// Where the data of one store comes from.
struct StoreOrigin<DATA: Sendable>: Sendable {
    /// Brings the whole, or its first page. `nil` if the origin ended without any.
    var fetch: @Sendable () async throws -> StoreContent<DATA>?
    /// Brings the page of a key, and the key of the one after it in the same direction.
    var fetchPage: (@Sendable (_ key: String, PageDirection) async throws -> (data: DATA, key: String?))?
}
