public import PigeonCore

/// A resource, and the type of its content.
///
/// ```swift
/// func user(_ login: String) -> TypedResource<User> { resource("/users").child(login).typed() }
///
/// let ann = try await api.user("ann").loadedIfNeeded()
/// for await state in api.user("ann").states { show(state) }
/// ```
///
/// The content is the resource's: what changes through one is seen by the other. Content of another type is no content, and
/// counts as an error with ``RequestError/Cause/WrongContentType``.
public struct TypedResource<T: Sendable>: Sendable, Hashable {
    /// The resource itself.
    public let resource: Resource

    init(_ resource: Resource) {
        self.resource = resource
    }

    /// The newest content. `nil` before the first.
    public var content: T? { resource.typedContent() }

    /// The newest content, with its headers. `nil` before the first.
    public var latestData: Entity<T>? { resource.latestData?.withContentRetyped() }

    /// What is wrong: the last load failed, or the content is of another type.
    public var latestError: RequestError? { state.latestError }

    /// What the resource is at now.
    public var state: ResourceState<T> { resource.state() }

    /// See ``Resource/isLoading``.
    public var isLoading: Bool { resource.isLoading }

    /// See ``Resource/isUpToDate``.
    public var isUpToDate: Bool { resource.isUpToDate }

    /// The key of its entry. Who watches it without fetching, as a `Consumer` of a query does, sees the content.
    public var queryKey: QueryKey { resource.queryKey }

    /// Watches the content as part of a client's entries, and fetches nothing.
    ///
    /// ```swift
    /// let observer = client.observe(user.watched) { snapshot in show(snapshot) }
    /// ```
    public var watched: QueryDefinition<T> { .value(at: queryKey) }

    // MARK: Loading

    /// See ``Resource/load()``.
    @discardableResult
    public func load() -> any Request { resource.load() }

    /// See ``Resource/loadIfNeeded()``.
    @discardableResult
    public func loadIfNeeded() -> (any Request)? { resource.loadIfNeeded() }

    /// Asks the server for the content, and waits for it. Cancelling the task cancels the load.
    ///
    /// - Throws: ``RequestError``.
    public func loaded() async throws(RequestError) -> T {
        try await resource.loaded().content(at: resource.url)
    }

    /// The content: what is there while it is up to date, else what a load brings. Cancelling the task leaves a load that
    /// others wait for to them.
    ///
    /// - Throws: ``RequestError``.
    public func loadedIfNeeded() async throws(RequestError) -> T {
        try await resource.loadedIfNeeded().content(at: resource.url)
    }

    /// Shows a content until the server says otherwise. See `overrideLocalContent(with:)` of ``Resource``.
    public func overrideLocalContent(with content: T) {
        resource.overrideLocalContent(with: content)
    }

    /// See ``Resource/invalidate()``.
    public func invalidate() { resource.invalidate() }

    /// See ``Resource/wipe()``.
    public func wipe() { resource.wipe() }
}

extension Resource {
    /// The resource with the type of its content.
    ///
    /// Who watches the entry by its key without fetching sees the type that was asked for last.
    public func typed<T: Sendable>(_ type: T.Type = T.self) -> TypedResource<T> {
        makeReadable(as: type)
        return TypedResource(self)
    }

    /// Asks the server for the content, and waits for it. Cancelling the task cancels the load.
    ///
    /// - Throws: ``RequestError``.
    public func loaded() async throws(RequestError) -> Entity<any Sendable> {
        try await load().entity()
    }

    /// What is there while it is up to date, else what a load brings. Cancelling the task leaves a load that others wait for
    /// to them.
    ///
    /// - Throws: ``RequestError``.
    public func loadedIfNeeded() async throws(RequestError) -> Entity<any Sendable> {
        if let wrongAddress { throw RequestError(wrongAddress) }
        do {
            return try await client.fetch(makeDefinition())
        } catch {
            throw RequestError(error, url: url)
        }
    }

    /// The resource as the client fetches and watches it: for `QueryClient.fetch`, `observe`, `prefetch` and the like.
    public var definition: QueryDefinition<Entity<any Sendable>> { makeDefinition() }

    /// A request that brings the value of a query, for ``load(using:)``: a resource that shows what a query has.
    public static func request<Value>(
        fetching definition: QueryDefinition<Value>, from client: QueryClient = .shared
    ) -> any Request {
        prepareRequest(using: QueryFetch(definition: definition, client: client))
    }
}
