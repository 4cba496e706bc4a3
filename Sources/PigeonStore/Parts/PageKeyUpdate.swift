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
