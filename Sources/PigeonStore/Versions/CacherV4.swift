// Cachers of version 4 do not throw, so calls of them need no `try`. Each class below is a cacher whose functions are
// declared without `throws`. The functions that they call never throw, because all of them are overridden or use only
// memory.

/// Caches data of one kind, with functions that do not throw, as in version 4.
///
/// Declare the old name in a module whose cachers call `super` or are called directly:
///
/// ```swift
/// typealias Cacher = CacherV4
/// ```
///
/// A ``Cacher`` may throw instead, so that an error of your database is not lost.
open class CacherV4<PARAM: Hashable & Sendable, DATA: Sendable>: Cacher<PARAM, DATA>,
    @unchecked Sendable  // it adds no property
{
    /// Creates a cacher whose data does not expire, named after its type.
    public override init() { super.init() }

    override var isPlain: Bool { type(of: self) == CacherV4.self }

    /// Reads the data. `nil` if there is none.
    open override func loadData(param: PARAM) async -> DATA? { try? await super.loadData(param: param) }

    /// Writes the data. `nil` empties it.
    open override func saveData(data: DATA?, param: PARAM) async { try? await super.saveData(data: data, param: param) }

    /// Reads the time at which the data was cached, in seconds since 1970.
    open override func loadDataCachedAt(param: PARAM) async -> Double? {
        try? await super.loadDataCachedAt(param: param)
    }

    /// Writes the time at which the data was cached, in seconds since 1970.
    open override func saveDataCachedAt(epochSeconds: Double, param: PARAM) async {
        try? await super.saveDataCachedAt(epochSeconds: epochSeconds, param: param)
    }

    /// Decides whether the data is fetched again.
    open override func needRefresh(cachedData: DATA, param: PARAM) async -> Bool {
        (try? await super.needRefresh(cachedData: cachedData, param: param)) ?? true
    }
}

/// Caches lists that grow at their end, with functions that do not throw, as in version 4.
///
/// Inherits from the cacher of lists that grow at both sides, so that ``TwoWayPaginationCacherV4`` can inherit from it.
open class PaginationCacherV4<PARAM: Hashable & Sendable, DATA: Sendable>: TwoWayPaginationCacher<PARAM, DATA>,
    @unchecked Sendable  // it adds no property
{
    /// Creates a cacher whose data does not expire, named after its type.
    public override init() { super.init() }

    override var isPlain: Bool { type(of: self) == PaginationCacherV4.self }

    /// Reads the list. `nil` if there is none.
    open override func loadData(param: PARAM) async -> [DATA]? { try? await super.loadData(param: param) }

    /// Writes the list. `nil` empties it.
    open override func saveData(data: [DATA]?, param: PARAM) async {
        try? await super.saveData(data: data, param: param)
    }

    /// Reads the time at which the list was cached, in seconds since 1970.
    open override func loadDataCachedAt(param: PARAM) async -> Double? {
        try? await super.loadDataCachedAt(param: param)
    }

    /// Writes the time at which the list was cached, in seconds since 1970.
    open override func saveDataCachedAt(epochSeconds: Double, param: PARAM) async {
        try? await super.saveDataCachedAt(epochSeconds: epochSeconds, param: param)
    }

    /// Decides whether the list is fetched again.
    open override func needRefresh(cachedData: [DATA], param: PARAM) async -> Bool {
        (try? await super.needRefresh(cachedData: cachedData, param: param)) ?? true
    }

    /// Writes the next page after the cached data.
    open override func saveNextData(cachedData: [DATA], newData: [DATA], param: PARAM) async {
        try? await super.saveNextData(cachedData: cachedData, newData: newData, param: param)
    }

    /// Reads the key of the next page. `nil` or empty at the end of the list.
    open override func loadNextRequestKey(param: PARAM) async -> String? {
        try? await super.loadNextRequestKey(param: param)
    }

    /// Writes the key of the next page. `nil` or empty at the end of the list.
    open override func saveNextRequestKey(requestKey: String?, param: PARAM) async {
        try? await super.saveNextRequestKey(requestKey: requestKey, param: param)
    }
}

/// Caches lists that grow at both sides, with functions that do not throw, as in version 4.
open class TwoWayPaginationCacherV4<PARAM: Hashable & Sendable, DATA: Sendable>: PaginationCacherV4<PARAM, DATA>,
    @unchecked Sendable  // it adds no property
{
    /// Creates a cacher whose data does not expire, named after its type.
    public override init() { super.init() }

    override var isPlain: Bool { type(of: self) == TwoWayPaginationCacherV4.self }

    /// Writes the previous page before the cached data.
    open override func savePrevData(cachedData: [DATA], newData: [DATA], param: PARAM) async {
        try? await super.savePrevData(cachedData: cachedData, newData: newData, param: param)
    }

    /// Reads the key of the previous page. `nil` or empty at the start of the list.
    open override func loadPrevRequestKey(param: PARAM) async -> String? {
        try? await super.loadPrevRequestKey(param: param)
    }

    /// Writes the key of the previous page. `nil` or empty at the start of the list.
    open override func savePrevRequestKey(requestKey: String?, param: PARAM) async {
        try? await super.savePrevRequestKey(requestKey: requestKey, param: param)
    }
}
