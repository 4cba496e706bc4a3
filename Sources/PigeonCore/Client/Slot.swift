internal import Foundation

/// The place of one key in a client: its entry, and what the shell needs to carry out the entry's effects.
package final class Slot: @unchecked Sendable {  // guarded by the lock of its one client
    /// The type of the value. Only what is unowned changes it.
    var type: any Sendable.Type

    // What every input touches. Under the lock two accesses cannot overlap, and checking each costs more than it does.

    @exclusivity(unchecked) package var entry: Entry
    @exclusivity(unchecked) var fetcher: AnyFetcher?
    /// A fetch under way: the newest of the whole, unless that ended before an older one.
    @exclusivity(unchecked) var run: FetchRun?
    /// In the order in which they attached.
    @exclusivity(unchecked) var observers = Roster<ObserverCore>()
    @exclusivity(unchecked) var waiters: [Waiter] = []
    @exclusivity(unchecked) var extras: Extras?

    /// Of the present version or an older one, for delivery.
    var picture: EntryPicture?

    // Index.
    @exclusivity(unchecked) var isRemoved = false
    /// Whether it was removed because its value is not to be known any more, and not to save memory.
    var isForgotten = false
    var position: Int32 = 0
    /// Not kept: a node keeps its members, and lives while it has any.
    unowned var node: KeyIndex.Node?

    // Collection.
    @exclusivity(unchecked) var scheduledAt = Int64.max
    /// Whether it waits to be evicted, when values cost too much.
    var isEvictable = false
    var lastUsed: UInt64 = 0

    /// What few entries have.
    final class Extras {
        var persistence: Persistence?
        /// The cache that the value is kept in, and the work for it.
        var queue: RecordQueue?
        var isHydrated = false
        var validated: Validated?
        /// Page loads, and fetches of the whole beside which a newer one began. In the order they began.
        var otherRuns: [FetchRun] = []
        var pageWaiters: [(direction: PageDirection, waiter: Waiter)] = []
        typealias Initial = @Sendable () -> (payload: Payload, age: Duration)?
        var initial: Initial?
        var costOf: (@Sendable (Payload) -> Int)?
        var freshFor: (@Sendable (Payload) -> Int64?)?
        var cost = 0
        /// What is in the cache, or on its way: what is kept in parts is compared with it.
        var saved: Payload?
        var tags: [String] = []
        var reading: Reading?
        /// Tells of changes of the source of truth, while somebody observes.
        var watch: QuerySubscription?
        /// Those who wait for it to be read.
        var readers: [Waiter] = []
        /// The newest edit of a running mutation that the entry has got.
        var editsUpTo: UInt64 = 0
        /// Whether observers are to see every version, and not only the newest.
        var deliversEveryVersion = false

        /// Takes out those who wait for a page in a direction.
        func takePageWaiters(_ direction: PageDirection) -> [Waiter] {
            let taken = pageWaiters.filter { $0.direction == direction }
            pageWaiters.removeAll { $0.direction == direction }
            return taken.map(\.waiter)
        }
    }

    init(key: QueryKey, type: any Sendable.Type, options: ResolvedOptions) {
        self.type = type
        entry = Entry(key: key, options: options)
    }

    package var key: QueryKey { entry.key }
    var valueType: ObjectIdentifier { ObjectIdentifier(type) }
    var typeName: String { String(describing: type) }
    var tags: [String] { extras?.tags ?? [] }

    /// Validators, and the value that the server gave them with.
    struct Validated {
        weak var value: Payload?
        let validators: FetchValidators
    }

    /// Keeps the validators that the server gave with the entry's value.
    func keep(_ validators: FetchValidators) {
        guard extras?.validated != nil || !validators.isEmpty else { return }
        makeExtras().validated = validators.isEmpty ? nil : Validated(value: entry.base, validators: validators)
    }

    /// The validators that the server gave with a value. They lapse with it: a server that is asked with those of another
    /// value may say of this one that it has not changed.
    func validators(of value: Payload?) -> FetchValidators {
        guard let value, let validated = extras?.validated, validated.value === value else { return FetchValidators() }
        return validated.validators
    }

    var needsHydration: Bool {
        guard let extras else { return false }
        return !extras.isHydrated && (extras.persistence != nil || extras.initial != nil)
    }

    /// Whether the slot can be given to another type: it holds nothing that anyone would miss.
    var isVacant: Bool {
        entry.shown == nil && observers.isEmpty && waiters.isEmpty && !entry.isBusy && !entry.isOptimistic
            && entry.sourceWork.isIdle
    }

    /// Whether a value that the server gave is what counts, be it that it was dropped to save memory.
    func holds(_ payload: Payload) -> Bool {
        isRemoved ? !isForgotten : entry.base === payload
    }

    /// Whether nobody observes the entry, waits for it or works at it.
    var isIdle: Bool {
        !entry.isObserved && waiters.isEmpty && !entry.isBusy && !entry.isOptimistic && !entry.hasSideWork
    }

    /// Whether nobody has brought a value or a fetcher: those who only watch do not decide what type a key holds.
    var isUnowned: Bool {
        !entry.hasFetcher && fetcher == nil && extras?.persistence == nil && extras?.initial == nil
            && entry.shown == nil && waiters.isEmpty && !entry.isBusy && !entry.isOptimistic
    }

    /// The error of using the key as another type. Types with one name are told apart by their modules.
    func mismatch(with other: any Sendable.Type) -> QueryError {
        let name = String(describing: other)
        guard name == typeName else { return .typeMismatch(key: key, existing: typeName, requested: name) }
        return .typeMismatch(key: key, existing: String(reflecting: type), requested: String(reflecting: other))
    }

    /// Whether one who watches can see the value as a type.
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

    /// Takes out the runs of all fetches under way: they hold the slot.
    func takeRuns() -> [FetchRun] {
        let runs = [run].compactMap { $0 } + (extras?.otherRuns ?? [])
        run = nil
        extras?.otherRuns = []
        return runs
    }

    /// The run of a fetch.
    func run(of generation: UInt64) -> FetchRun? {
        if let run, run.generation == generation { return run }
        return extras?.otherRuns.first { $0.generation == generation }
    }

    /// True if the caller runs the fetcher that the entry waits for: waiting for the entry, it would wait for itself.
    var isFetchedByCaller: Bool {
        if let generation = entry.runningGeneration, let run = run(of: generation), run.isCaller { return true }
        return extras?.otherRuns.contains { $0.direction != nil && $0.isCaller } ?? false
    }

    /// Takes the run of a fetch out.
    func takeRun(_ generation: UInt64) -> FetchRun? {
        if let newest = run, newest.generation == generation {
            run = nil
            return newest
        }
        guard let index = extras?.otherRuns.firstIndex(where: { $0.generation == generation }) else { return nil }
        return extras?.otherRuns.remove(at: index)
    }
}

/// Lets fetches know their client without keeping it.
package final class ClientReference: @unchecked Sendable {  // set once; weak loads are atomic
    package weak var client: QueryClient?

    init() {}
}
