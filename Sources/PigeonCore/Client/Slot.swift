internal import Foundation

/// The place of one key in a client: its entry, and what the shell needs to carry out the entry's effects.
package final class Slot: @unchecked Sendable {  // guarded by the lock of its one client
    /// The type of the value. Only what is unowned changes it.
    var type: any Sendable.Type

    package var entry: Entry
    var fetcher: AnyFetcher?
    var run: FetchRun?
    var observers: [ObserverCore] = []
    var waiters: [Waiter] = []
    var extras: Extras?

    // Delivery.
    var deliveredVersion: UInt64 = 0
    var picture: EntryPicture?
    var isDelivering = false
    /// Whether an observer came from another key, and is to be told even if nothing changes.
    var hasNewcomer = false

    // Index.
    var isRemoved = false
    /// Whether it was removed because its value is not to be known any more, and not to save memory.
    var isForgotten = false
    var position: Int32 = 0
    /// Not kept: a node keeps its members, and lives while it has any.
    unowned var node: KeyIndex.Node?

    // Collection.
    var scheduledAt = Int64.max
    var lastUsed: UInt64 = 0

    /// What few entries have.
    final class Extras {
        var persistence: Persistence?
        var cache: (any QueryCacheType)?
        var isHydrated = false
        var validators = FetchValidators()
        /// Those that still run beside a newer one, oldest first.
        var overtakenRuns: [FetchRun] = []
        var nextRun: FetchRun?
        var previousRun: FetchRun?
        var pageWaiters: [PageDirection: [Waiter]] = [:]
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
        /// The versions that observers have not been told of yet, where they are to see every one. `nil` where the newest
        /// is enough.
        var unseen: [EntryPicture]?

        func nextUnseen() -> EntryPicture? {
            guard let unseen, !unseen.isEmpty else { return nil }
            return self.unseen?.removeFirst()
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

    /// Keeps what came with a value, if the entry takes that value: one that it waits for, or that the program writes.
    func keep(_ validators: FetchValidators, from generation: UInt64?) {
        guard generation == .max || generation.map(entry.takesAnswer(of:)) == true else { return }
        guard extras != nil || !validators.isEmpty else { return }
        makeExtras().validators = validators
    }

    var needsHydration: Bool {
        guard let extras else { return false }
        return !extras.isHydrated && (extras.persistence != nil || extras.initial != nil)
    }

    /// Whether the slot can be given to another type: it holds nothing that anyone would miss.
    var isVacant: Bool {
        entry.shown == nil && observers.isEmpty && waiters.isEmpty && entry.activity == .idle && entry.layers.isEmpty
            && entry.sourceWork.isIdle
    }

    /// Whether a value that the server gave is what counts, be it that it was dropped to save memory.
    func holds(_ payload: Payload) -> Bool {
        isRemoved ? !isForgotten : entry.base === payload
    }

    /// Whether nobody observes the entry, waits for it or works at it.
    var isIdle: Bool {
        !entry.isObserved && waiters.isEmpty && entry.activity == .idle && entry.layers.isEmpty && !entry.hasSideWork
    }

    /// Whether nobody has brought a value or a fetcher: those who only watch do not decide what type a key holds.
    var isUnowned: Bool {
        !entry.hasFetcher && fetcher == nil && extras?.persistence == nil && extras?.initial == nil
            && entry.shown == nil && waiters.isEmpty && entry.activity == .idle && entry.layers.isEmpty
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

    /// Lets go of the fetches under way: they hold the slot.
    func takeRuns() -> [FetchRun] {
        let runs = [run, extras?.nextRun, extras?.previousRun].compactMap { $0 } + (extras?.overtakenRuns ?? [])
        run = nil
        extras?.overtakenRuns = []
        extras?.nextRun = nil
        extras?.previousRun = nil
        return runs
    }

    /// Takes the run of a fetch out.
    func takeRun(_ generation: UInt64) -> FetchRun? {
        if let newest = run, newest.generation == generation {
            run = nil
            return newest
        }
        guard let index = extras?.overtakenRuns.firstIndex(where: { $0.generation == generation }) else { return nil }
        return extras?.overtakenRuns.remove(at: index)
    }

    /// Keeps to the fetches that the entry has under way.
    ///
    /// - Returns: The runs of those that ended.
    func settleRuns() -> [FetchRun] {
        guard let extras else { return [] }
        var ended: [FetchRun] = []
        if let newest = run, !entry.isUnderWay(newest.generation) {
            ended.append(newest)
            run = nil
        }
        if run == nil, let last = extras.overtakenRuns.last, last.generation == entry.flight?.generation {
            run = extras.overtakenRuns.removeLast()
        }
        ended += extras.overtakenRuns.filter { !entry.isUnderWay($0.generation) }
        extras.overtakenRuns.removeAll { !entry.isUnderWay($0.generation) }
        return ended
    }

    func run(of direction: PageDirection) -> FetchRun? {
        direction == .next ? extras?.nextRun : extras?.previousRun
    }

    func set(_ run: FetchRun?, of direction: PageDirection) {
        let extras = makeExtras()
        if direction == .next { extras.nextRun = run } else { extras.previousRun = run }
    }
}

/// Lets fetches know their client without keeping it.
package final class ClientReference: @unchecked Sendable {  // set once; weak loads are atomic
    package weak var client: QueryClient?

    init() {}
}
