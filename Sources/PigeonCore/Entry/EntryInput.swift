/// The time of an input, and whether the client is online and active then. The entry has no other access to them.
package struct EntryContext: Sendable {
    package var now: MonotonicInstant
    package var isOnline: Bool
    package var isActive: Bool

    package init(now: MonotonicInstant, isOnline: Bool = true, isActive: Bool = true) {
        self.now = now
        self.isOnline = isOnline
        self.isActive = isActive
    }

    /// The time at which a value was received that has an age now.
    func received(age: Duration) -> MonotonicInstant { now.advanced(nanoseconds: -max(0, age.clampedNanoseconds)) }
}

package struct AttachedObserver: Sendable {
    package let id: UInt64
    package var options: ResolvedOptions
    package var isEnabled: Bool

    package init(id: UInt64, options: ResolvedOptions, isEnabled: Bool = true) {
        self.id = id
        self.options = options
        self.isEnabled = isEnabled
    }
}

/// A direction in which pages are added.
public enum PageDirection: Sendable, Hashable, CaseIterable {
    /// At the end.
    case next
    /// At the start.
    case previous
}

package enum EntryInput {
    case attach(AttachedObserver)
    /// The options of an observer changed.
    case renew(AttachedObserver)
    case detach(observer: UInt64)
    /// A caller starts to await the outcome of what is in flight. If `takesAny` is true, it only waits for the end, whatever
    /// the outcome.
    case join(WaitingCaller, takesAny: Bool = false)
    /// A caller stops awaiting the outcome. If `isServed` is true, it has received a stale value, and the fetch continues.
    case leave(WaitingCaller, isServed: Bool = false)

    /// Starts a fetch. If `fromStart` is true, a paged entry starts again at its first page. The fetch carries the request. So
    /// does one that is joined, if it carries none.
    case fetch(
        Cause, mode: FetchMode, fromStart: Bool, for: WaitingCaller? = nil, carrying: (any FetchRequest)? = nil)
    /// The fetcher of a fetch without a request has made one.
    case carry(any FetchRequest, generation: UInt64)
    /// Cancels all fetches and page loads.
    case cancel(Cause)
    /// Cancels one fetch. Older concurrent fetches continue.
    case cancelFetch(generation: UInt64, Cause)
    /// A fetch that has waited sends its request only now, so its answer includes what has happened until now.
    case requested(generation: UInt64)
    /// The answer of a fetch, or of a page load, which the generation identifies.
    case answer(generation: UInt64, Answer)
    /// The fetcher yielded a value and continues.
    case yield(generation: UInt64, CommitCandidate)

    /// The running attempt of a fetch reported its progress, from 0 to 1.
    case progress(generation: UInt64, Double)

    /// A caller requests one more page. If `isFirst` is true, there is a list without pages.
    case loadPage(PageDirection, for: WaitingCaller, isFirst: Bool = false)

    /// The program writes the value. If `keepsOverFetch` is true, answers to earlier requests are dropped.
    case write(CommitCandidate, WriteKind, keepsOverFetch: Bool, Cause)
    /// A value was found in a cache, or is the initial one of the definition.
    case hydrate(FoundValue, isFinal: Bool = false)
    /// Takes a newer record that others have written to the cache.
    case renewRecord(CommitCandidate, isStale: Bool)
    /// Takes newer items, which other entries have. If `isArrival` is true, they may have the changes of running mutations.
    /// If `persists` is true, the value is written to its cache.
    case takeItems(CommitCandidate, isArrival: Bool, isOwn: Bool, persists: Bool, Cause)
    case invalidate(Cause, refetch: RefetchScope)
    /// Removes the value and the error. `initial` is the initial value of the definition. A source of truth is also
    /// emptied, by a job in its queue.
    case reset(initial: Payload?, age: Duration = .zero, Cause)
    /// Removes the value and the error, as a reset without an initial value does. The entry then fetches nothing by
    /// itself until the program requests it (A31).
    case clear(Cause)

    /// Replaces all layers. `shown` is the value with the new layers applied. If `isReplaced` is true, another form of a removed
    /// layer's mutation has its own layer, so nothing is rolled back.
    case layers(Layers?, shown: Payload?, isReplaced: Bool = false)
    /// A mutation succeeded. `confirmedValue` is the base with the confirmed layers that it does not include,
    /// with the layer of this mutation.
    case confirm(mutation: UInt64, confirmedValue: Payload?)

    case source(SourceInput)

    case surroundings(SurroundingsChange)
    case timePassed

    /// True if the input can change the value on behalf of the program, and not of the server.
    var isOwnWrite: Bool {
        switch self {
        case .write, .confirm: true
        case .takeItems(_, _, let isOwn, _, _): isOwn
        default: false
        }
    }
}

