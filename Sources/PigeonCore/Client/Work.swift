/// Work of a transaction that is carried out once the lock is released.
struct Work {
    var stops = SmallArray<FetchRun>()
    var starts = SmallArray<FetchRun>()
    /// Slots whose observers are notified, from the one with the number `first` on.
    var deliveries = SmallArray<(slot: Slot, first: UInt64)>()
    /// Recorders with versions that are still to be delivered.
    var recorders = SmallArray<any VersionRecorder>()
    var resumptions = SmallArray<(waiter: WaitingCaller, result: Result<Payload, any Error>)>()
    /// Objects that are released last, so that no deinit of a user's value runs under the lock.
    private var discarded = SmallArray<AnyObject>()
    var sourceSteps = SmallArray<SourceStep>()
    var alarm: MonotonicInstant?
    var hasEvents = false
    /// True if a value that contains items has changed.
    var hasItems = false
    /// True if a fetch or a mutation started or ended while the activity is observed.
    var hasActivity = false
    /// True if this thread is to write records that have no delay.
    var hasUndelayedRecords = false
    /// True if the delay of the pending records has passed.
    var recordsAreDue = false
    private(set) var rare: Rare?

    /// Kinds of work that are rare.
    struct Rare {
        /// Mutations whose turn has come.
        var turns: [MutationWait] = []
        /// Observers whose slot changed to a type that they cannot read.
        var expulsions: [(core: ObserverCore, slot: Slot, error: QueryError)] = []
        /// Observers that receive their slots even if no other observer does.
        var announcements: [(core: ObserverCore, slot: Slot)] = []
        var endedMutations: [MutationWait] = []
        /// Requests that no fetch carries any longer.
        var endedRequests: [(request: any FetchRequest, end: FetchEnd)] = []
        /// Changes that the sharing part must be notified of.
        var changes: [ClientChange] = []
    }

    mutating func addRare(_ add: (inout Rare) -> Void) {
        var rare = self.rare.take() ?? Rare()
        add(&rare)
        self.rare = rare
    }

    /// Gives callers the values that are shown instead of those that they were to receive.
    mutating func replaceResults(by replaced: ReplacedValues) {
        var resumptions = SmallArray<(waiter: WaitingCaller, result: Result<Payload, any Error>)>()
        for (waiter, result) in self.resumptions { resumptions.append((waiter, result.map(replaced.newest))) }
        self.resumptions = resumptions
    }

    mutating func discard(_ object: AnyObject?) {
        if let object { discarded.append(object) }
    }
}

/// A list that needs no memory of its own for one element, because most transactions have at most one of a kind.
enum SmallArray<Element>: Sequence {
    case none
    case one(Element)
    case many([Element])

    init() { self = .none }

    mutating func append(_ element: Element) {
        switch consume self {
        case .none: self = .one(element)
        case .one(let first): self = .many([first, element])
        case .many(var list):
            list.append(element)
            self = .many(list)
        }
    }

    var isEmpty: Bool {
        if case .none = self { true } else { false }
    }

    var count: Int {
        switch self {
        case .none: 0
        case .one: 1
        case .many(let list): list.count
        }
    }

    var isOne: Bool {
        if case .one = self { true } else { false }
    }

    mutating func removeFirst(where isMeant: (Element) -> Bool) {
        switch consume self {
        case .none: self = .none
        case .one(let element): self = isMeant(element) ? .none : .one(element)
        case .many(var list):
            if let index = list.firstIndex(where: isMeant) { list.remove(at: index) }
            self = list.count > 1 ? .many(list) : list.first.map { .one($0) } ?? .none
        }
    }

    var last: Element? {
        switch self {
        case .none: nil
        case .one(let element): element
        case .many(let list): list.last
        }
    }

    mutating func replaceLast(by element: Element) {
        guard case .many(var list) = consume self else { return self = .one(element) }
        list[list.count - 1] = element
        self = .many(list)
    }

    func forEach(_ body: (Element) throws -> Void) rethrows {
        switch self {
        case .none: break
        case .one(let element): try body(element)
        case .many(let list): try list.forEach(body)
        }
    }

    func makeIterator() -> Iterator {
        switch self {
        case .none: Iterator(first: nil, rest: nil)
        case .one(let element): Iterator(first: element, rest: nil)
        case .many(let list): Iterator(first: nil, rest: list.makeIterator())
        }
    }

    struct Iterator: IteratorProtocol {
        fileprivate var first: Element?
        fileprivate var rest: [Element].Iterator?

        mutating func next() -> Element? { first.take() ?? rest?.next() }
    }
}

enum SourceStep {
    case watch(Slot)
    case read(Slot)
    /// Run the operations that wait in a queue.
    case run(JobQueue)
}
