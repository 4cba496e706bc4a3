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
