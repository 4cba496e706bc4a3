/// Describes a part of a client that another module brings: `Outbox.Setup` of PigeonOutbox, `Fleet.Setup` of PigeonFleet.
///
/// The initializer of PigeonFleet takes one. Only this package has such types.
public protocol ClientPartSetup: Sendable {}

/// Every ``ClientPartSetup`` conforms to this too.
package protocol ClientPartMaking: ClientPartSetup {
    func makePart(_ client: ClientReference, _ environment: QueryEnvironment) -> any ClientPart
}

/// A part of a client that another module adds. The client notifies the part of its own start and end, and knows nothing
/// else about it.
package protocol ClientPart: AnyObject, Sendable {
    /// The client is complete. Called at its creation.
    func open()

    /// The client begins to close. From now on, the part must start nothing new.
    func beginClosing()

    /// Ends the work of the part. The values of the client are written after that.
    func finish() async

    /// The client is closed, or is being released.
    func close()

    /// Empties the part, as at a sign-out.
    ///
    /// - Returns: The number of changes that are discarded, and a function that waits until the part is empty on disk too.
    func clear() -> (discarded: Int, stored: @Sendable () async throws -> Void)
}

extension ClientPart {
    package func beginClosing() {}
    package func finish() async {}
    package func close() {}
    package func clear() -> (discarded: Int, stored: @Sendable () async throws -> Void) { (0, {}) }
}

/// A part that shares the values of some entries with others: of those whose definitions are `shared()`.
package protocol SharingPart: ClientPart {
    /// Notifies the part of a change that this client has made. Called after the lock is released, and before the fetches
    /// that follow from the change.
    func hear(_ change: ClientChange)

    /// Waits until others can see all changes that this client has made.
    ///
    /// - Returns: The problem, if they cannot.
    func settle() async -> QueryCacheProblem?

    /// - Parameter origin: Fetches from the server.
    func fetch(
        _ run: FetchRun, _ entry: SharedEntry, from origin: @escaping @Sendable (FetchRun) async -> FetchOutcome
    ) async -> FetchOutcome
}

/// A change of this client that other clients must learn of.
package enum ClientChange: Sendable, Equatable {
    case stale(QueryRecordScope)
    /// Values must not be shown any more.
    case removed(QueryRecordScope)
    /// The program has written the value of a shared entry.
    case written(QueryKey)
}

extension QueryClient {
    /// `nil` if the client has no part of this type.
    package func part<Part: ClientPart>(_ type: Part.Type) -> Part? {
        for case let part as Part in parts { return part }
        return nil
    }

    /// Two parts of one kind are a programming error, at which the process stops.
    static func makeParts(
        _ setups: [(any ClientPartSetup)?], _ client: ClientReference, _ environment: QueryEnvironment
    ) -> [any ClientPart] {
        let parts = setups.compactMap { setup in (setup as? any ClientPartMaking)?.makePart(client, environment) }
        let kinds = parts.map { ObjectIdentifier(type(of: $0)) }
        precondition(Set(kinds).count == kinds.count, "A client can have one part of each kind.")
        return parts
    }
}
