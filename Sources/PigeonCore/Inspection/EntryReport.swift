public import Foundation

/// Everything that a client knows of an entry at one moment, for developer tools.
///
/// ```swift
/// if let report = client.report(of: QueryKey("users", 42)) { print(report.info, report.deadlines) }
/// ```
public struct EntryReport: Sendable {
    /// The description of the entry that filters use.
    public let info: EntryInfo
    /// Number of callers that wait for an answer.
    public let waiterCount: Int
    /// The size of the value in bytes, as the client's budget counts it. `nil` without a value or a budget.
    public let cost: Int?
    /// The observers, in the order in which they attached.
    public let observers: [Observer]
    /// The validators that the server sent with the value.
    public let validators: FetchValidators
    /// The cache that stores the value. `nil` if none does.
    public let cache: (any QueryCacheType)?
    /// The directions in which the list has more pages. `nil` if it is not paged, or has no value.
    public let morePages: [PageDirection]?
    /// The fault of later fetches. See ``QueryClient/setFault(_:for:)``.
    public fileprivate(set) var fault: FetchFault?
    /// The items that the value contains. `nil` if no definition says that it contains any.
    package let items: ItemsReport?
    private let type: any Sendable.Type
    private let entry: Entry

    /// Called under the client's lock.
    fileprivate init(_ slot: Slot, _ context: EntryContext, hasBudget: Bool) {
        info = slot.info(context)
        waiterCount = slot.entry.callers.count { $0.target == .whole }
        cost = hasBudget && slot.entry.shown != nil ? slot.cost : nil
        observers = slot.observers.map { Observer(options: $0.options.values, place: $0.location?.description) }
        validators = slot.validators(of: slot.entry.base)
        cache = slot.extras?.persistence == nil ? nil : slot.extras?.queue?.cache
        if let pager = slot.fetcher?.pager, let shown = slot.entry.shown {
            morePages = [.next, .previous].filter { pager.canLoad($0, from: shown) }
        } else {
            morePages = nil
        }
        items = slot.extras?.contents.map(ItemsReport.init)
        type = slot.type
        entry = slot.entry
    }

    /// The entry's key, with its tags.
    public var key: QueryKey { info.key }
    /// The name of the value's type.
    public var typeName: String { String(describing: type) }
    /// The shown value, with optimistic changes. `nil` without a value.
    public var value: (any Sendable)? { entry.shown?.content }
    /// The server's value, without optimistic changes. `nil` without a value.
    public var base: (any Sendable)? { entry.base?.content }
    /// The error of the last fetch. `nil` after a fetch succeeded.
    public var error: (any Error)? { entry.failure?.error }
    /// The time at which the value was last known to be right, on the client's clock. `nil` without a value.
    public var writtenAt: MonotonicInstant? { entry.shown == nil ? nil : entry.writtenAt }
    /// The cause of the fetch in flight. `nil` if there is none.
    public var cause: Cause? { entry.flight?.cause }
    /// Number of failed attempts of the fetch in flight.
    public var failedAttempts: Int { entry.flight?.failures ?? 0 }
    /// Number of values that were received or written.
    public var valueCount: Int { Int(clamping: entry.valueCount) }
    /// Number of fetches that failed, after all retries.
    public var failureCount: Int { Int(clamping: entry.failureCount) }
    /// Increases with every change of the entry.
    public var version: UInt64 { entry.version }
    /// Increases with every change of the value.
    public var valueVersion: UInt64 { entry.valueVersion }
    /// The options of the definition that fetches.
    public var options: QueryOptions { entry.options.values }
    /// The time for which the answer said that it is fresh. `nil` if it did not.
    public var freshFor: Duration? { entry.freshFor.map { .nanoseconds($0) } }

    /// True if the value includes a change that the server has not confirmed.
    package var isOptimistic: Bool { entry.isOptimistic }

    /// The optimistic changes, lowest first. Calls the edits of the mutations.
    public var changes: [OptimisticChange] {
        var value = entry.base
        return entry.layers.map { layer in
            value = layer.patch.apply(value) ?? value
            return OptimisticChange(
                mutation: layer.patch.mutation, isConfirmed: layer.isConfirmed, value: value?.content)
        }
    }

    /// The times at which something will happen to the entry, earliest first.
    public var deadlines: [EntryDeadline] {
        var all: [EntryDeadline] = []
        func add(_ kind: EntryDeadline.Kind, _ time: MonotonicInstant?) {
            if let time { all.append(EntryDeadline(kind: kind, time: time)) }
        }
        if entry.shown != nil, !entry.isInvalidated {
            add(.stale, entry.staleAt ?? entry.freshUntil(for: entry.options.values.staleAfter))
        }
        add(.poll, entry.pollAt)
        add(.collect, entry.collectAt)
        for flight in [entry.flight, entry.side?.next.flight, entry.side?.previous.flight] {
            add(.retry, flight?.retryAt)
            add(.timeLimit, flight?.limit)
        }
        return all.sorted { $0.time < $1.time }
    }

