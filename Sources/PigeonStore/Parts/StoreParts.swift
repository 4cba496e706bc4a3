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

/// What the entry of a store holds: the data, and where its list goes on.
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

/// What the next and the previous page are asked by. `nil`, like an empty text, where there is none.
public struct PageKeys: Sendable, Hashable, Codable {
    /// What the next page is asked by.
    public var next: String?
    /// What the previous page is asked by.
    public var prev: String?

    /// Creates keys. Without any, the list ends at both sides.
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

/// Data that is there, or that is made when somebody looks at it.
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

/// Data that is made when somebody looks at it.
protocol LazyData<Value>: Sendable {
    associatedtype Value: Sendable

    var value: Value { get }

    /// Whether both are known to make the same.
    func isSame(as other: any LazyData<Value>) -> Bool
}

/// What becomes of the key that the next or the previous page is asked by, when the program changes the data itself.
public enum PageKeyUpdate: Sendable, Hashable {
    /// It stays.
    case keep
    /// The list goes on with the page of this key. An empty one ends it.
    case set(String)
    /// The list ends here.
    case end

    init(_ key: String?) {
        self = key.map { $0.isEmpty ? .end : .set($0) } ?? .keep
    }
}
