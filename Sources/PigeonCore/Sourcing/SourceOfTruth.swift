/// What a source holds.
package enum SourceReading: Sendable {
    case nothing
    case content(Payload, isStale: Bool)
}

/// Where the data of an entry lives, when that is not the entry: a store of the user's own.
///
/// The client calls one function at a time, in the lane, and never under a lock. All may suspend, throw, and take as long
/// as they like: nothing but this entry waits for them.
package protocol SourceOfTruth: AnyObject, Sendable {
    /// Where all that is done with the source waits for its turn, whichever entry and client it is for.
    var lane: SourceLane { get }

    /// Whether ``readNow()`` says what is there. It never changes.
    var readsAtOnce: Bool { get }

    /// What is there now, of a source that need not be waited for.
    func readNow() -> SourceReading

    /// What is there now. `nil` for nothing.
    func read() async throws -> Payload?

    /// Whether what was just read is to be fetched again.
    func isStale(_ payload: Payload) async throws -> Bool

    /// Puts what a fetch brought in place of what is there.
    func save(_ payload: Payload) async throws

    /// Adds a page to what is there.
    ///
    /// - Returns: Whether it was added: `false` when it does not follow what is there any more.
    func add(_ page: any LoadedPage, _ direction: PageDirection) async throws -> Bool

    /// Empties it.
    func clear() async throws

    /// Notes that what is there is to be fetched again, so that this is known after a restart too.
    func markStale() async throws

    /// Calls `handler` whenever what is there may have changed, on any thread, until the subscription ends.
    ///
    /// - Returns: `nil` when the source cannot tell.
    func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription?
}

extension SourceOfTruth {
    /// It has to be waited for.
    package var readsAtOnce: Bool { false }

    /// Nothing: it has to be waited for.
    package func readNow() -> SourceReading { .nothing }
}
