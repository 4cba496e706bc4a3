public import PigeonCore

/// A resource with a known type of content.
///
/// ```swift
/// func user(_ login: String) -> TypedResource<User> { resource("/users").child(login).typed() }
///
/// let ann = try await api.user("ann").loadedIfNeeded()
/// for await state in api.user("ann").states { show(state) }
/// ```
///
/// The content belongs to the resource: a change through one of them is visible through the other. Content of another
/// type counts as missing, and as an error with the cause ``RequestError/Cause/WrongContentType``.
public struct TypedResource<T: Sendable>: Sendable, Hashable {
    /// The resource without the type.
    public let resource: Resource

    init(_ resource: Resource) {
        self.resource = resource
    }

    /// The newest content. `nil` if there is none of this type.
    public var content: T? { resource.typedContent() }

    /// The newest content, with its headers. `nil` if there is none of this type.
    public var latestData: Entity<T>? { resource.latestData?.withContentRetyped() }

    /// The error of the last load, or of content that has another type. `nil` if there is neither.
    public var latestError: RequestError? { state.latestError }

    /// The current state of the resource.
    public var state: ResourceState<T> { resource.state() }

    /// The key of the resource's entry. An observer of the key that does not fetch, such as a `Consumer` of a query,
    /// receives the content.
    public var queryKey: QueryKey { resource.queryKey }

    /// A definition with which a client observes the content, and does not fetch it.
    ///
    /// ```swift
    /// let observer = client.observe(user.watched) { snapshot in show(snapshot) }
    /// ```
    ///
    /// Use it where other code decides when the resource is loaded, or to find the recorded requests that edit the
    /// content. To fetch, refresh and edit the content as a query, use ``definition``.
    public var watched: QueryDefinition<T> { .value(queryKey).enabled(false) }

    // MARK: Loading

    /// See ``Resource/load()``.
    @discardableResult
    public func load() -> any Request { resource.load() }

    /// See ``Resource/loadIfNeeded()``.
    @discardableResult
    public func loadIfNeeded() -> (any Request)? { resource.loadIfNeeded() }

    /// Loads the content from the server, and waits for it. Cancelling the task cancels the load.
    ///
    /// - Throws: ``RequestError``.
    public func loaded() async throws(RequestError) -> T {
        try await resource.loaded().content(at: resource.url)
    }

    /// Returns the content if it is up to date, and otherwise loads it. See ``Resource/loadedIfNeeded()``.
    ///
    /// - Throws: ``RequestError``.
    public func loadedIfNeeded() async throws(RequestError) -> T {
        try await resource.loadedIfNeeded().content(at: resource.url)
    }

    /// Replaces the content, until a later load replaces it. See `overrideLocalContent(with:)` of ``Resource``.
    public func overrideLocalContent(with content: T) {
        resource.overrideLocalContent(with: content)
    }
}

extension Resource {
    /// Returns the resource with a known type of content.
    ///
    /// Observers that know only the entry's key, and do not fetch, read the content as the type of the last call.
    public func typed<T: Sendable>(_ type: T.Type = T.self) -> TypedResource<T> {
        makeReadable(as: type)
        return TypedResource(self)
    }

    /// Loads the content from the server, and waits for it. Cancelling the task cancels the load.
    ///
    /// - Throws: ``RequestError``.
    public func loaded() async throws(RequestError) -> Entity<any Sendable> {
        try await load().entity()
    }

    /// Returns the content if it is up to date, and otherwise loads it. Cancelling the task does not cancel a load that
    /// other callers wait for.
    ///
    /// Like ``loadIfNeeded()``, sends no request for the time ``Configuration/retryTime`` after a load has failed.
    /// Throws the error of that load instead, even if there is older content.
    ///
    /// - Throws: ``RequestError``.
    public func loadedIfNeeded() async throws(RequestError) -> Entity<any Sendable> {
        if let error = recentError { throw error }
        return try await loadedIfStale()
    }

    /// The error of the last load, if it is too early to load again.
    private var recentError: RequestError? {
        guard let entryState, let error = entryState.requestError else { return nil }
        let updateStatus = entryState.updateStatus(by: freshnessOptions)
        return !updateStatus.isFetching && updateStatus.isUpToDate ? error : nil
    }

    /// Returns the content if it is fresh, and otherwise loads it, however recently a load has failed.
    func loadedIfStale() async throws(RequestError) -> Entity<any Sendable> {
        if let wrongAddress { throw RequestError(wrongAddress) }
        do {
            return try await client.fetch(definition)
        } catch {
            throw RequestError(error, url: url)
        }
    }

    /// Returns a request that fetches the value of a query. Pass it to ``load(using:)`` to show the value in a
    /// resource.
    public static func request<Value>(
        fetching definition: QueryDefinition<Value>, from client: QueryClient = .shared
    ) -> any Request {
        prepareRequest(using: QueryFetch(definition: definition, client: client))
    }
}
