/// Observes a list of queries as one, for as long as the observer is retained.
///
/// ```swift
/// let friends = client.observe(all: [.user(1), .user(2)])
/// print(friends.snapshots.map(\.phase))  // at once, in the order of the definitions
/// for await snapshots in friends { show(snapshots.compactMap(\.value)) }  // the newest first, then every change
/// ```
///
/// All snapshots of a list are from one point in time. A transaction that changes several of the queries, such as an
/// invalidation of a tag, is therefore one element of the sequence.
///
/// Each iteration buffers only the newest list. A slow reader may skip lists, but never the last one. An observer detaches
/// from its queries when it is released. A running iteration retains it.
public final class QueriesObserver<Value: Sendable>: Sendable {
    private let client: QueryClient
    fileprivate let observers: [QueryObserver<Value>]

    init(_ definitions: [QueryDefinition<Value>], by client: QueryClient, _ location: CodeLocation) {
        self.client = client
        observers = definitions.map { client.observe($0, location) }
    }

    /// The newest snapshots, in the order of the definitions.
    public var snapshots: [Snapshot<Value>] {
        let views = client.views(of: observers.map(\.core))
        let now = client.clock.now()
        return zip(observers, views).map { observer, view in
            observer.make(from: view.entryState, view.options, at: now)
        }
    }
}

extension QueriesObserver: AsyncSequence {
    /// The snapshots of all queries, in the order of the definitions.
    public typealias Element = [Snapshot<Value>]

    /// Creates an iterator that begins with the newest snapshots.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }

    /// Iterates over the snapshots of all queries, beginning with the newest. Ends when its task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        private let observer: QueriesObserver<Value>
        /// Has an item if some query may have changed.
        private let mailbox = Mailbox<Void>()
        private let subscriptions: [QuerySubscription]
        private var last: [Version]?

        private struct Version: Equatable {
            let key: QueryKey
            let number: UInt64
        }

        init(_ observer: QueriesObserver<Value>) {
            self.observer = observer
            let mailbox = mailbox
            subscriptions = observer.observers.map { observer in
                let core = observer.core
                let id = core.add(onClose: { mailbox.finish() }) { _, _ in mailbox.put(()) }
                if id == nil { mailbox.finish() }
                return QuerySubscription { [weak core] in
                    if let id { core?.removeListener(id) }
                }
            }
            mailbox.put(())
        }

        /// Returns the next snapshots that differ from the last ones, or `nil` once the task is cancelled or the client is
        /// closed.
        public mutating func next() async -> [Snapshot<Value>]? {
            while await mailbox.next() != nil {
                // A transaction that changes several queries is announced by each of them, and read at the first.
                let snapshots = observer.snapshots
                let versions = snapshots.map { Version(key: $0.key, number: $0.version) }
                guard versions != last else { continue }
                last = versions
                return snapshots
            }
            return nil
        }
    }
}

extension QueryClient {
    /// Observes a list of queries as one, for as long as the observer is retained. Fetches the values that are missing or
    /// stale.
    ///
    /// The first snapshots are available at once, in the order of the definitions.
    ///
    /// - Parameters:
    ///   - definitions: The queries.
    ///   - fileID: The file of the call. Developer tools show it.
    ///   - line: The line of the call.
    public func observe<Value>(
        all definitions: [QueryDefinition<Value>], fileID: StaticString = #fileID, line: UInt = #line
    ) -> QueriesObserver<Value> {
        QueriesObserver(definitions, by: self, CodeLocation(fileID, line))
    }
}
