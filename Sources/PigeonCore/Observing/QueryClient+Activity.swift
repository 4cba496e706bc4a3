/// The number of fetches and mutations that run in a client.
///
/// ```swift
/// let activity = client.activity(of: .tag("feed"))
/// print(activity.isFetching, activity.mutationCount)
/// ```
public struct ClientActivity: Sendable, Hashable {
    /// Number of matching entries of which a fetch or a page load runs, or waits for its next attempt. A fetch that waits
    /// for the network or the foreground does not run.
    public let fetchCount: Int

    /// Number of mutations that have begun and not ended, including those that wait for the network or for their turn in
    /// a scope. Mutations have no keys, so a filter does not affect it.
    public let mutationCount: Int

    /// True if anything is being fetched.
    public var isFetching: Bool { fetchCount > 0 }

    /// True if a mutation has begun and not ended.
    public var isMutating: Bool { mutationCount > 0 }
}

extension QueryClient {
    /// Counts the fetches and mutations that run.
    ///
    /// - Parameter filter: The entries whose fetches count. While the activity is observed, its conditions are evaluated
    ///   only for entries that are being fetched. Otherwise, every entry in its scope is visited. To find an item, all values
    ///   that have changed since an item was asked for are read.
    public func activity(of filter: KeyFilter = .all) -> ClientActivity {
        var candidates: [EntryInfo] = []
        let holders = holders(for: filter)
        let (count, mutationCount) = transact { state in
            let slots = holders ?? state.activity.fetchingSlots ?? state.entries.slots(in: filter.scope)
            let fetching = slots.filter { $0.entry.isFetching && filter.scope.contains($0.key, tags: $0.tags) }
            if !filter.conditions.isEmpty {
                candidates = fetching.map { slot in
                    state.catchUp(slot)
                    return slot.info(state.context)
                }
            }
            return (fetching.count, state.activity.mutationCount)
        }
        let fetchCount = filter.conditions.isEmpty ? count : candidates.count(where: filter.accepts)
        return ClientActivity(fetchCount: fetchCount, mutationCount: mutationCount)
    }

    /// A sequence of the numbers of fetches and mutations that run, for an indicator of the whole program or of a part of
    /// it.
    ///
    /// ```swift
    /// for await activity in client.activities() { show(activity.isFetching) }
    /// ```
    ///
    /// Each iteration begins with the current activity. Then it receives the newest activity whenever the numbers have
    /// changed. A slow reader skips activities, but never the last one. While nobody iterates, a fetch costs nothing more.
    /// Otherwise, each start and each end of a fetch or a mutation costs every iteration one look at the entries that are
    /// being fetched, however many others there are.
    ///
    /// - Parameter filter: The entries whose fetches count. Its conditions are evaluated when a fetch or a mutation starts
    ///   or ends.
    public func activities(of filter: KeyFilter = .all) -> ClientActivities {
        ClientActivities(client: self, filter: filter)
    }

    /// Calls `listener` whenever the activity may have changed, on the thread that changed it, until the subscription
    /// ends.
    package func onActivity(_ listener: @escaping @Sendable () -> Void) -> QuerySubscription {
        let id = state.withLock { state in
            let id = state.makeID()
            state.activity.add(listener, id: id, among: state.entries)
            return id
        }
        return subscription { $0.activity.remove(id) }
    }

    /// Calls the listeners of the activity. They only schedule work, and call no user code.
    func announceActivity() {
        for listener in state.withLock({ $0.activity.listeners }) { listener() }
    }
}

/// The activities of a client. Iterations are independent of each other.
public struct ClientActivities: AsyncSequence, Sendable {
    let client: QueryClient
    let filter: KeyFilter

    /// Creates an iterator that begins with the current activity.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }

    /// Iterates over a client's activities, beginning with the current one. Ends when its task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        private let activities: ClientActivities
        /// Has an item if the activity may have changed.
        private let mailbox = Mailbox<Void>()
        private let subscription: QuerySubscription
        private var last: ClientActivity?

        init(_ activities: ClientActivities) {
            self.activities = activities
            subscription = activities.client.onActivity { [mailbox] in mailbox.put(()) }
            mailbox.put(())
        }

        /// Returns the next activity that differs from the last one, or `nil` once the task is cancelled.
        public mutating func next() async -> ClientActivity? {
            while await mailbox.next() != nil {
                let activity = activities.client.activity(of: activities.filter)
                guard activity != last else { continue }
                last = activity
                return activity
            }
            return nil
        }
    }
}

/// The mutations that run, and, while the activity is observed, the slots that are being fetched.
struct ActivityWatch {
    typealias Listener = @Sendable () -> Void

    /// Number of mutations that have begun and not ended.
    var mutationCount = 0
    private(set) var listeners = Roster<Listener>()
    private var fetching: [ObjectIdentifier: Slot] = [:]

    var isObserved: Bool { !listeners.isEmpty }

    /// The slots that are being fetched. `nil` while the activity is not observed.
    var fetchingSlots: [Slot]? { isObserved ? Array(fetching.values) : nil }

    mutating func add(_ listener: @escaping Listener, id: UInt64, among entries: EntryTable) {
        let wasObserved = isObserved
        listeners.set(listener, id)
        guard !wasObserved else { return }
        for slot in entries.slots.values { note(slot) }
    }

    /// - Returns: The listener, to be released outside the lock.
    mutating func remove(_ id: UInt64) -> Listener? {
        let old = listeners.remove(id)
        if !isObserved { fetching = [:] }  // an entry that is fetched stays in the table
        return old
    }

    /// Called after every change of a slot.
    ///
    /// - Returns: True if a fetch has started or ended.
    @discardableResult
    mutating func note(_ slot: Slot) -> Bool {
        let (id, isFetching) = (ObjectIdentifier(slot), slot.entry.isFetching)
        guard (fetching[id] != nil) != isFetching else { return false }
        fetching[id] = isFetching ? slot : nil
        return true
    }
}

extension Entry {
    /// True if a fetch or a page load runs, or waits for its next attempt.
    var isFetching: Bool { activity == .fetching || isLoadingPage }
}
