public import PigeonCore

/// One of your own definitions in a ``Simulation``, with the states that its server goes through.
///
/// Use the definition of your program, and let its fetcher ask the simulated server:
///
/// ```swift
/// let user = SimulatedQuery(states: { User(id: 42, name: "Ann \($0)") }) { server in
///     QueryDefinition("users", 42) { try await server.answer($0) }.staleAfter(.seconds(30)).persisted()
/// }
/// try Simulation(seed: 42, steps: 2_000, queries: [user]).run()
/// ```
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public struct SimulatedQuery: Sendable {
    let makeSubject: @Sendable (SimulatedServer, SimulatedHooks) -> SimulatedSubject

    /// Creates a query.
    ///
    /// - Parameters:
    ///   - states: Returns the server's value after `version` changes. The first version is 0. Different versions must have
    ///     different values.
    ///   - definition: Returns the definition, whose fetcher must call ``SimulatedEndpoint/answer(_:)``. Called for each use.
    public init<Value: Sendable & Equatable>(
        states: @escaping @Sendable (_ version: Int) -> Value,
        definition: @escaping @Sendable (_ server: SimulatedEndpoint<Value>) -> QueryDefinition<Value>
    ) {
        makeSubject = { server, hooks in
            let endpoint = SimulatedEndpoint(states: states, server: server, hooks: hooks)
            let name = definition(endpoint).key.queryKeyValue
            server.addResource(name, items: nil)
            let subject = SimulatedSubject(
                name: name, hooks: hooks, isKnown: false, { definition(endpoint) },
                see: { value in
                    let newest = server.version(of: name)
                    return SeenValue(version: (0...newest).last { states($0) == value })
                })
            subject.truth = { _ in SeenValue(version: server.version(of: name)) }
            return subject
        }
    }
}

/// The server of a ``SimulatedQuery``. The simulation decides when and how it answers.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public struct SimulatedEndpoint<Value: Sendable>: Sendable {
    let states: @Sendable (Int) -> Value
    let server: SimulatedServer
    let hooks: SimulatedHooks

    /// Returns the server's value at the moment the request arrived, or the previous value if its validators still match.
    ///
    /// - Throws: An error of the simulated network or server, or `CancellationError` if the fetch is cancelled.
    public func answer(_ context: FetchContext<Value>) async throws -> Value {
        hooks.reach(.fetcher)
        let name = context.key.queryKeyValue
        hooks.world?.checkRequest(of: name, attempt: context.attempt, isPage: false, context.cause)
        let (_, answer) = try await server.ask(
            name, .whole(tag: context.validators.eTag), deaf: false, origin: "\(name) \(context.run.generation)",
            attempt: context.attempt)
        guard case .value(let version, _) = answer else { return try context.notModified() }
        context.validators.eTag = "\(name) \(version)"
        return states(version)
    }
}
