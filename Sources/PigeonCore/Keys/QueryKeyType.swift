/// A type whose values identify pieces of server data by text.
public protocol QueryKeyType {
    /// The canonical text of the key.
    var queryKeyValue: String { get }
}
