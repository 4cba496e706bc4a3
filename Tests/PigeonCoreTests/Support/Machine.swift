import PigeonCore
import Testing

/// An entry under test, with a clock and surroundings that change only when the test changes them. Describes its
/// effects and state as text.
struct Machine {
    private(set) var entry: Entry
    var seconds = 0.0
    var isOnline = true
    var isActive = true
    /// True if the event stream has a listener.
    var wantsEvents = true
    private var effects = EffectList(wantsEvents: true)
    /// The fetches that were started, and neither stopped nor ended.
    private var runs: Set<UInt64> = []

    init(_ change: (inout QueryOptions) -> Void = { _ in }) {
        entry = Entry(options: .with(change))
    }

    var context: EntryContext { EntryContext(now: .seconds(seconds), isOnline: isOnline, isActive: isActive) }

    /// Sends an input to the entry, and returns the effects.
    @discardableResult
    mutating func receive(_ input: EntryInput) -> [String] {
        effects = EffectList(wantsEvents: wantsEvents)
        let version = entry.version
        entry.receive(resolved(input), at: context, into: &effects)
        for (index, target) in effects.starts {
            guard let flight = entry[target], flight.isRunning else { continue }
            runs.insert(flight.generation)
            effects.lines[index] = flight.start(of: target)
        }
        runs.subtract(effects.ended)
        #expect(runs.allSatisfy { entry.isUnderWay($0) }, "a fetch is over, and nobody is told to forget it")
        return effects.lines.filter { !$0.isEmpty } + (entry.version != version ? ["notify"] : [])
    }

    /// The input, by the caller who came last if it names one who never came.
    private func resolved(_ input: EntryInput) -> EntryInput {
        guard case .leave(let caller, let isServed) = input, let last = entry.callers.last,
            !entry.callers.contains(where: { $0 === caller })
        else { return input }
        return .leave(last, isServed: isServed)
    }

    /// Advances the clock, and notifies the entry if its deadline has passed, as the client does.
    @discardableResult
    mutating func pass(_ seconds: Double) -> [String] {
        self.seconds += seconds
        guard let deadline = entry.deadline, deadline <= context.now else { return [] }
        return receive(.timePassed)
    }

    mutating func use(_ options: ResolvedOptions) { entry.adopt(options) }

    mutating func giveNoFetcher() { entry.hasFetcher = false }

    mutating func giveSource() { entry.hasSource = true }

    /// The objects that the last input discarded, to be released outside the lock.
    var discarded: [AnyObject] { effects.discarded }

    /// The value, the activity and the pending work, such as `Ann, fetching 2, invalidated`.
    var state: String {
        var parts = [value ?? "nothing", activity]
        if entry.isInvalidated { parts.append("invalidated") }
        if let failure = entry.failure { parts.append("failed \(failure.error)") }
        if !entry.layers.isEmpty { parts.append("\(entry.layers.count) layer") }
        if entry.isAwaited { parts.append("\(entry.callers.count { $0.target == .whole }) waiting") }
        if let ask = entry.sourceWork.running { parts.append("reading for \(ask.demand.brief)") }
        if let ask = entry.sourceWork.requested { parts.append("to be read for \(ask.demand.brief)") }
        return parts.joined(separator: ", ")
    }

    var value: String? { (entry.shown as? PayloadOf<String>)?.value }
    var base: String? { (entry.base as? PayloadOf<String>)?.value }

    /// Seconds until the deadline of the entry.
    var due: Double? { entry.deadline.map { Double($0.nanoseconds) / 1e9 - seconds } }

    private var activity: String {
        guard let flight = entry.flight else { return "\(entry.activity)" }
        let failures = flight.failures > 0 ? " failed \(flight.failures)" : ""
        return "\(entry.activity) \(flight.generation)\(failures)"
    }
}

extension Demand {
    /// The fetch that the demand leads to, without its cause.
    var brief: String {
        switch self {
        case .nothing: "nothing"
        case .ifStale: "what is stale"
        case .always: "anything"
        }
    }
}

/// The errors of failed attempts in these tests.
enum Trouble: Error, Equatable {
    case first
    case second
}

extension MonotonicInstant {
    static func seconds(_ count: Double) -> MonotonicInstant { MonotonicInstant(nanoseconds: Int64(count * 1e9)) }
}

extension ResolvedOptions {
    static func with(_ change: (inout QueryOptions) -> Void = { _ in }) -> ResolvedOptions {
        var options = QueryOptions()
        change(&options)
        return ResolvedOptions(options)
    }
}

extension AttachedObserver {
    static func observer(
        _ id: UInt64, isEnabled: Bool = true, _ change: (inout QueryOptions) -> Void = { _ in }
    ) -> AttachedObserver {
        AttachedObserver(id: id, options: .with(change), isEnabled: isEnabled)
    }
}

extension CommitCandidate {
    static func of(_ value: String, isSame: Bool = false, freshFor seconds: Double? = nil) -> CommitCandidate {
        let payload = PayloadOf(value)
        return CommitCandidate(
            base: payload, shown: payload, isSame: isSame, freshFor: seconds.map { Int64($0 * 1e9) })
    }

    static func of(_ base: String, shown: String, layers: [Layer]? = nil) -> CommitCandidate {
        CommitCandidate(base: PayloadOf(base), shown: PayloadOf(shown), layers: layers)
    }
}

extension Layer {
    /// Returns a pending layer that was added after one value had arrived.
    static func pending(_ mutation: UInt64) -> Layer {
        Layer(patch: Patch(mutation: mutation, number: mutation, type: String.self) { $0 }, arrivals: 1)
    }
}

