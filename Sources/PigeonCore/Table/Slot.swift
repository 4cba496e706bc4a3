internal import Foundation

/// The state of one key in a client: its entry, and the objects with which the client carries out the entry's effects.
package final class Slot: Ranked, @unchecked Sendable {  // guarded by the lock of its one client
    package let key: QueryKey
    /// The type of the value. Can change only while the slot is unowned.
    var type: any Sendable.Type

    // Properties that every input accesses. Accesses cannot overlap under the lock, and each check would cost more than
    // the access.

    @exclusivity(unchecked) package var entry: Entry
    @exclusivity(unchecked) var fetcher: AnyFetcher?
    /// The run of a fetch in flight: of the newest fetch of the whole value, unless that ended before an older one.
    @exclusivity(unchecked) var run: FetchRun?
    /// The observers, in the order in which they attached.
    @exclusivity(unchecked) var observers = Roster<ObserverCore>()
    @exclusivity(unchecked) var extras: Extras?

    /// The state for delivery, of the current version or an older one.
    var entryState: EntryState?

    // Index.
    @exclusivity(unchecked) var isRemoved = false
    /// True if the key has a temporary identifier. Its fetches wait until a server has assigned another.
    let isTemporary: Bool
    /// True if the slot was removed because its value must no longer be used, and not to save memory.
    var isForgotten = false
    /// True if the entry is found by the items in its values.
    @exclusivity(unchecked) var containsItems = false
    /// True if the index has the slot among the engaged ones.
    @exclusivity(unchecked) var isEngaged = false
    /// All tags that definitions of the key have.
    @exclusivity(unchecked) var tags: [String] = []
    @exclusivity(unchecked) var position: Int32 = 0
    /// Number of the newest invalidation of several keys that the entry knows of.
    @exclusivity(unchecked) var lastMark: UInt64 = 0
    /// Unowned, because a node retains its members and exists while it has any.
    @exclusivity(unchecked) unowned(unsafe) var node: KeyIndex.Node?

    // Collection.
    @exclusivity(unchecked) var scheduledAt = Int64.max
    /// The cost of the value in the client's budget, in bytes.
    var cost = 0
    /// True if the slot is in the eviction queue.
    var isEvictable = false
    @exclusivity(unchecked) var lastUsed: UInt64 = 0

    /// State that few entries have.
    final class Extras {
        var persistence: Persistence?
        /// The queue of the cache in which the value is stored.
        var queue: RecordQueue?
        /// Encodes and decodes the value for those who share it. `nil` if nobody does.
        var sharing: Persistence?
        var isHydrated = false
        var answered: Answered?
        /// The runs of page loads, and of older concurrent fetches, in the order in which they started.
        var otherRuns: [FetchRun] = []
        typealias Initial = @Sendable () -> (payload: Payload, age: Duration)?
        var initial: Initial?
        var costOf: (@Sendable (Payload) -> Int)?
        var freshFor: (@Sendable (Payload) -> Int64?)?
        /// Returns true for a value that needs no polling.
        var isFinal: (@Sendable (Payload) -> Bool)?
        /// The ``QueryRecord/mark`` of the record that the entry read or wrote last, or took from others. 0 if there is
        /// none.
        @exclusivity(unchecked) var recordMark = 0
        var reading: Reading?
        /// What the entry contains, if ``Slot/containsItems``.
        var contents: Contents?
        /// The subscription to changes of the source of truth, while the entry is observed.
        var watch: QuerySubscription?
        /// Number of the first observer that attached during the current reading of the source of truth. `nil` if none
        /// did.
        var firstNewObserver: UInt64?
        /// Callers that wait for the source of truth to be read.
        var readers: [WaitingCaller] = []
        /// Number of the newest edit of a running mutation that was applied to the entry.
        var editsUpTo: UInt64 = 0
        /// The observers that have a recorder, and so receive every version.
        var recorders: [ObserverCore] = []

        /// The properties that come from definitions, without the state of the entry.
        var definitionProperties: Extras {
            let copy = Extras()
            (copy.persistence, copy.queue, copy.sharing) = (persistence, queue, sharing)
            (copy.initial, copy.costOf, copy.freshFor) = (initial, costOf, freshFor)
            (copy.isFinal, copy.reading) = (isFinal, reading)
            return copy
        }

        /// Notes that the entry and its record are emptied. The cache is not read again, and running mutations edit the
        /// next value anew.
        func noteEmptied() {
            (isHydrated, editsUpTo, recordMark) = (true, 0, 0)
        }
    }

    init(key: QueryKey, type: any Sendable.Type, options: ResolvedOptions, isTemporary: Bool = false) {
        self.type = type
        self.isTemporary = isTemporary
        self.key = key
        entry = Entry(options: options)
    }

    var valueType: ObjectIdentifier { ObjectIdentifier(type) }
    var typeName: String { String(describing: type) }

    /// The metadata of an answer, and the value that came with it.
    struct Answered {
        weak var value: Payload?
        let metadata: AnswerMetadata
    }

    /// Stores the metadata that the server sent with the entry's value.
    func keep(_ metadata: AnswerMetadata) {
        guard extras?.answered != nil || !metadata.isEmpty else { return }
        makeExtras().answered = metadata.isEmpty ? nil : Answered(value: entry.base, metadata: metadata)
    }

    /// The metadata that the server sent with a value. It is valid only for this value: with the validators of another
    /// value, the server could wrongly report that this one is unchanged.
    func metadata(of value: Payload?) -> AnswerMetadata {
        guard let value, let answered = extras?.answered, answered.value === value else { return AnswerMetadata() }
        return answered.metadata
    }

    func validators(of value: Payload?) -> FetchValidators { metadata(of: value).validators }

    /// The time for which the server allows the value to be used when it is stale.
    var allowance: StaleAllowance? { metadata(of: entry.base).allowance }

    var needsHydration: Bool {
        guard let extras else { return false }
        return !extras.isHydrated && (extras.persistence != nil || extras.initial != nil)
    }

    /// True if the slot can change its type, because it has no value, observers, waiters or work.
    var isVacant: Bool {
        entry.shown == nil && observers.isEmpty && entry.callers.isEmpty && !entry.isBusy && !entry.isOptimistic
            && entry.sourceWork.isIdle
    }

    /// True if `payload` is the current server value, even if it has been evicted since.
    func holds(_ payload: Payload) -> Bool {
        isRemoved ? !isForgotten : entry.base === payload
    }

    /// True if the entry has no observers, no waiters and no work in flight.
    var isIdle: Bool {
        !entry.isObserved && entry.callers.isEmpty && !entry.isBusy && !entry.isOptimistic && !entry.hasSideWork
    }

    /// True if the entry must learn of an invalidation at once: if it is in use, if its data lies in a source of truth,
    /// or if its cache needs the key of each record that becomes stale.
    var mustKnowAtOnce: Bool {
        !isIdle || entry.hasSource || extras?.queue?.needsEachKey ?? false
    }

    /// True if the slot has received neither a value nor a fetcher. Observers alone do not decide the type of a key.
    var isUnowned: Bool {
        !entry.hasFetcher && fetcher == nil && extras?.persistence == nil && extras?.initial == nil
            && entry.shown == nil && entry.callers.isEmpty && !entry.isBusy && !entry.isOptimistic
    }

    /// The error includes the modules of types that have the same name.
    func mismatch(with other: any Sendable.Type) -> QueryError {
        let name = String(describing: other)
        guard name == typeName else { return .typeMismatch(key: key, existing: typeName, requested: name) }
        return .typeMismatch(key: key, existing: String(reflecting: type), requested: String(reflecting: other))
    }

    func canBeRead(as type: any Sendable.Type) -> Bool {
        valueType == ObjectIdentifier(type)
            || extras?.reading.map { ObjectIdentifier($0.type) } == ObjectIdentifier(type)
    }

    func makeExtras() -> Extras {
        if let extras { return extras }
        let made = Extras()
        extras = made
        return made
    }

    /// Removes and returns the runs of all fetches in flight, which retain the slot.
    func takeRuns() -> [FetchRun] {
        guard run != nil || extras != nil else { return [] }
        let runs = [run].compactMap { $0 } + (extras?.otherRuns ?? [])
        run = nil
        extras?.otherRuns = []
        return runs
    }

    func run(of generation: UInt64) -> FetchRun? {
        if let run, run.generation == generation { return run }
        return extras?.otherRuns.first { $0.generation == generation }
    }

    /// True if the caller is the fetcher that the entry waits for. If it waited for the entry, it would wait for
    /// itself.
    var isFetchedByCaller: Bool {
        if let generation = entry.runningGeneration, let run = run(of: generation), run.isCaller { return true }
        return extras?.otherRuns.contains { $0.direction != nil && $0.isCaller } ?? false
    }

    func takeRun(_ generation: UInt64) -> FetchRun? {
        if let newest = run, newest.generation == generation {
            run = nil
            return newest
        }
        guard let index = extras?.otherRuns.firstIndex(where: { $0.generation == generation }) else { return nil }
        return extras?.otherRuns.remove(at: index)
    }
}

