/// Work of a transaction that is carried out once the lock is released.
struct Work {
    var stops = SmallArray<FetchRun>()
    var starts = SmallArray<FetchRun>()
    /// Slots whose observers are notified, from the one with the number `first` on.
    var deliveries: [(slot: Slot, first: UInt64)] = []
    /// Recorders with versions that are still to be delivered.
    var recorders: [any VersionRecorder] = []
    /// Observers that receive their slots even if no other observer does.
    var announcements: [(core: ObserverCore, slot: Slot)] = []
    var resumptions = SmallArray<(waiter: WaitingCaller, result: Result<Payload, any Error>)>()
    /// Objects that are released last, so that no deinit of a user's value runs under the lock.
    var discarded = SmallArray<AnyObject>()
    var alarm: MonotonicInstant?
    var hasEvents = false
    /// True if a fetch or a mutation started or ended while the activity is observed.
    var hasActivity = false
    var turns: [MutationWait] = []
    var endedMutations: [MutationWait] = []
    /// True if this thread is to write records that have no delay.
    var hasUndelayedRecords = false
    /// Changes that the sharing part must be notified of.
    var changes: [ClientChange] = []
    /// True if the delay of the pending records has passed.
    var recordsAreDue = false
    var sourceSteps: [SourceStep] = []
    /// Observers whose slot changed to a type that they cannot read.
    var expulsions: [(core: ObserverCore, slot: Slot, error: QueryError)] = []
}

extension Work {
    mutating func discard(_ object: AnyObject?) {
        if let object { discarded.append(object) }
    }
}

/// A list that needs no memory of its own for one element, because most transactions have at most one of a kind.
struct SmallArray<Element>: Sequence {
    private var first: Element?
    private var rest: [Element] = []

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { rest.append(element) }
    }

    func makeIterator() -> Iterator { Iterator(first: first, rest: rest.makeIterator()) }

    struct Iterator: IteratorProtocol {
        fileprivate var first: Element?
        fileprivate var rest: [Element].Iterator

        mutating func next() -> Element? { first.take() ?? rest.next() }
    }
}

enum SourceStep {
    case watch(Slot)
    case read(Slot)
    /// Run the operations that wait in a queue.
    case run(JobQueue)
}
