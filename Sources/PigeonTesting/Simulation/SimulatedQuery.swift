public import PigeonCore

/// A definition of your program in a ``Simulation``, with the states of its server.
///
/// Use the definition of your program with a fetcher that calls the simulated server:
///
/// ```swift
/// let user = SimulatedQuery(states: { User(id: 42, name: "Ann \($0)") }) { server in
///     QueryDefinition("users", 42) { try await server.answer($0) }.staleAfter(.seconds(30)).persisted()
/// }
/// try Simulation(seed: 42, steps: 2_000, queries: [user]).run()
/// ```
///
/// The simulated program observes, fetches, invalidates, writes and edits the value, removes it and signs out. It runs
/// your mutations if you add them, with ``init(states:apply:edits:mutation:definition:)``, and loads lists page by
/// page, with ``init(pages:definition:)``. It covers neither mutations of lists nor your own stores (sources of truth),
/// because only their types can read an edit back. The built-in queries simulate the engine's part of both. Each query has a
/// server state of its own, so no item of a `contains` may stand in two queries, or on two pages: both places would show the
/// newest of the two, which the server never had there. Pigeon's own tests simulate items in several places.
///
/// The rules concern the values that the program shows and the answers that its callers get, and not when the client
/// fetches by itself: that is the engine's part, which Pigeon's own tests check. So a poll that asks no server, or a retry
/// policy that changes its mind, is not found. Options that differ each time a definition is made are. The rules follow the options of the
/// definition: callers after an invalidation are checked only if its `FetchPolicy` is `fresh`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public struct SimulatedQuery: Sendable {
    let makeSubject: @Sendable (SimulatedServer, SimulatedHooks) -> SimulatedSubject

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - states: Returns the server's value after `version` changes. The first version is 0. Different versions must
    ///     have different values.
    ///   - definition: Returns the definition, whose fetcher must call ``SimulatedEndpoint/answer(_:)``. Called for
    ///     each use.
    public init<Value: Sendable & Equatable>(
        states: @escaping @Sendable (_ version: Int) -> Value,
        definition: @escaping @Sendable (_ server: SimulatedEndpoint<Value>) -> QueryDefinition<Value>
    ) {
        makeSubject = { server, hooks in
            let states = SimulatedStates(states: states, apply: { _, _ in }, edits: { _ in [] })
            return Self.subject(states, server, hooks, definition).subject
        }
    }

    /// Creates a query whose value your mutation changes.
    ///
    /// Each mutation has a number, which its value must show: a note adds the line "line 7", for example, and `edits`
    /// finds the 7 in it.
    ///
    /// - Parameters:
    ///   - states: Returns the server's value after `version` changes, without what mutations added. Different versions
    ///     must have different values.
    ///   - apply: Adds an edit to a value, as the server does. The mutation's optimistic change must have the same
    ///     effect.
    ///   - edits: Returns the numbers of the edits that a value has, in order.
    ///   - mutation: Returns the mutation that makes an edit. Its `run(_:)` must call
    ///     ``SimulatedEndpoint/apply(_:_:isIdempotent:)``.
    ///   - definition: Returns the definition, whose fetcher must call ``SimulatedEndpoint/answer(_:)``. Called for
    ///     each use.
    public init<Value: Sendable & Equatable, Mutation: Mutating>(
        states: @escaping @Sendable (_ version: Int) -> Value,
        apply: @escaping @Sendable (_ value: inout Value, _ edit: Int) -> Void,
        edits: @escaping @Sendable (_ value: Value) -> [Int],
        mutation: @escaping @Sendable (_ edit: Int, _ server: SimulatedEndpoint<Value>) -> Mutation,
        definition: @escaping @Sendable (_ server: SimulatedEndpoint<Value>) -> QueryDefinition<Value>
    ) {
        makeSubject = { server, hooks in
            let states = SimulatedStates(states: states, apply: apply, edits: edits)
            let (subject, endpoint) = Self.subject(states, server, hooks, definition)
            subject.mutate = { _, client, edit, _ in _ = try await client.mutate(mutation(edit, endpoint)) }
            subject.mutationRetry = mutation(0, endpoint).retry
            return subject
        }
    }

    /// Creates a list that is loaded page by page.
    ///
    /// - Parameters:
    ///   - pages: Returns the page that the server has at an id after `version` changes. The first version is 0.
    ///   - definition: Returns the definition, whose fetcher must call ``SimulatedPageEndpoint/page(_:_:)``. Called for
    ///     each use.
    public init<Page: Sendable & Equatable, PageID: Sendable>(
        pages: @escaping @Sendable (_ version: Int, _ id: PageID) -> Page,
        definition:
            @escaping @Sendable (_ server: SimulatedPageEndpoint<Page, PageID>) -> QueryDefinition<Pages<Page, PageID>>
    ) {
        makeSubject = { server, hooks in
            let endpoint = SimulatedPageEndpoint(pages: pages, server: server, hooks: hooks)
            let name = definition(endpoint).key.queryKeyValue
            server.addResource(name, items: nil)
            let subject = SimulatedSubject(
                hooks: hooks, isKnown: false, { definition(endpoint) },
                see: { list in
                    let newest = server.version(of: name)
                    let versions = list.indices.map { index in
                        let loaded = list.loaded(at: index)
                        return (0...newest).last { pages($0, loaded.id) == loaded.page } ?? -1
                    }
                    return SeenValue(version: versions.min() ?? newest)
                })
            subject.paging = SimulatedPaging { definition(endpoint) }
            subject.truth = { _ in SeenValue(version: server.version(of: name)) }
            return subject
        }
    }

    private static func subject<Value: Sendable & Equatable>(
        _ states: SimulatedStates<Value>, _ server: SimulatedServer, _ hooks: SimulatedHooks,
        _ definition: @escaping @Sendable (SimulatedEndpoint<Value>) -> QueryDefinition<Value>
    ) -> (subject: SimulatedSubject, endpoint: SimulatedEndpoint<Value>) {
        let nameless = SimulatedEndpoint(name: "", states: states, server: server, hooks: hooks)
        let name = definition(nameless).key.queryKeyValue
        let endpoint = SimulatedEndpoint(name: name, states: states, server: server, hooks: hooks)
        server.addResource(name, items: nil)
        let subject = SimulatedSubject(
            hooks: hooks, isKnown: false, { definition(endpoint) },
            see: { value in
                let (newest, edits) = (server.version(of: name), states.edits(value))
                let version = (0...newest).last { states.value($0, edits) == value }
                return SeenValue(version: version, edits: edits)
            })
        subject.set = { client, _, policy in
            try? client.set(states.value(server.version(of: name), []), for: definition(endpoint), during: policy)
        }
        subject.update = { client, policy, stamp in
            client.update(definition(endpoint), during: policy) { value in
                value = states.value(server.version(of: name), states.edits(value))
                _ = stamp()
                hooks.reach(.edit)
            }
        }
        subject.truth = { _ in
            let newest = server.version(of: name)
            return SeenValue(version: newest, edits: states.edits(states.value(newest, server.edits(of: name))))
        }
        return (subject, endpoint)
    }
}

