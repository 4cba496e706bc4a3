/// Gives a fetcher of pages information about its request, and lets it report more than the page.
///
/// ```swift
/// let posts = QueryDefinition<Pages<[Post], Int>>.pages("posts", first: 1) { page, context in
///     try await dispatcher.value(from: .get("/posts/\(page)"), for: context)
/// } next: { last, page in
///     last.isEmpty ? nil : page + 1
/// }
/// ```
///
/// Each page has validators of its own. A refresh of the list requests each page with the validators of the page that
/// it replaces, and a page that the server reports as not modified stays in the list as it is.
public struct PageContext<Page: Sendable>: Sendable, Revalidation {
    package let run: FetchRun

    /// The page in the list that this one replaces. `nil` if the page is loaded for the first time, or if another
    /// identifier now leads to its position.
    public let previous: Page?

    init(run: FetchRun, previous: Page?) {
        self.run = run
        self.previous = previous
    }

    /// The key of the list.
    public var key: QueryKey { run.key }

    /// Number of the attempt, from 1. A retry of a refresh continues at the page that failed.
    public var attempt: Int { run.attempt + 1 }

    /// The cause of the fetch.
    public var cause: Cause { run.cause }

    /// The validators that the server sent with ``previous``, with which a request asks whether the page has changed.
    /// Set the validators of the new page.
    ///
    /// They are stored with the list, in memory and in a cache, so they are available after a restart too. A page that
    /// the program edits loses them.
    public var validators: FetchValidators {
        get { run.validators }
        nonmutating set { run.validators = newValue }
    }

    /// Sets how long the page is fresh. A list is fresh for the shortest time that the pages of its last refresh set,
    /// instead of the definition's stale time. Has no effect on a page that is added to a list.
    public func isFresh(for duration: Duration) {
        run.noteFresh(for: duration)
    }

    /// Something that the client was given for its fetchers, as ``FetchContext/subscript(_:)`` returns it.
    ///
    /// - Throws: ``QueryError/missingDependency(type:of:given:)``.
    public subscript<Dependency: Sendable>(type: Dependency.Type) -> Dependency {
        get throws { try run.dependency(type) }
    }

    /// Reports that the page is still right. It stays in the list as it is, and is not written to the cache again. If
    /// that applies to every page of a refresh, the list is not modified, and its age starts again at zero.
    ///
    /// - Returns: The page in the list, which the fetcher must return.
    /// - Throws: ``QueryError/notModifiedWithoutValue(key:)`` if ``previous`` is `nil`.
    public func notModified() throws -> Page {
        guard let previous else { throw QueryError.notModifiedWithoutValue(key: key) }
        run.noteNotModified()
        return previous
    }

    /// Reports the progress of the fetch. Observers see it in ``PageActivity/progress`` while a page is added, and in
    /// ``Snapshot/progress`` while the list is refreshed.
    ///
    /// - Parameter progress: From 0 to 1. See ``FetchContext/report(progress:)``.
    public func report(progress: Double) {
        run.report(progress: progress)
    }
}
