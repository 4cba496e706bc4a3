/// The interface between a conditional request and the cached copy that it validates.
///
/// The engine's `FetchContext` conforms. An HTTP client that accepts this protocol does not depend on the engine.
public protocol Revalidation<Value>: Sendable {
    /// The type of the requested value.
    associatedtype Value: Sendable

    /// The cached copy. `nil` if there is none.
    var previous: Value? { get }
    /// The validators that the server sent with the copy. Set the validators of the answer.
    var validators: FetchValidators { get nonmutating set }
    /// Sets how long the answer is fresh.
    func isFresh(for duration: Duration)
    /// Reports that the copy is still right.
    ///
    /// - Returns: The copy.
    /// - Throws: An error if there is no copy.
    func notModified() throws -> Value
}
