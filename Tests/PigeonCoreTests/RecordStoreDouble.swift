import Foundation
import PigeonCore
import PigeonTesting

/// A store of records in memory that records its calls, and fails when a test says so.
final class RecordStoreDouble: QueryRecordStore {
    struct Refusal: Error {}

    private struct State {
        var records: [QueryKey: QueryRecord] = [:]
        var batches: [[QueryRecordChange]] = []
        var refusals = 0
        var failsReads = false
        var problems: [QueryCacheProblem] = []
        var reads: [QueryKey] = []
        var onApply: (@Sendable ([QueryRecordChange]) -> Void)?
        var onRead: (@Sendable (QueryKey) -> Void)?
        var listeners: [UUID: @Sendable (QueryCacheChange) -> Void] = [:]
    }

    private let state = Locked(State())

    /// The changes of each successful write, in order.
    var batches: [[QueryRecordChange]] { state.withLock { $0.batches } }
    /// The keys that were read, in order.
    var reads: [QueryKey] { state.withLock { $0.reads } }
    /// The keys of all records.
    var keys: [String] { state.withLock { $0.records.keys.map(\.queryKeyValue).sorted() } }

    /// The sorted keys of the saved records, for each batch that saved any.
    var saved: [[String]] {
        batches.map { changes in
            changes.compactMap { if case .save(_, let key) = $0 { key.queryKeyValue } else { nil } }.sorted()
        }
        .filter { !$0.isEmpty }
    }

    /// Refuses the next `count` writes.
    func refuse(_ count: Int) { state.withLock { $0.refusals = count } }
    /// Makes all reads throw, or succeed again.
    func failReads(_ fails: Bool) { state.withLock { $0.failsReads = fails } }
    /// Sets a hook that is called before each write, even if the write is refused.
    func onApply(_ hook: (@Sendable ([QueryRecordChange]) -> Void)?) { state.withLock { $0.onApply = hook } }
    /// Sets a hook that is called before each read.
    func onRead(_ hook: (@Sendable (QueryKey) -> Void)?) { state.withLock { $0.onRead = hook } }
    /// Stores a record, as an earlier run of the program would have done.
    func put(_ record: QueryRecord, for key: QueryKey) { state.withLock { $0.records[key] = record } }

    /// Stores a value, as an earlier run of the program would have done.
    func put<T: Codable>(
        _ value: T, for key: QueryKey, savedAt: Date, schema: Int = 0, isStale: Bool = false
    ) throws {
        let data = try JSONEncoder().encode([value])
        put(QueryRecord(data: data, savedAt: savedAt, schema: schema, isStale: isStale, tags: key.tags), for: key)
    }

    /// Changes the records as another process would, and tells the client.
    func changeFromOutside(_ changes: QueryRecordChange..., news: QueryCacheChange = .records(.all)) {
        let listeners = state.withLock { state in
            for change in changes { Self.carryOut(change, &state.records) }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener(news) }
    }

    func onChange(_ listener: @escaping @Sendable (QueryCacheChange) -> Void) -> QuerySubscription? {
        let id = UUID()
        state.withLock { $0.listeners[id] = listener }
        return QuerySubscription { [weak self] in self?.state.withLock { $0.listeners[id] = nil } }
    }

    func record(for key: QueryKey) throws -> QueryRecord? {
        let hook = state.withLock { state in
            state.reads.append(key)
            return state.onRead
        }
        hook?(key)
        return try state.withLock { state in
            if state.failsReads { throw Refusal() }
            return state.records[key]
        }
    }

    func records(under path: QueryKey?) throws -> [(key: QueryKey, record: QueryRecord)] {
        state.withLock { state in
            state.records.filter { path.map($0.key.isWithin) ?? true }.map { ($0.key, $0.value) }
        }
    }

    func apply(_ changes: [QueryRecordChange]) throws {
        state.withLock { $0.onApply }?(changes)
        try state.withLock { state in
            if state.refusals > 0 {
                state.refusals -= 1
                throw Refusal()
            }
            state.batches.append(changes)
            for change in changes { Self.carryOut(change, &state.records) }
        }
    }

    private static func carryOut(_ change: QueryRecordChange, _ records: inout [QueryKey: QueryRecord]) {
        switch change {
        case .save(let record, let key): records[key] = record
        case .remove(let key): records[key] = nil
        case .removeAll: records = [:]
        case .markStale(let scope):
            for (key, record) in records where scope.contains(key, tags: record.tags) { records[key]?.isStale = true }
        }
    }

    func takeProblems() -> [QueryCacheProblem] {
        state.withLock { state in
            defer { state.problems = [] }
            return state.problems
        }
    }
}

/// A cache as users write it: the four required methods, values in memory, and no marks.
final class PlainCache: QueryCacheType {
    private struct Item { var data: Data; var savedAt: Date }
    private let items = Locked<[QueryKey: Item]>([:])
    private let hooks = Locked<(save: (@Sendable () -> Void)?, get: (@Sendable () -> Void)?)>((nil, nil))

    var keys: [String] { items.withLock { $0.keys.map(\.queryKeyValue).sorted() } }

    func onSave(_ hook: (@Sendable () -> Void)?) { hooks.withLock { $0.save = hook } }
    func onGet(_ hook: (@Sendable () -> Void)?) { hooks.withLock { $0.get = hook } }

    func save<T: Codable>(_ value: T, for key: QueryKey, andTimestamp timestamp: Date) {
        hooks.withLock { $0.save }?()
        guard let data = try? JSONEncoder().encode([value]) else { return }
        items.withLock { $0[key] = Item(data: data, savedAt: timestamp) }
    }

    func invalidate(for key: QueryKey) { items.withLock { $0[key] = nil } }

    func isValueValid(
        forKey key: QueryKey, timestamp: Date, andInvalidationPolicy policy: QueryCacheConfig.InvalidationPolicy
    ) -> Bool {
        guard let item = items.withLock({ $0[key] }) else { return false }
        return policy.isValid(savedAt: item.savedAt, now: timestamp)
    }

    func get<T: Codable>(for key: QueryKey) -> T? {
        hooks.withLock { $0.get }?()
        guard let item = items.withLock({ $0[key] }) else { return nil }
        return try? JSONDecoder().decode([T].self, from: item.data).first
    }

    func savedAt(for key: QueryKey) -> Date? { items.withLock { $0[key]?.savedAt } }

    func removeAll() throws { items.withLock { $0 = [:] } }
}

extension QueryLab {
    /// Writes what waits to the caches. Does not wait for a store that the test holds up.
    func flush() {
        _ = start { [client] in await client.flush() }
    }
}
