/// What a conditional request needs to know of the copy it asks after, and says of the answer.
///
/// The engine's `FetchContext` is one. An HTTP client that takes any of them needs to know nothing of the engine.
public protocol Revalidation<Value>: Sendable {
    /// What is asked for.
    associatedtype Value: Sendable

    /// The copy at hand, if there is one.
    var previous: Value? { get }
    /// What the server gave with the copy. Set what it gives with the answer.
    var validators: FetchValidators { get nonmutating set }
    /// Says how long the answer is fresh.
    func isFresh(for duration: Duration)
    /// Says that the copy is still right.
    ///
    /// - Returns: The copy.
    /// - Throws: When there is none.
    func notModified() throws -> Value
}