package enum SurroundingsChange {
    /// The client went online, offline, to the foreground or to the background. Paused fetches may resume.
    case conditions
    case reconnected
    /// The program returned after being in the background long enough.
    case returned

    /// Returns the condition under which an observer with these options refetches, and the cause of that fetch. `nil`
    /// if the change refetches nothing.
    func refetch(by options: QueryOptions) -> (trigger: RefetchTrigger, cause: Cause)? {
        switch self {
        case .conditions: nil
        case .reconnected: (options.reconnectTrigger, .reconnect)
        case .returned: (options.refetchOnForeground, .foreground)
        }
    }
}

/// How a new fetch treats one that is already in flight.
package enum FetchMode: Sendable {
    case join
    /// Replaces it, unless it is the first load.
    case restart
    /// Replaces it, even if it is the first load, because the key now has another request.
    case replace
    /// Runs beside it. The older answer is still stored if it arrives first.
    case concurrent
}

/// The meaning of a write by the program.
package enum WriteKind: Sendable {
    /// The write is the complete, current value. Earlier errors and invalidations no longer count.
    case value
    /// The write changes the existing value, which counts as received now. An earlier error or invalidation still counts.
    case edit
}

/// Which entries an invalidation refetches.
public enum RefetchScope: Sendable, Hashable {
    /// Entries with observers. The default.
    case active
    /// Entries without observers.
    case inactive
    /// All entries.
    case all
    /// No entries. They are only marked stale.
    case none
}

/// A value that is to be committed to an entry. Prepared outside the lock.
package struct CommitCandidate: Sendable {
    /// The server's value.
    package var base: Payload
    /// The value to show: `base` with the remaining layers applied.
    package var shown: Payload
    /// The layers that remain. `nil` keeps the current layers.
    package var layers: [Layer]?
    /// ``Layers/confirmedValue`` of the layers that remain. `nil` stands for `base`.
    package var confirmedValue: Payload?
    /// True if `shown` equals the value that was shown before.
    package var isSame: Bool
    /// Freshness lifetime that the answer names, in nanoseconds.
    package var freshFor: Int64?
    /// Age of the value, in nanoseconds. Not negative.
    package var age: Int64 = 0
    /// True if the value needs no polling.
    package var isFinal = false

    package init(
        base: Payload, shown: Payload, layers: [Layer]? = nil, confirmedValue: Payload? = nil, isSame: Bool = false,
        freshFor: Int64? = nil, isFinal: Bool = false
    ) {
        self.base = base
        self.shown = shown
        self.layers = layers
        self.confirmedValue = confirmedValue
        self.isSame = isSame
        self.freshFor = freshFor
        self.isFinal = isFinal
    }
}

/// The outcome of an attempt as the entry takes it: what calls the program's code has been prepared outside the lock.
package enum Answer {
    /// The value, or the list with one more page.
    case value(CommitCandidate)
    /// The current value is still right, or was so at an age. Both are in nanoseconds.
    case notModified(freshFor: Int64?, age: Int64 = 0)
    /// The fetcher ended after it yielded all its values, or the requested page does not exist.
    case finished
    /// The page no longer follows the list, because the program has written the list since.
    case misplaced
    /// The attempt failed. `retryIn` is the delay of the retry policy, computed outside the lock. `nil` ends the fetch.
    case failure(Failure, retryIn: Duration?)
    case cancelled
}
