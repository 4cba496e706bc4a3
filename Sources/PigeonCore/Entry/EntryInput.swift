/// The surroundings at the moment an input arrives. The machine sees nothing else of the world.
package struct Moment: Sendable {
    package var now: MonotonicInstant
    package var isOnline: Bool
    package var isActive: Bool

    package init(now: MonotonicInstant, isOnline: Bool = true, isActive: Bool = true) {
        self.now = now
        self.isOnline = isOnline
        self.isActive = isActive
    }
}

/// What one observer wants of an entry.
package struct ObserverTerms: Sendable {
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

/// Everything that can happen to an entry.
package enum EntryInput {
    /// Somebody watches, and may need a fetch.
    case attach(ObserverTerms)
    /// The terms of an observer changed.
    case renew(ObserverTerms)
    case detach(observer: UInt64)
    /// One who awaits the outcome came or left.
    case join
    case leave

    /// `fromStart` makes a paged entry begin again at its first page.
    case fetch(Cause, mode: FetchMode, fromStart: Bool)
    /// Cancels every fetch and page load.
    case cancel(Cause)
    /// Cancels one fetch. An older one that it overtook goes on.
    case cancelFetch(generation: UInt64, Cause)
    case answer(generation: UInt64, Answer)
    /// The fetcher has one value more, and goes on.
    case yield(generation: UInt64, Landing)

    /// How far the running attempt of a fetch is, from 0 to 1.
    case progress(generation: UInt64, Double)

    case loadPage(PageDirection)
    case leavePage(PageDirection)

    /// `keepsOverFetch` drops the answers of fetches asked before.
    case write(Landing, WriteKind, keepsOverFetch: Bool, Cause)
    case hydrate(Payload, age: Duration, isStale: Bool, freshFor: Int64?)
    case invalidate(Cause, refetch: RefetchScope)
    /// Forget the value and the error; `initial` is what the definition starts with. A source of truth is emptied with it,
    /// in its turn.
    case reset(initial: Payload?, Cause)

    /// The whole new list of layers, and what is shown with them.
    case layers(Layers?, shown: Payload?)
    /// A mutation succeeded. `settled` is the base with all confirmed layers, its own among them.
    case confirm(mutation: UInt64, settled: Payload?)

    case source(SourceInput)

    case surroundings(SurroundingsChange)
    case timePassed
}

/// What changed around a client.
package enum SurroundingsChange {
    /// Online, offline, foreground or background: what is paused may go on.
    case conditions
    /// The network is back: refetch what wants it.
    case reconnected
    /// The program was away long enough: refetch what wants it.
    case returned
}

/// How a fetch treats one that is already running.
package enum FetchMode: Sendable {
    /// Share the running one.
    case join
    /// Take its place, unless it is the first load.
    case restart
    /// Take its place, also of the first load: the key is asked with another request.
    case replace
    /// Run beside it: its answer lands if it comes first.
    case overtake
}

/// What a program's write says about the value.
package enum WriteKind: Sendable {
    /// What it is: nothing known before counts.
    case value
    /// What is different from what was there. Whether it must be fetched again stays as it was.
    case edit
}

/// Which entries an invalidation refetches.
public enum RefetchScope: Sendable, Hashable {
    /// Those that somebody observes. The default.
    case active
    /// Those that nobody observes.
    case inactive
    /// All.
    case all
    /// None: they are only marked.
    case none
}

/// A value on its way into an entry, prepared outside the lock.
package struct Landing: Sendable {
    /// The server's value.
    package var base: Payload
    /// What is shown: `base` with the remaining layers applied.
    package var shown: Payload
    /// The layers that remain. `nil` keeps what is there.
    package var layers: [Layer]?
    /// ``Layers/settled`` of the layers that remain. `nil` stands for `base`.
    package var settled: Payload?
    /// Whether `shown` equals what was shown before.
    package var isSame: Bool
    /// How long the answer says it is fresh, in nanoseconds.
    package var freshFor: Int64?
    /// How old it is already, in nanoseconds. Not negative.
    package var age: Int64 = 0

    package init(
        base: Payload, shown: Payload, layers: [Layer]? = nil, settled: Payload? = nil, isSame: Bool = false,
        freshFor: Int64? = nil
    ) {
        self.base = base
        self.shown = shown
        self.layers = layers
        self.settled = settled
        self.isSame = isSame
        self.freshFor = freshFor
    }
}

/// How an attempt of a fetch ended.
package enum Answer {
    /// The value, or the list with a page more.
    case value(Landing)
    /// What is there is still right. `freshFor` in nanoseconds.
    case notModified(freshFor: Int64?)
    /// All values were yielded before; there is no such page.
    case finished
    /// The page does not follow the list any more, which the program has written since.
    case misplaced
    /// `retryIn` is what the policy says, drawn outside the lock; `nil` when it gives up.
    case failure(Failure, retryIn: Duration?)
    case cancelled
}
