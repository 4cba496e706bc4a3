import Foundation
import PigeonTesting
import TestSupport
import Testing

@testable import PigeonCore

/// An unused entry learns of the invalidation of its path or of one of its tags when it is used next.
@Suite("Invalidations of many keys")
struct LateNewsTests {
    @Test(
        "an invalidation of everything, of a path or of a tag visits only what is in use", .rule("F3"),
        arguments: [
            KeyFilter.all, .path("a"), .tag("even"),
        ])
    func visits(filter: KeyFilter) throws {
        let client = QueryClient(environment: QueryLab().quietEnvironment)
        let keys = (0..<1_000).map { QueryKey("a", $0 % 10, $0) }
        for (id, key) in keys.enumerated() {
            try client.set(id, for: QueryDefinition.value(key.tagged(id % 2 == 0 ? "even" : "odd")))
        }
        let observers = [42, 43].map { client.observe(QueryDefinition<Int>.value(keys[$0])) }
        let before = client.versions(of: keys)
        client.invalidate(filter)
        let after = client.versions(of: keys)
        func isMeant(_ id: Int) -> Bool { filter.scope != .tag("even") || id % 2 == 0 }
        #expect(keys.indices.filter { before[$0] != after[$0] } == [42, 43].filter(isMeant))
        #expect(observers.map(\.snapshot.isInvalidated) == [42, 43].map(isMeant))
        for (id, key) in keys.enumerated() {
            #expect(client.snapshot(of: QueryDefinition<Int>.value(key)).isInvalidated == isMeant(id), "\(key)")
        }
    }

    @Test("an invalidation of a path concerns the entry at the path too", .rule("A62"))
    func atPath() throws {
        let client = QueryClient(environment: QueryLab().quietEnvironment)
        try client.set(1, for: "a")
        client.invalidate(.path("a"))
        #expect(client.snapshot(of: QueryDefinition<Int>.value("a")).isInvalidated)
    }

    @Test(
        "unused entries are refetched at once if the invalidation says so", .rule("A62", "T78"),
        arguments: [RefetchScope.inactive, .all])
    func refetchesUnused(_ scope: RefetchScope) {
        let lab = QueryLab()
        let client = QueryClient(environment: lab.quietEnvironment)
        let fetcher = lab.fetcher(returning: Int.self)
        _ = lab.start { try await client.fetch(QueryDefinition("a", 1, fetch: fetcher.fetch)) }
        fetcher.succeed(with: 1)
        client.invalidate(.path("a"), refetch: scope)
        lab.settle()
        #expect(fetcher.pending.map(\.key) == ["a/1"])
    }

    @Test("what is created or written after an invalidation is not invalidated", .rule("F3", "A62"))
    func later() throws {
        let client = QueryClient(environment: QueryLab().quietEnvironment)
        try client.set(1, for: "a/1")
        client.invalidate(.path("a"))
        client.invalidate(.all)
        try client.set(2, for: "a/2")
        try client.set(3, for: "a/1")
        #expect(!client.snapshot(of: QueryDefinition<Int>.value("a/1")).isInvalidated)
        #expect(!client.snapshot(of: QueryDefinition<Int>.value("a/2")).isInvalidated)
        #expect(!client.observe(QueryDefinition<Int>.value("a/3").initial(4)).snapshot.isInvalidated)
    }

    @Test("who listens to events misses none, and receives none of what happened before", .rule("F3", "A62"))
    func events() throws {
        let client = QueryClient(environment: QueryLab().quietEnvironment)
        try client.set(1, for: "a/1")
        try client.set(2, for: "a/2")
        client.invalidate(.path("a"))
        let events = Recorder<String>()
        let subscription = client.onEvent { events.append("\($0)") }
        _ = client.snapshot(of: QueryDefinition<Int>.value("a/1"))
        #expect(events.all.isEmpty)
        try client.set(3, for: "a/1")
        client.invalidate(.path("a"))
        #expect(events.all == ["a/1 written", "a/1 invalidated (requested)"])
        subscription.cancel()
    }

