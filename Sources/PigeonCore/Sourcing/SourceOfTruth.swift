public import Foundation

/// A place of the program's own in which the value of a query lives: a row of its database, a file, another library.
///
/// The client reads it before it fetches, saves in it what it fetches and what the program writes, shows what it contains,
/// and follows its changes while somebody observes the query:
///
/// ```swift
/// struct UserTable: SourceOfTruth {
///     let database: Database
///     let id: User.ID
///
///     func load() async throws -> Stored<User>? {
///         try await database.user(id).map { Stored($0.user, savedAt: $0.savedAt) }
///     }
///     func save(_ stored: Stored<User>) async throws {
///         try await database.put(stored.value, savedAt: stored.savedAt)
///     }
///     func remove() async throws { try await database.removeUser(id) }
/// }
/// ```
///
/// A definition uses it with ``QueryDefinition/stored(in:)``. The client calls one function of a key at a time, and never
/// under a lock. All functions may suspend, throw, and take any time: only this query waits for them.
public protocol SourceOfTruth<Value>: Sendable {
    /// The type of the query's value. If it is `Equatable`, a reading that brings nothing new notifies nobody.
    associatedtype Value: Sendable

    /// Returns the content. `nil` if there is none.
    func load() async throws -> Stored<Value>?

    /// Replaces the content.
    func save(_ stored: Stored<Value>) async throws

    /// Removes the content: at a sign-out (``QueryClient/clear()``), a reset, or a removal of the query.
    func remove() async throws

    /// Marks the content as stale, so that it is fetched again even after a restart.
    ///
    /// The default loads the content and saves it without a date. A database can do this in one statement.
    func markStale() async throws

    /// Calls `handler` whenever the content may have changed, on any thread, until the subscription is released. It may
    /// also be called for changes that the client made.
    ///
    /// - Returns: The subscription. `nil`, as the default does, if there is no way to know. Whoever observes the query
    ///   then sees a change from elsewhere only when the source is read the next time.
    func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription?
}

extension SourceOfTruth {
    /// Loads the content and saves it without a date.
    public func markStale() async throws {
        guard var stored = try await load(), stored.savedAt != nil else { return }
        stored.savedAt = nil
        try await save(stored)
    }

    /// Returns `nil`: there is no way to know of changes.
    public func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription? { nil }
}

/// The content of a source of truth.
public struct Stored<Value: Sendable>: Sendable {
    /// The value of the query.
    public var value: Value
    /// The date at which the server last confirmed the value, or at which the program wrote it. Whether the value is stale
    /// follows from this date and the definition's options. `nil` if the value is stale in any case.
    public var savedAt: Date?

    /// Creates the content of a source of truth.
    public init(_ value: Value, savedAt: Date?) {
        (self.value, self.savedAt) = (value, savedAt)
    }
}

extension Stored: Equatable where Value: Equatable {}
extension Stored: Hashable where Value: Hashable {}
extension Stored: Codable where Value: Codable {}

extension QueryDefinition {
    /// Keeps the value in a place of the program's own, which has the last word about it.
    ///
    /// ```swift
    /// static func user(_ id: User.ID) -> Self {
    ///     QueryDefinition("users", id) { context in try await context[API.self].user(id) }
    ///         .staleAfter(.minutes(5))
    ///         .stored(in: UserTable(database: database, id: id))
    /// }
    /// ```
    ///
    /// - Whoever needs the value has the source read first. If its content is stale by the definition's options, it is shown
    ///   and fetched again.
    /// - What is fetched is saved before it is shown. If it cannot be saved, the fetch has failed, and is retried as the
    ///   definition's policy says.
    /// - What the program writes is shown at once and saved. If it cannot be saved, the client reports that, and shows the
    ///   content again. An optimistic change is saved once the server has confirmed it.
    /// - An invalidation marks the content as stale, and a sign-out, a reset or a removal of the query removes it, for
    ///   queries that are in memory.
    /// - ``QueryClient/value(of:)`` returns what was read last, because it never suspends.
    ///
    /// A query that is stored in a source has no record in a cache, so ``persisted(schema:in:migrate:)`` has no effect. Two clients,
    /// or two processes, that use the same source do not wait for each other.
    ///
    /// - Parameter source: The source. It can be made at each call, like the definition.
    public func stored(in source: some SourceOfTruth<Value>) -> Self {
        var definition = self
        let fetcher = fetcher ?? AnyFetcher { .failure(QueryError.noFetcher(key: $0.key)) }
        definition.fetcher = AnyFetcher(fetcher, source: StoredSource(source))
        return definition
    }
}

/// Adapts a source of truth of the program to the engine.
private final class StoredSource<Source: SourceOfTruth>: AnySource {
    private let source: Source
    private let keyQueue = KeyQueue()

    init(_ source: Source) {
        self.source = source
    }

    var queue: JobQueue { keyQueue.queue }

    func use(_ queue: @autoclosure () -> JobQueue) { keyQueue.use(queue) }

    func read() async throws -> SourceContent? {
        guard let stored = try await source.load() else { return nil }
        return SourceContent(PayloadOf(stored.value), stored.savedAt.map { .dated($0) } ?? .outdated)
    }

    func save(_ payload: Payload, at date: Date) async throws {
        guard let payload = payload as? PayloadOf<Source.Value> else { return }
        try await source.save(Stored(payload.value, savedAt: date))
    }

    func add(_ page: any LoadedPage, _ direction: PageDirection) async throws -> Bool {
        guard let stored = try await source.load(),
            let list = page.added(to: PayloadOf(stored.value)) as? PayloadOf<Source.Value>
        else { return false }
        try await source.save(Stored(list.value, savedAt: stored.savedAt))
        return true
    }

    func clear() async throws { try await source.remove() }

    func markStale() async throws { try await source.markStale() }

    func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription? { source.onChange(handler) }
}