extension Layers {
    static func pending(_ mutations: UInt64...) -> Layers? {
        Layers(mutations.map { Layer.pending($0) }, confirmedValue: nil)
    }
}

/// Short forms of the inputs that tests use most.
extension EntryInput {
    static func observe(_ id: UInt64 = 1, _ change: (inout QueryOptions) -> Void = { _ in }) -> EntryInput {
        .attach(.observer(id, change))
    }

    static var join: EntryInput { .join(WaitingCaller()) }

    /// The caller who came last stops awaiting.
    static func leave(isServed: Bool = false) -> EntryInput { .leave(WaitingCaller(), isServed: isServed) }

    static func loadPage(_ direction: PageDirection) -> EntryInput {
        .loadPage(direction, for: WaitingCaller(forPage: direction))
    }

    static func observeDisabled(_ id: UInt64 = 1) -> EntryInput { .attach(.observer(id, isEnabled: false)) }

    static var fetchNow: EntryInput { .fetch(.requested, mode: .join, fromStart: false) }
    static var refetchNow: EntryInput { .fetch(.requested, mode: .restart, fromStart: false) }

    static var fetchConcurrently: EntryInput { .fetch(.requested, mode: .concurrent, fromStart: false) }

    static func value(_ value: String, of generation: UInt64, freshFor seconds: Double? = nil) -> EntryInput {
        .answer(generation: generation, .value(.of(value, freshFor: seconds)))
    }

    static func failure(of generation: UInt64, retryIn delay: Duration? = nil) -> EntryInput {
        .answer(generation: generation, .failure(Failure(Trouble.first), retryIn: delay))
    }

    /// Returns the answer of a page load: the list with one more page.
    static func page(_ value: String, of generation: UInt64) -> EntryInput {
        .answer(generation: generation, .value(.of(value)))
    }

    static func write(_ value: String, keep: Bool = false) -> EntryInput {
        .write(.of(value), .value, keepsOverFetch: keep, .written)
    }

    static func edit(_ value: String, keep: Bool = true) -> EntryInput {
        .write(.of(value), .edit, keepsOverFetch: keep, .written)
    }

    static func confirm(_ mutation: UInt64, confirmedValue: String? = nil) -> EntryInput {
        .confirm(mutation: mutation, confirmedValue: confirmedValue.map { PayloadOf($0) })
    }

    static func hydrate(_ value: String, age: Duration = .zero, isStale: Bool = false) -> EntryInput {
        .hydrate(FoundValue(payload: PayloadOf(value), age: age, isStale: isStale, freshFor: nil))
    }

    static func invalidate(_ scope: RefetchScope = .active) -> EntryInput {
        .invalidate(.requested, refetch: scope)
    }
}

/// Describes the effects of an input as text, without the objects to release.
struct EffectList: EntryEffects {
    let key: QueryKey = "users"
    let wantsEvents: Bool
    var lines: [String] = []
    /// The attempts that begin, and the places of their lines.
    var starts: [(index: Int, target: FlightTarget)] = []
    var ended: Set<UInt64> = []
    var discarded: [AnyObject] = []

    mutating func requestAttempt(of target: FlightTarget, goesOn: Bool) {
        starts.append((lines.count, target))
        lines.append("")
    }

    mutating func stop(_ flight: Flight) {
        if flight.isRunning { lines.append("stop \(flight.generation)") }
    }

    mutating func end(_ flight: Flight, _ end: FetchEnd) {
        #expect(ended.insert(flight.generation).inserted, "a fetch ends once")
        discard(flight.lastFailure)
    }

    mutating func end(_ request: any FetchRequest, _ end: FetchEnd) {}

    mutating func resume(
        _ callers: [WaitingCaller], awaiting target: FlightTarget, with settlement: Settlement, showing shown: Payload?
    ) {
        guard let direction = target.direction else { return lines.append("settle \(settlement.line)") }
        if !callers.isEmpty { lines.append("settle \(direction) page \(settlement.line)") }
    }

    mutating func persist() { lines.append("persist") }
    mutating func persistStale() { lines.append("persist stale") }
    mutating func collect() { lines.append("collect") }
    mutating func watchSource() { lines.append("watch source") }
    mutating func readSource() { lines.append("read source") }
    mutating func sourceRead() { lines.append("source read") }

    mutating func emit(
        _ kind: QueryEvent.Kind, _ cause: Cause, of fetch: UInt64?, mutation: UInt64?, error: (any Error)?
    ) {
        lines.append("\(kind) (\(cause))")
    }

    mutating func discard(_ object: AnyObject?) {
        if let object { discarded.append(object) }
    }
}

extension Flight {
    fileprivate func start(of target: FlightTarget) -> String {
        let again = failures > 0 ? " again" : ""
        guard let direction = target.direction else {
            return "start \(generation)\(again)\(fromStart ? " from start" : "") (\(cause))"
        }
        return "start \(direction) page \(generation)\(again)"
    }
}

extension Settlement {
    fileprivate var line: String {
        switch self {
        case .value: "value"
        case .failure(let failure): "\(failure.error)"
        case .cancelled: "cancelled"
        }
    }
}

extension Entry {
    /// True if a fetch is in flight: it runs, waits for a retry, or is paused.
    func isUnderWay(_ generation: UInt64) -> Bool {
        flight?.generation == generation || olderFlights.contains { $0.generation == generation }
            || side?.next.flight?.generation == generation || side?.previous.flight?.generation == generation
    }
}
