/// The content of a source.
package enum SourceReading: Sendable {
    case nothing
    case content(Payload, isStale: Bool)
}

/// A store of the program in which the data of an entry lives, instead of in the entry.
///
/// The client calls one function at a time, in the lane, and never under a lock. All functions may suspend, throw, and
/// take any time: only this entry waits for them.
package protocol SourceOfTruth: AnyObject, Sendable {
    /// The lane in which all jobs of the source run, for all entries and clients.
    var lane: SourceLane { get }

    /// True if ``readNow()`` returns the content. The value must not change.
    var readsAtOnce: Bool { get }

    /// Returns the current content, without suspending. Called only if ``readsAtOnce`` is true.
    func readNow() -> SourceReading

    /// Returns the current content. `nil` if the source is empty.
    func read() async throws -> Payload?

    /// Returns true if content that was just read must be fetched again.
    func isStale(_ payload: Payload) async throws -> Bool

    /// Replaces the content with a fetched value.
    func save(_ payload: Payload) async throws

    /// Adds a page to the content.
    ///
    /// - Returns: True if the page was added. False if it no longer follows the content.
    func add(_ page: any LoadedPage, _ direction: PageDirection) async throws -> Bool

    /// Empties the source.
    func clear() async throws

    /// Marks the content as stale, so that it is fetched again even after a restart.
    func markStale() async throws

    /// Calls `handler` whenever the content may have changed, on any thread, until the subscription ends.
    ///
    /// - Returns: The subscription. `nil` if the source cannot notify of changes.
    func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription?
}

extension SourceOfTruth {
    /// The default is `false`.
    package var readsAtOnce: Bool { false }

    /// The default returns no content. It is not called while ``readsAtOnce`` is `false`.
    package func readNow() -> SourceReading { .nothing }
}