    /// True if the value is stale by the options of the definition.
    public func isStale(at now: MonotonicInstant) -> Bool {
        entry.isStale(for: entry.options.values.staleAfter, at: now)
    }

    /// An observer of an entry.
    public struct Observer: Sendable {
        /// The options with which it observes.
        public let options: QueryOptions
        /// The file and line of the call that created it, such as `Shop/CartView.swift:42`. `nil` if a face created it
        /// without naming them.
        public let place: String?
    }

    /// An optimistic change of an entry.
    public struct OptimisticChange: Sendable {
        /// The number of the mutation.
        public let mutation: UInt64
        /// True if the mutation has succeeded, and no later answer includes the change yet.
        public let isConfirmed: Bool
        /// The value with this change and those below it.
        public let value: (any Sendable)?
    }
}

/// A time at which something will happen to an entry by itself.
public struct EntryDeadline: Sendable, Hashable {
    /// The kind of a deadline.
    public enum Kind: String, Sendable, Hashable {
        /// The value becomes stale.
        case stale
        /// The value is fetched by polling.
        case poll
        /// The next attempt of a fetch begins.
        case retry
        /// The fetch exceeds its time limit.
        case timeLimit
        /// The entry is removed from memory, because nobody uses it.
        case collect
    }

    /// The kind of the deadline.
    public let kind: Kind
    /// The time, on the client's clock.
    public let time: MonotonicInstant
}

extension QueryClient {
    /// Everything that the client knows of an entry. `nil` if there is no entry for the key. Reads no cache.
    public func report(of key: QueryKey) -> EntryReport? { reports(of: [key]).first }

    /// Everything that the client knows of the entries of some keys, in their order, without those that have none. All
    /// reports are of one moment.
    public func reports(of keys: some Sequence<QueryKey>) -> [EntryReport] {
        var reports = transact { state in
            keys.compactMap { key -> EntryReport? in
                guard let slot = state.entries[key] else { return nil }
                state.catchUp(slot)
                return EntryReport(slot, state.context, hasBudget: budget != nil)
            }
        }
        // Faults have a lock of their own.
        for index in reports.indices { reports[index].fault = fault(of: reports[index].key) }
        return reports
    }

    /// The keys of all entries in memory, in no order.
    public var keys: [QueryKey] { state.withLock { Array($0.entries.slots.keys) } }

    /// The caches that store values of the client: its own, and those that definitions have named so far.
    public var caches: [any QueryCacheType] { state.withLock { $0.records.queues.map(\.cache) } }

    /// Number of calls such as ``fetch(_:_:)`` that were answered at once, with the value in memory.
    public var hitCount: Int { state.withLock { $0.hitCount } }

    /// The date at the zero of the client's clock.
    public var startDate: Date { origin }

    /// The largest size of all values in memory, in bytes. `nil` for no limit.
    public var byteBudget: Int? { budget }

    /// The size of all values in memory, as the budget counts it, in bytes. `nil` without a budget.
    public var bytesInMemory: Int? { budget == nil ? nil : state.withLock { Int(clamping: $0.budget.cost) } }
}

extension QueryClient {
    /// Writes a value that is made from JSON, as if the program had written it.
    ///
    /// - Throws: ``QueryError`` if there is no entry, and an error of the decoder or of a value that cannot be decoded.
    package func write(json: Data, for key: QueryKey, cause: Cause) throws {
        guard let (slot, type) = state.withLock({ state in state.entries[key].map { ($0, $0.type) } }),
            let decodable = type as? any (Decodable & Sendable).Type
        else { throw UnwritableEntry(key: key) }
        let payload = try Self.payload(of: decodable, from: json)
        while !write(slot, .value, .keep, cause, { _ in payload }) {
            if state.withLock({ _ in slot.isRemoved }) { throw UnwritableEntry(key: key) }
        }
    }

    private static func payload<Value: Decodable & Sendable>(of type: Value.Type, from json: Data) throws -> Payload {
        do { return PayloadOf(try JSONDecoder().decode(type, from: json)) } catch {
            throw UnreadableValue(reason: CodingProblem.place(of: error))
        }
    }
}

/// The error of writing to an entry that is gone, or whose values cannot be decoded.
private struct UnwritableEntry: PlainlyDescribedError {
    let key: QueryKey
    var description: String { "\(key) has no entry whose value can be made from JSON" }
}

private struct UnreadableValue: PlainlyDescribedError {
    let reason: String
    var description: String { "the JSON is no such value: \(reason)" }
}
