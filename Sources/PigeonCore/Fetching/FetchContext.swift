/// Gives a fetcher information about its fetch, and lets it report more than the value.
///
/// ```swift
/// let user = QueryDefinition<User>("users", id) { context in
///     let answer = try await api.user(id, unless: context.validators.eTag)
///     guard let user = answer.user else { return try context.notModified() }
///     context.validators.eTag = answer.eTag
///     context.isFresh(for: .seconds(60))
///     return user
/// }
/// ```
public struct FetchContext<Value: Sendable>: Sendable {
    package let run: FetchRun

    package init(run: FetchRun) {
        self.run = run
    }

    /// The key that is fetched.
    public var key: QueryKey { run.key }

    /// Number of the attempt, from 1.
    public var attempt: Int { run.attempt + 1 }

    /// The cause of the fetch.
    public var cause: Cause { run.cause }

    package var isOnline: Bool { run.client.client?.environment.connectivity.isOn ?? true }

    /// The time for which the value of another query in memory is still fresh. `nil` if it is not limited, or if there is
    /// no value.
    package func freshness<Other>(of definition: QueryDefinition<Other>) -> Duration? {
        guard let known = run.client.client?.snapshot(of: definition), known.updatedAt != nil else { return nil }
        return known.freshFor
    }

    /// The last value from the server when the fetch began. `nil` if there was none.
    public var previous: Value? { (run.previous as? PayloadOf<Value>)?.value }

    /// The validators that the server sent with the last value, with which a request asks whether it has changed. Set
    /// the validators of the new value.
    ///
    /// They are stored with the value, in memory and in a ``QueryRecordStore``, so they are available after a restart
    /// too.
    public var validators: FetchValidators {
        get { run.validators }
        nonmutating set { run.validators = newValue }
    }

    /// Sets how long the value is fresh, instead of the definition's stale time.
    public func isFresh(for duration: Duration) {
        run.noteFresh(for: duration)
    }

    /// Sets how long the value may be used once it is stale: while it is fetched again, and if that fails. Applies to
    /// callers with the policy ``FetchPolicy/asServerSays``. `nil` for not at all.
    public func allowsStale(whileRevalidating: Duration?, ifError: Duration?) {
        guard whileRevalidating != nil || ifError != nil else { return }
        run.note(StaleAllowance(whileRevalidating: whileRevalidating, ifError: ifError))
    }

    /// Something that the client was given for its fetchers: `try await context[API.self].user(id)`. See
    /// ``Dependencies``.
    ///
    /// - Throws: ``QueryError/missingDependency(type:of:given:)``.
    public subscript<Dependency: Sendable>(type: Dependency.Type) -> Dependency {
        get throws { try run.dependency(type) }
    }

    /// Returns the value of another query that this fetch depends on, as ``QueryClient/fetch(_:_:)`` does. Also works in
    /// child tasks, such as those of `async let`.
    ///
    /// ```swift
    /// QueryDefinition("parcels", id, "depot") { context in
    ///     let parcel = try await context.fetch(.parcel(id))
    ///     return try await context[API.self].depot(parcel.depotID)
    /// }
    /// ```
    ///
    /// The other query counts as one that this fetch depends on, even if a task that nobody awaits fetches it.
    ///
    /// - Throws: What ``QueryClient/fetch(_:_:)`` throws. ``QueryError/awaitsItself(key:)`` if the other query awaits
    ///   this one, directly or through others: none of them would ever have a value.
    public func fetch<Other>(_ definition: QueryDefinition<Other>, _ policy: FetchPolicy? = nil) async throws -> Other {
        let client = try run.client.get()
        return try await run.awayFromUpstream {
            try await client.value(of: definition, policy, cause: .requested, for: run)
        }
    }

    /// Returns the values of a list of queries that this fetch depends on, as ``QueryClient/fetch(all:_:)`` does.
    public func fetch<Other>(
        all definitions: [QueryDefinition<Other>], _ policy: FetchPolicy? = nil
    ) async throws -> [Other] {
        let client = try run.client.get()
        return try await run.awayFromUpstream { try await client.values(of: definitions, policy, for: run) }
    }

    /// Reports that the cached value is still right. The value stays, its age starts again at zero, and the fetch
    /// succeeds.
    ///
    /// - Returns: The cached value, which the fetcher must return.
    /// - Throws: ``QueryError/notModifiedWithoutValue(key:)`` if no value is cached.
    public func notModified() throws -> Value {
        guard let previous = run.previous as? PayloadOf<Value> else {
            throw QueryError.notModifiedWithoutValue(key: key)
        }
        run.noteNotModified()
        return previous.value
    }

    /// Reports the progress of the fetch. Observers see it in ``Snapshot/progress``, or in ``PageActivity/progress``
    /// for a page.
    ///
    /// Changes of less than a hundredth do not notify observers, so a fetcher may report each chunk that it receives. A
    /// value smaller than the previous one is ignored. A retry starts without progress.
    ///
    /// - Parameter progress: From 0 to 1. Values outside are clamped. NaN is ignored.
    public func report(progress: Double) {
        run.report(progress: progress)
    }

    /// Shows a value while the fetch continues. The newest value stays. A value after cancellation is dropped.
    public func yield(_ value: Value) {
        run.client.client?.commit(yielded: PayloadOf(value), from: run)
    }
}

extension FetchContext: Revalidation {}