/// Makes the values of a ``SimulatedQuery`` from versions and edits, and reads both back.
struct SimulatedStates<Value: Sendable>: Sendable {
    let states: @Sendable (Int) -> Value
    let apply: @Sendable (inout Value, Int) -> Void
    let edits: @Sendable (Value) -> [Int]

    func value(_ version: Int, _ edits: [Int]) -> Value {
        edits.reduce(into: states(version)) { apply(&$0, $1) }
    }
}

/// The server of a ``SimulatedQuery``. The simulation decides when and how it answers.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public struct SimulatedEndpoint<Value: Sendable>: Sendable {
    let name: String
    let states: SimulatedStates<Value>
    let server: SimulatedServer
    let hooks: SimulatedHooks

    /// Returns the server's value at the moment the request arrived, or the previous value if its validators still
    /// match.
    ///
    /// - Throws: An error of the simulated network or server, or `CancellationError` if the fetch is cancelled.
    public func answer(_ context: FetchContext<Value>) async throws -> Value {
        let sent = hooks.fetcherCalled(SimulatedRequest(context))
        let (_, answer) = try await server.ask(
            sent.name, .whole(tag: context.validators.eTag), deaf: false, origin: sent.origin, attempt: sent.attempt)
        guard case .value(let version, let edits) = answer else { return try context.notModified() }
        context.validators.eTag = "\(sent.name) \(version)"
        return states.value(version, edits)
    }

    /// Makes an edit on the server, and returns the resulting value.
    ///
    /// - Parameters:
    ///   - edit: The number of the edit, as the simulation gave it to the mutation.
    ///   - context: The context of the mutation.
    ///   - isIdempotent: True if the server recognizes an edit by its idempotency key, and makes it only once however
    ///     often the request arrives. Pass the mutation's own value.
    /// - Throws: An error of the simulated network or server, or `CancellationError` if the mutation is cancelled.
    public func apply(_ edit: Int, _ context: MutationContext, isIdempotent: Bool = false) async throws -> Value {
        hooks.reach(.fetcher)
        let request = SimulatedServer.Request.edit(
            edit, idempotencyKey: context.idempotencyKey, isIdempotent: isIdempotent)
        let (_, answer) = try await server.ask(name, request, deaf: false)
        guard case .value(let version, let edits) = answer else { throw SimulatedError(statusCode: nil) }
        hooks.world?.named[name]?.model.noteSuccess(of: edit, at: server.stamp())
        return states.value(version, edits)
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
struct SimulatedPaging: Sendable {
    /// Number of pages. `nil` if the list was never loaded.
    let count: @Sendable (QueryClient) -> Int?
    let hasNext: @Sendable (QueryClient) -> Bool
    /// Loads a page, and returns true if there are more pages after it.
    let fetch: @Sendable (QueryClient, PageDirection) async throws -> Bool
    let restart: @Sendable (QueryClient) async throws -> Void
    let keepFirst: @Sendable (QueryClient, WritePolicy) -> Void

    init<Page, PageID>(_ make: @escaping @Sendable () -> QueryDefinition<Pages<Page, PageID>>) {
        count = { $0.value(of: make())?.count }
        hasNext = { $0.value(of: make())?.hasNext == true }
        fetch = { client, direction in
            switch direction {
            case .next: try await client.fetchNextPage(of: make()).hasNext
            case .previous: try await client.fetchPreviousPage(of: make()).hasPrevious
            }
        }
        restart = { _ = try await $0.restart(make()) }
        keepFirst = { client, policy in
            guard let list = client.value(of: make()), list.count > 1 else { return }
            let kept = Pages([list.loaded(at: 0)], nextID: list.loaded(at: 1).id, previousID: list.previousID)
            try? client.set(kept, for: make(), during: policy)
        }
    }
}

/// The server of a ``SimulatedQuery`` that is loaded page by page. The simulation decides when and how it answers.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public struct SimulatedPageEndpoint<Page: Sendable, PageID: Sendable>: Sendable {
    let pages: @Sendable (Int, PageID) -> Page
    let server: SimulatedServer
    let hooks: SimulatedHooks

    /// Returns the page that the server had at the moment the request arrived.
    ///
    /// - Throws: An error of the simulated network or server, or `CancellationError` if the load is cancelled.
    public func page(_ id: PageID, _ context: PageContext<Page>) async throws -> Page {
        let sent = hooks.fetcherCalled(SimulatedRequest(context))
        let (_, answer) = try await server.ask(sent.name, .page(0), deaf: false, origin: sent.origin)
        guard case .page(let page) = answer else { throw SimulatedError(statusCode: nil) }
        return pages(page.version, id)
    }
}
