/// The cache of one store, made from a factory or a cacher.
struct StoreCache<DATA: Sendable>: Sendable {
    /// Reads the content of a cache without suspending. `nil` for a cache that cannot do that.
    var now: (@Sendable () -> SourceContent?)?
    var load: @Sendable () async throws -> StoreData<DATA>?
    /// Replaces the content. `nil` empties the cache.
    var save: @Sendable (DATA?) async throws -> Void
    /// Writes back the content from before a change, without a new date.
    var restore: @Sendable (DATA?) async throws -> Void
    var needsRefresh: @Sendable (DATA) async throws -> Bool
    var markStale: @Sendable () async throws -> Void = {}
    /// `nil` for a cache that does not report changes.
    var onChange: (@Sendable (@escaping @Sendable () -> Void) -> QuerySubscription?)?
    /// Adds pages. `nil` if the data is not a list.
    var pages: PageOperations?

    struct PageOperations: Sendable {
        var loadKeys: @Sendable () async throws -> PageKeys
        var saveKeys: @Sendable (PageKeys) async throws -> Void
        var add: @Sendable (_ cached: StoreData<DATA>, _ new: DATA, PageDirection) async throws -> Void
    }
}

extension StoreCache {
    /// Replaces a list and its keys. If the keys cannot be written, writes back the old content, which is then stale.
    func saveList(_ data: DATA, _ keys: PageKeys, in pages: PageOperations) async throws {
        let old = try? await load()
        let oldKeys = try? await pages.loadKeys()
        try await save(data)
        do {
            try await saveKeys(keys, in: pages, orRestore: old, oldKeys ?? PageKeys())
        } catch {
            if old != nil { try? await markStale() }
            throw error
        }
    }

    /// Adds a page to a list, and replaces its keys. If the keys cannot be written, writes back the old content.
    func addPage(
        _ page: DATA, _ direction: PageDirection, to old: StoreData<DATA>, _ oldKeys: PageKeys, _ keys: PageKeys,
        in pages: PageOperations
    ) async throws {
        try await pages.add(old, page, direction)
        try await saveKeys(keys, in: pages, orRestore: old, oldKeys)
    }

    /// Writes keys after the data was written. If that fails, writes both back: of two keys, the first may have been
    /// written.
    private func saveKeys(
        _ keys: PageKeys, in pages: PageOperations, orRestore old: StoreData<DATA>?, _ oldKeys: PageKeys
    ) async throws {
        do {
            try await pages.saveKeys(keys)
        } catch {
            try? await restore(old?.value)
            try? await pages.saveKeys(oldKeys)
            throw error
        }
    }
}

struct StoreOrigin<DATA: Sendable>: Sendable {
    /// Fetches the whole data, or its first page. `nil` if the origin completed without a value.
    var fetch: @Sendable () async throws -> StoreContent<DATA>?
    /// Fetches the page of a key, and the key of the next page in the same direction.
    var fetchPage: (@Sendable (_ key: String, PageDirection) async throws -> (data: DATA, key: String?))?
}

/// The content of a store's entry: the data, and the page keys of a list.
struct StoreContent<DATA: Sendable>: Sendable {
    let data: StoreData<DATA>
    var keys = PageKeys()
}

extension StoreContent {
    init(whole data: DATA, keys: PageKeys = PageKeys()) {
        self.init(data: .whole(data), keys: keys)
    }
}

extension StoreContent: Equatable where DATA: Equatable {}

/// The keys of the next and the previous page. A key is `nil` or empty if there is no such page.
public struct PageKeys: Sendable, Hashable, Codable {
    /// The key of the next page.
    public var next: String?
    /// The key of the previous page.
    public var prev: String?

    /// Creates keys. Without keys, the list ends at both sides.
    public init(next: String? = nil, prev: String? = nil) {
        self.next = next
        self.prev = prev
    }

    /// The key of a direction, unless the list ends there.
    package subscript(direction: PageDirection) -> String? {
        get {
            let key = direction == .next ? next : prev
            return key?.isEmpty == false ? key : nil
        }
        set {
            if direction == .next { next = newValue } else { prev = newValue }
        }
    }
}

enum StoreData<DATA: Sendable>: Sendable {
    case whole(DATA)
    case lazy(any LazyData<DATA>)

    var value: DATA {
        switch self {
        case .whole(let data): data
        case .lazy(let lazy): lazy.value
        }
    }
}

extension StoreData: Equatable where DATA: Equatable {
    static func == (one: StoreData, other: StoreData) -> Bool {
        if case .lazy(let mine) = one, case .lazy(let its) = other, mine.isSame(as: its) { return true }
        return one.value == other.value
    }
}

/// Data that is computed when it is read.
protocol LazyData<Value>: Sendable {
    associatedtype Value: Sendable

    var value: Value { get }

    /// Returns true if both are known to compute the same value.
    func isSame(as other: any LazyData<Value>) -> Bool
}

/// The effect on the key of the next or previous page when the program changes the data.
public enum PageKeyUpdate: Sendable, Hashable {
    /// The key stays.
    case keep
    /// The list continues with the page of this key. An empty key ends the list.
    case set(String)
    /// The list ends here.
    case end

    init(_ key: String?) {
        self = key.map { $0.isEmpty ? .end : .set($0) } ?? .keep
    }
}
