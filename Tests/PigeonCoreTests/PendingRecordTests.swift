import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Pending records")
struct PendingRecordTests {
    private let store = RecordStoreDouble()
    private let lab: QueryLab
    private var client: QueryClient { lab.client }
    private let start = Date(timeIntervalSinceReferenceDate: 0)

    init() {
        lab = QueryLab(cache: store)
    }

    private func user(_ id: Int) -> QueryDefinition<String> {
        .value(QueryKey("users", id).tagged("people")).staleAfter(.never).persisted()
    }

    /// The value and staleness that a new client finds in the store, or the pending work of this client on top of it.
    private func found(_ id: Int) -> String {
        client.dropUnobserved()
        let snapshot = client.observe(user(id)).snapshot
        return "\(snapshot.value ?? "-")\(snapshot.isInvalidated ? " stale" : "")"
    }

    private func stored(_ id: Int) throws -> String {
        guard let record = try store.record(for: QueryKey("users", id)) else { return "-" }
        return "\(store.get(for: QueryKey("users", id)) ?? "?")\(record.isStale ? " stale" : "")"
    }

    private static let scopes: [KeyFilter] = [
        .key("users", 1), .path("users"), .path("users", 1), .tag("people"), .all,
    ]

    // MARK: Merging

    @Test(
        "a disk that fails leaves one pending item for each key and each scope, however often they are named",
        .rule("E6"))
    func merged() {
        store.refuse(1_000)
        for _ in 0..<100 {
            for id in 0..<10 { client.invalidate(.key("users", id), refetch: .none) }
            client.invalidate(.path("users"), refetch: .none)
            client.invalidate(.tag("people"), refetch: .none)
            lab.advance(by: .milliseconds(100))
        }
        #expect(client.inspect().pendingSteps == 12)
        store.refuse(0)
        lab.flush()
        #expect(store.batches.map(\.count) == [12])
        #expect(client.inspect().pendingSteps == 0)
    }

    @Test("a mark or removal of everything takes the place of the earlier ones", .rule("E6"))
    func everything() throws {
        for id in 0..<10 { client.invalidate(.key("users", id), refetch: .none) }
        client.invalidate(.all, refetch: .none)
        #expect(client.inspect().pendingSteps == 1)
        for id in 0..<10 { client.invalidate(.key("users", id), refetch: .none) }
        try client.set("Ann", for: user(1))
        client.remove(.all)
        #expect(client.inspect().pendingSaves == 0)
        lab.flush()
        #expect(store.batches.map { $0.filter { $0 == .removeAll } } == [[.removeAll]])
        #expect(store.keys.isEmpty)
    }

    @Test("a key that is removed needs no mark", .rule("E6"))
    func removedKey() {
        client.invalidate(.key("users", 1), refetch: .none)
        client.remove(.key("users", 1))
        client.invalidate(.key("users", 1), refetch: .none)
        lab.flush()
        #expect(store.batches.flatMap(\.self).allSatisfy { if case .markStale = $0 { false } else { true } })
    }

    // MARK: Order

    @Test("a mark reaches a pending save, whatever scope names it", .rule("E6"), arguments: scopes)
    func marksPendingSave(_ filter: KeyFilter) throws {
        try client.set("Ann", for: user(1))
        try client.set("Bea", for: .value("users1").persisted())
        client.dropUnobserved()
        client.invalidate(filter, refetch: .none)
        #expect(found(1) == "Ann stale")
        lab.flush()
        #expect(try stored(1) == "Ann stale")
    }

    @Test("a mark does not reach a value that was saved after it", .rule("E6"), arguments: scopes)
    func marksOnlyEarlier(_ filter: KeyFilter) throws {
        try store.put("old", for: QueryKey("users", 1).tagged("people"), savedAt: start)
        client.invalidate(filter, refetch: .none)
        #expect(found(1) == "old stale")
        try client.set("Ann", for: user(1))
        #expect(found(1) == "Ann")
        lab.flush()
        #expect(try stored(1) == "Ann")
    }

