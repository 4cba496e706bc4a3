/// Defines a query: its key, the type of its value, its fetcher and its options.
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
/// A definition is a value, so create it where it is used. Modifiers return the same type, and can be applied in any
/// order. If a modifier is applied twice, the last one wins.
public struct QueryDefinition<Value: Sendable>: Sendable {
    /// The key of the query.
    public internal(set) var key: QueryKey

    package var fetcher: AnyFetcher?
    /// The options that the definition sets. `nil` for none.
    package var overrides: OptionOverrides?
    package var extras: Extras?

    /// Properties that few definitions have. An object, so that definitions without them are small.
    package final class Extras: @unchecked Sendable {  // changed only by its sole owner
        @exclusivity(unchecked) package var persistence: Persistence?
        @exclusivity(unchecked) package var sharing: Persistence?
        @exclusivity(unchecked) package var freshFor: (@Sendable (Value) -> StaleTime)?
        @exclusivity(unchecked) package var isFinal: (@Sendable (Value) -> Bool)?
        @exclusivity(unchecked) package var cost: (@Sendable (Value) -> Int)?
        @exclusivity(unchecked) package var initial: (@Sendable () -> (Value, age: Duration)?)?
        @exclusivity(unchecked) package var placeholder: (@Sendable (Value?) -> Value?)?
        @exclusivity(unchecked) package var reading: Reading?
        /// `nil` if the definition does not say what its values contain.
        @exclusivity(unchecked) package var containment: Containment?

        init(copying other: Extras?) {
            guard let other else { return }
            (persistence, sharing, reading) = (other.persistence, other.sharing, other.reading)
            (freshFor, isFinal, cost) = (other.freshFor, other.isFinal, other.cost)
            (initial, placeholder, containment) = (other.initial, other.placeholder, other.containment)
        }
    }

    /// Makes a placeholder from the value that was shown before.
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
    ///   - rest: The other components.
    ///   - fetch: Loads the value. Runs on the caller's thread until it first suspends, never under a lock.
    @_disfavoredOverload
    public init(
        _ first: any QueryKeyComponent, _ rest: any QueryKeyComponent...,
        fetch: @escaping @Sendable (FetchContext<Value>) async throws -> Value
    ) {
        self.init(key: QueryKey(first: first, rest: rest), fetcher: .closure(fetch))
    }

    /// Defines a query by its key and its fetcher.
    public init(_ key: QueryKey, fetch: @escaping @Sendable (FetchContext<Value>) async throws -> Value) {
        self.init(key: key, fetcher: .closure(fetch))
    }

    /// Defines a query by the components of its key and a fetcher that is a stream. Each value is shown when it arrives, and
    /// the last one stays.
    ///
    /// ```swift
    /// let price = QueryDefinition<Int>.stream("prices", name) { _ in market.prices(of: name) }
    /// ```
    ///
    /// A stream that ends without a value fails with ``QueryError/noValue(key:)``.
    @_disfavoredOverload
    public static func stream<Values: AsyncSequence & Sendable>(
        _ first: any QueryKeyComponent, _ rest: any QueryKeyComponent...,
        values: @escaping @Sendable (FetchContext<Value>) async throws -> Values
    ) -> QueryDefinition where Values.Element == Value {
        stream(QueryKey(first: first, rest: rest), values: values)
    }

    /// Defines a query by its key and a fetcher that is a stream.
    public static func stream<Values: AsyncSequence & Sendable>(
        _ key: QueryKey, values: @escaping @Sendable (FetchContext<Value>) async throws -> Values
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

    /// Defines nothing: a key without a value, which is never fetched. Stands for a query whose request is not known yet:
    ///
    /// ```swift
    /// let depot = client.observe(parcel.value.map { .depot($0.depotID) } ?? .nothing)
    /// ```
    public static var nothing: QueryDefinition { value(.ofNothing).enabled(false) }

    /// Defines a value that is only read and written, and never fetched, by the components of its key.
    ///
    /// ```swift
    /// static var settings: Self { .value("settings").staleAfter(.never).persisted() }
    /// ```
    @_disfavoredOverload
    public static func value(_ first: any QueryKeyComponent, _ rest: any QueryKeyComponent...) -> QueryDefinition {
        value(QueryKey(first: first, rest: rest))
    }

    /// Defines a value that is only read and written, and never fetched, by its key.
    public static func value(_ key: QueryKey) -> QueryDefinition {
        QueryDefinition(key: key, fetcher: nil)
    }
}