extension FetchRun {
    /// True if the fetch of a slot waits for this one, directly or through further fetches, or if it is this one. Only
    /// the newest fetches of slots are awaited.
    func isAwaited(by other: Slot) -> Bool {
        guard self === slot.run else { return false }
        var open = [slot]
        var known: Set<ObjectIdentifier> = [ObjectIdentifier(slot)]
        while let next = open.popLast() {
            guard next !== other else { return true }
            for case let requester? in next.entry.callers.lazy.map(\.requester) where requester === requester.slot.run {
                if known.insert(ObjectIdentifier(requester.slot)).inserted { open.append(requester.slot) }
            }
        }
        return false
    }
}

extension [Slot] {
    var withoutDuplicates: [Slot] {
        guard count > 1 else { return self }
        var seen: Set<ObjectIdentifier> = []
        return filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}

/// The metadata of a server's answer, besides the value and its freshness.
struct AnswerMetadata: Sendable {
    var validators = FetchValidators()
    var allowance: StaleAllowance?

    var isEmpty: Bool { validators.isEmpty && allowance == nil }
}

/// A weak reference with which fetches reach their client.
package final class ClientReference: @unchecked Sendable {  // set once; weak loads are atomic
    package weak var client: QueryClient?

    /// - Throws: `CancellationError` if the client has been released.
    func get() throws -> QueryClient {
        guard let client else { throw CancellationError() }
        return client
    }
}
