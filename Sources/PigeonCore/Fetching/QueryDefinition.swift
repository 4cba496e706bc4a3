/// What belongs together: a key, the type of its value, how to fetch it, and the policy.
///
/// ```swift
/// extension QueryDefinition where Value == User {
///     static func user(_ id: User.ID) -> Self {
///         QueryDefinition("users", id) { _ in try await api.user(id) }
///             .staleAfter(.seconds(30))
///             .tagged("users")
///             .retry(.standard)
///     }
/// }
/// let user = try await client.fetch(.user(42))
/// ```
///
/// A definition is a value: make it where it is used. Modifiers return the same type; the last one wins, and their
/// order does not matter.
public struct QueryDefinition<Value: Sendable>: Sendable {
    /// The key.
    public internal(set) var key: QueryKey

    package var fetcher: AnyFetcher?
    package var changes: OptionChanges?
    package var extras: Extras?

    /// What few definitions have.
    package struct Extras: Sendable {
        package var persistence: Persistence?
        package var freshFor: (@Sendable (Value) -> StaleTime)?
        package var cost: (@Sendable (Value) -> Int)?
        package var initial: (@Sendable () -> (Value, age: Duration)?)?
        package var placeholder: (@Sendable (Value?) -> Value?)?
        package var reading: Reading?
    }

    /// What stands in for a value that is not there yet, from the value shown before.
    @usableFromInline
    package var placeholder: (@Sendable (Value?) -> Value?)? { extras?.placeholder }

    package init(key: QueryKey, fetcher: AnyFetcher?) {
        self.key = key
        self.fetcher = fetcher
    }

    /// Defines a query by the components of its key and its fetcher.
    ///
    /// - Parameters:
    ///   - first: The first component of the key. A literal that stands alone is the whole key: `"users/42"`.
    ///   - rest: The others.
    ///   - fetch: Brings the value. Runs on the caller's thread until it first suspends, never under a lock.
    @_disfavoredOverload
    public init(
        _ first: any QueryKeyComponent, _ rest: any QueryKeyComponent...,
        fetch: @escaping @Sendable (FetchContext<Value>) async throws -> Value
    ) {
        self.init(key: QueryKey(first: first, rest: rest), fetch: fetch)
    }

    /// Defines a query by its key and its fetcher. The same as ``init(key:fetch:)``.
    public init(_ key: QueryKey, fetch: @escaping @Sendable (FetchContext<Value>) async throws -> Value) {
        self.init(key: key, fetch: fetch)
    }

    /// Defines a query by its key and its fetcher.
    public init(key: QueryKey, fetch: @escaping @Sendable (FetchContext<Value>) async throws -> Value) {
        self.init(key: key, fetcher: .closure(fetch))
    }

    /// Defines a query whose fetcher is a stream: each value is shown as it comes, and the last one stays.
    ///
    /// A stream that ends without a value is a failure, ``QueryError/noValue(key:)``.
    public static func stream<Values: AsyncSequence & Sendable>(
        key: QueryKey, _ values: @escaping @Sendable (FetchContext<Value>) async throws -> Values
    ) -> QueryDefinition where Values.Element == Value {
        QueryDefinition(
            key: key,
            fetcher: AnyFetcher { run in
                do {
                    let context = FetchContext<Value>(run: run)
                    for try await value in try await values(context) { context.yield(value) }
                    return .finished
                } catch {
                    return .failure(error)
                }
            })
    }

    /// Names a value that is only read and written, never fetched.
    public static func value(at key: QueryKey) -> QueryDefinition {
        QueryDefinition(key: key, fetcher: nil)
    }
}

/// The option changes of a definition, shared by its copies.
package final class OptionChanges: Sendable {
    package let apply: [@Sendable (inout QueryOptions) -> Void]

    package init(_ apply: [@Sendable (inout QueryOptions) -> Void]) {
        self.apply = apply
    }
}