    /// One client has a listener to events, so it visits every entry at once.
    @Test("an entry that learns late is what one is that learned at once", .rule("F3", "A62"), arguments: 1...40)
    func differential(seed: UInt64) async throws {
        let (early, late) = (Side(listens: true), Side(listens: false))
        let random = SeededRandom(seed: seed)
        for step in 0..<150 {
            let move = Move(random)
            try early.make(move)
            try late.make(move)
            guard random.once(in: 4) else { continue }
            let key = Side.keys[random.below(Side.keys.count)]
            #expect(early.look(at: key) == late.look(at: key), "step \(step): \(key) after \(move)")
        }
        for key in Side.keys { #expect(early.look(at: key) == late.look(at: key), "\(key)") }
        #expect(early.client.entries().map { "\($0)" } == late.client.entries().map { "\($0)" })
        _ = await (early.client.flush(), late.client.flush())
        for key in Side.keys {
            let records = try (early.store.record(for: key), late.store.record(for: key))
            #expect(records.0?.isStale == records.1?.isStale && records.0?.data == records.1?.data, "\(key)")
        }
    }
}

extension QueryLab {
    /// The environment for clients to whose events the lab does not listen.
    fileprivate var quietEnvironment: QueryEnvironment {
        var environment = environment
        environment.onClient = nil
        return environment
    }
}

extension QueryClient {
    fileprivate func versions(of keys: [QueryKey]) -> [UInt64] {
        let places = inspect().entries
        return keys.map { places[$0]?.entry.version ?? 0 }
    }
}

/// One step of a program that uses a client.
private struct Move {
    let kind: Int
    let key: QueryKey
    let filter: KeyFilter
    let refetch: RefetchScope

    init(_ random: SeededRandom) {
        kind = random.below(12)
        key = Side.keys[random.below(Side.keys.count)]
        let filters: [KeyFilter] = [
            .all, .path("a"), .path("a/b"), .path("c"), .tag("t"), .tag("u"), .key(key), .path(key),
            .path("a").and(.where { $0.hasValue }),
        ]
        filter = filters[random.below(filters.count)]
        refetch = [.active, .active, .none, .all, .inactive][random.below(5)]
    }
}

/// A client, and what a program holds of it.
private final class Side {
    static let keys: [QueryKey] = ["a", "a/1", "a/2", "a/b/1", "a/b/2", "a/b", "c/1", "c/d/e/1", "f"]
    let lab = QueryLab()
    let store = RecordStoreDouble()
    let client: QueryClient
    private var subscription: QuerySubscription?
    private var observers: [QueryKey: QueryObserver<Int>] = [:]
    private let fetches = Recorder<QueryKey>()

    init(listens: Bool) {
        client = QueryClient(cache: store, environment: lab.quietEnvironment)
        if listens { subscription = client.onEvent { _ in } }
    }

    private func definition(_ key: QueryKey) -> QueryDefinition<Int> {
        let definition = QueryDefinition(key) { [fetches] _ in
            fetches.append(key)
            return 1_000 + fetches.all.count { $0 == key }  // the order of refetches may differ
        }
        .staleAfter(.seconds(60))
        switch key {
        case "a/1", "c/1": return definition.tagged("t").persisted()
        case "a/b/1": return definition.tagged("t", "u")
        case "a/b/2", "f": return definition.persisted()
        default: return definition
        }
    }

    func make(_ move: Move) throws {
        defer { lab.settle() }
        let definition = definition(move.key)
        switch move.kind {
        case 0, 1: try client.set(fetches.all.count, for: definition)
        case 2: _ = lab.start { [client] in try await client.fetch(definition) }
        case 3: observers[move.key] = client.observe(definition)
        case 4: observers[move.key] = nil
        case 5: client.remove(move.filter)
        case 6: client.update(definition) { $0 += 1 }
        case 7: lab.advance(by: .seconds(20))
        case 8: client.reset(.key(move.key))
        default: client.invalidateWithoutWaiting(move.filter, refetch: move.refetch)
        }
    }

    func look(at key: QueryKey) -> String {
        let snapshot = client.snapshot(of: definition(key))
        let observed = observers[key].map { "\($0.snapshot.isStale) \($0.snapshot.value ?? -1)" } ?? "-"
        return
            "\(snapshot.value ?? -1) \(snapshot.isStale) \(snapshot.isInvalidated) \(snapshot.isFetching) \(observed)"
    }
}
