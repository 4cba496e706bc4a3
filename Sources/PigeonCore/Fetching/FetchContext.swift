/// What a fetcher may know of its fetch, and say beside the value.
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

    /// Which attempt this is, from 1.
    public var attempt: Int { run.attempt + 1 }

    /// Why the fetch runs.
    public var cause: Cause { run.cause }

    /// The value that the server last gave, when the fetch began.
    public var previous: Value? { (run.previous as? PayloadOf<Value>)?.value }

    /// What the server gave with the last value, to ask whether it has changed. Set what it gives with this one.
    ///
    /// Kept beside the value, in memory and in a ``QueryRecordStore``: a program asks with them after a restart too.
    public var validators: FetchValidators {
        get { run.validators }
        nonmutating set { run.validators = newValue }
    }

    /// Says how long the value is fresh, in place of the definition's own time.
    public func isFresh(for duration: Duration) {
        run.noteFresh(for: duration)
    }

    /// Says that what is cached is still right: it stays, its age begins anew, and the fetch counts as a success.
    ///
    /// - Returns: The cached value, to be returned by the fetcher.
    /// - Throws: ``QueryError/notModifiedWithoutValue(key:)`` when nothing is cached.
    public func notModified() throws -> Value {
        guard let previous = run.previous as? PayloadOf<Value> else {
            throw QueryError.notModifiedWithoutValue(key: key)
        }
        run.noteNotModified()
        return previous.value
    }

    /// Reports how far the fetch is. Observers see it in ``Snapshot/progress``, that of a page in ``PageActivity/progress``.
    ///
    /// Reports that change less than a hundredth are not shown, so a fetcher may report each chunk that it receives. A report
    /// that is smaller than the one before is ignored. A retry begins without progress.
    ///
    /// - Parameter progress: From 0 to 1. Values beyond are clamped; one that is not a number is ignored.
    public func report(progress: Double) {
        run.report(progress: progress)
    }

    /// Shows a value while the fetch goes on. The newest one stays; a value that comes after cancellation is dropped.
    public func yield(_ value: Value) {
        run.client.client?.land(yielded: PayloadOf(value), from: run)
    }
}

extension FetchContext: Revalidation {}
