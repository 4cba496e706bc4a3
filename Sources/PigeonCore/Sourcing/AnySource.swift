package import Foundation
package import PigeonBase

package struct SourceContent: Sendable {
    /// The freshness of the content, as far as the source knows it.
    package enum Freshness: Sendable {
        /// Not known yet. ``AnySource/isStale(_:)`` decides.
        case toBeAsked
        /// Known: stale content must be fetched again.
        case known(isStale: Bool)
        /// The date at which the content was last known to be right. The definition's options decide from it whether the
        /// content is stale, unless the server named a freshness lifetime, in nanoseconds.
        case dated(Date, freshFor: Int64? = nil)
        /// The content must be fetched again, whatever the options say.
        case outdated
    }

    package let payload: Payload
    package var freshness: Freshness

    package init(_ payload: Payload, _ freshness: Freshness = .toBeAsked) {
        (self.payload, self.freshness) = (payload, freshness)
    }
}

/// A store of the program in which the data of an entry lives, instead of in the entry.
///
/// The client calls one function at a time, in the queue, and never under a lock. All functions may suspend, throw, and
/// take any time: only this entry waits for them.
package protocol AnySource: AnyObject, Sendable {
    /// The queue in which all jobs of the source run, for all entries and clients.
    var queue: JobQueue { get }

    /// Gives the source the queue of its key. Called under the client's lock, before the source is used. A source that
    /// has a queue keeps it.
    func use(_ queue: @autoclosure () -> JobQueue)

    /// True if ``readNow()`` returns the content. The value must not change.
    var readsAtOnce: Bool { get }

    /// Returns the current content, without suspending. Called only if ``readsAtOnce`` is true.
    func readNow() -> SourceContent?

    /// Returns the current content. `nil` if the source is empty.
    func read() async throws -> SourceContent?

    /// Returns true if content that was just read must be fetched again. Called only if the content does not say so.
    func isStale(_ payload: Payload) async throws -> Bool

    /// Replaces the content with a value that was right at a date.
    func save(_ payload: Payload, at date: Date) async throws

    /// - Returns: True if the page was added. False if it no longer follows the content.
    func add(_ page: any LoadedPage, _ direction: PageDirection) async throws -> Bool

    func clear() async throws

    /// Marks the content as stale, so that it is fetched again even after a restart.
    func markStale() async throws

    /// True if ``onChange(_:)`` can return a subscription. The value must not change.
    var notifies: Bool { get }

    /// Calls `handler` whenever the content may have changed, on any thread, until the subscription ends.
    ///
    /// - Returns: The subscription. `nil` if the source cannot notify of changes.
    func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription?
}

extension AnySource {
    /// The default says that it is stale.
    package func isStale(_ payload: Payload) async throws -> Bool { true }

    /// The default does nothing, for a source that has a queue.
    package func use(_ queue: @autoclosure () -> JobQueue) {}

    /// The default is `false`.
    package var readsAtOnce: Bool { false }

    /// The default is `true`.
    package var notifies: Bool { true }

    /// The default returns no content. It is not called while ``readsAtOnce`` is `false`.
    package func readNow() -> SourceContent? { nil }
}

/// The queue of a source that is created at each call. It becomes the queue of its key once a client uses the source.
package final class KeyQueue: Sendable {
    private let own = Locked<JobQueue?>(nil)

    package init() {}

    package var queue: JobQueue {
        own.withLock { queue in
            let made = queue ?? JobQueue()
            queue = made
            return made
        }
    }

    package func use(_ queue: () -> JobQueue) {
        own.withLock { $0 = $0 ?? queue() }
    }
}