    @Test("a removal drops a pending save, and not a value that was saved after it", .rule("E6"), arguments: scopes)
    func removesOnlyEarlier(_ filter: KeyFilter) throws {
        try store.put("old", for: QueryKey("users", 1).tagged("people"), savedAt: start)
        try client.set("Ann", for: user(1))
        client.dropUnobserved()
        client.remove(filter)
        #expect(found(1) == "-")
        lab.flush()
        #expect(try stored(1) == "-")
        client.remove(filter)
        try client.set("Bea", for: user(1))
        #expect(found(1) == "Bea")
        lab.flush()
        #expect(try stored(1) == "Bea")
    }

    @Test("work that could not be written keeps its place before later work", .rule("E6"), arguments: scopes)
    func afterFailure(_ filter: KeyFilter) throws {
        try store.put("old", for: QueryKey("users", 1).tagged("people"), savedAt: start)
        store.refuse(2)
        try client.set("Ann", for: user(1))
        try client.set("Bea", for: user(2))
        lab.flush()
        client.dropUnobserved()
        client.remove(filter)
        lab.flush()
        try client.set("Cem", for: user(1))
        #expect(found(1) == "Cem")
        client.invalidate(filter, refetch: .none)
        #expect(found(1) == "Cem stale")
        lab.flush()
        #expect(try stored(1) == "Cem stale")
        let isOnlyFirst = try stored(2) != "-"
        #expect(isOnlyFirst == (filter.matches(QueryKey("users", 2).tagged("people")) == false))
    }

    @Test("a list that grows during a write that fails is stored whole", .rule("E6"))
    func listThatGrows() throws {
        typealias List = Pages<String, Int>
        let definition = QueryDefinition<List>.value("list").persisted()
        let first = List.Loaded(id: 1, page: "a")
        try client.set(List([first], nextID: 2), for: definition)
        store.onApply { [client, store] _ in
            store.onApply(nil)
            store.refuse(1)
            try? client.set(List([first, .init(id: 2, page: "b")], nextID: 3), for: definition)
        }
        lab.flush()
        lab.flush()
        let other = QueryLab(cache: store)
        #expect(other.client.observe(definition).value.map { Array($0) } == ["a", "b"])
    }

    @Test("pages that a list has no more are removed from the store", .rule("A28"))
    func shorterList() throws {
        typealias List = Pages<String, Int>
        let definition = QueryDefinition<List>.value("list").persisted()
        let first = List.Loaded(id: 1, page: "a")
        try client.set(List([first, .init(id: 2, page: "b")], nextID: 3), for: definition)
        lab.flush()
        #expect(store.keys.count == 3)
        try client.set(List([first], nextID: 2), for: definition)
        lab.flush()
        #expect(store.keys.count == 2)
    }

    @Test(
        "a list that is in memory is removed and reset with its pages", .rule("T82", "T83"), arguments: [false, true])
    func removedList(isReset: Bool) throws {
        typealias List = Pages<String, Int>
        let definition = QueryDefinition<List>.value("list").persisted()
        try client.set(List([.init(id: 1, page: "a"), .init(id: 2, page: "b")], nextID: 3), for: definition)
        lab.flush()
        #expect(store.keys.count == 3)
        if isReset { client.reset(.key("list")) } else { client.remove(.key("list")) }
        lab.flush()
        #expect(store.keys.isEmpty)
    }

    @Test("a list that was removed and written again while its store failed is stored whole", .rule("E6"))
    func listAgain() throws {
        typealias List = Pages<String, Int>
        let definition = QueryDefinition<List>.value("list").persisted()
        let list = List([.init(id: 1, page: "a"), .init(id: 2, page: "b")], nextID: 3)
        try client.set(list, for: definition)
        lab.flush()
        store.refuse(1)
        client.update(definition) {
            $0 = List([$0.loaded(at: 0), $0.loaded(at: 1), .init(id: 3, page: "c")], nextID: 4)
        }
        store.onApply { [client] _ in
            guard let newest = client.value(of: definition) else { return }
            client.remove(.key("list"))
            try? client.set(newest, for: definition)
        }
        lab.flush()
        store.onApply(nil)
        lab.flush()
        let other = QueryLab(cache: store)
        #expect(other.client.observe(definition).value.map { Array($0) } == ["a", "b", "c"])
    }
}

extension KeyFilter {
    /// Returns true if the filter selects the entry of a key.
    fileprivate func matches(_ key: QueryKey) -> Bool {
        let lab = QueryLab()
        try? lab.client.set("", for: .value(key))
        return !lab.client.entries(matching: self).isEmpty
    }
}
