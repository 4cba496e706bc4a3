import Foundation
import PigeonStore
import PigeonTesting
import Testing

@Suite("Keys of stores", .timeLimit(.minutes(1)))
struct KeyTests {
    /// Keys with the same description.
    struct Alike: Hashable, Sendable, CustomStringConvertible {
        let number: Int
        var description: String { "alike" }
    }

    /// Keys with the same hash.
    struct Colliding: Hashable, Sendable {
        let number: Int
        func hash(into hasher: inout Hasher) {}
    }

    enum Case: Hashable, Sendable {
        case none
        case some(Int, String)
    }

    struct Echo<Key: Hashable & Sendable>: PigeonStore.Fetcher {
        let fetched = Counter()

        func fetch(param: Key) async throws -> Key {
            fetched.add()
            return param
        }
    }

    final class Counter: Sendable {
        private let count = Locked(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    /// Checks that each key has its own store, key path and data.
    private func check<Key: Hashable & Sendable>(_ keys: [Key], location: SourceLocation = #_sourceLocation)
        async throws
    {
        let lab = QueryLab()
        let cacher = Cacher<Key, Key>()
        let fetcher = Echo<Key>()
        let stores = keys.map { AnyStoreFlowable.from(cacher: cacher, fetcher: fetcher, param: $0, client: lab.client) }
        #expect(Set(stores.map(\.queryKey)).count == keys.count, sourceLocation: location)
        for _ in 1...2 {
            for (key, store) in zip(keys, stores) {
                let data = try await store.requireData()
                #expect(data == key, sourceLocation: location)
            }
        }
        #expect(fetcher.fetched.value == keys.count, sourceLocation: location)
        for (key, store) in zip(keys, stores) {
            let again = AnyStoreFlowable.from(cacher: cacher, fetcher: fetcher, param: key, client: lab.client)
            #expect(again.queryKey == store.queryKey, sourceLocation: location)
        }
    }

    @Test("Keys of one description are told apart")
    func alike() async throws {
        try await check((0..<20).map { Alike(number: $0) })
    }

    @Test("Keys of one hash are told apart")
    func colliding() async throws {
        try await check((0..<20).map { Colliding(number: $0) })
    }

    @Test("A key may be of any type")
    func types() async throws {
        try await check([Int.min, -1, 0, 1, .max])
        try await check(["", " ", "/", "a/b", "a%2Fb", "#2", "é", "e", "日本", "a\u{0}b", "../..", "*"])
        try await check([UUID(), UUID()])
        try await check([true, false])
        try await check([0.5, -0.5, .infinity, 1e300])
        try await check([Case.none, .some(1, "a"), .some(1, "b"), .some(11, "")])
        try await check([Int?.none, 0, 1])
        try await check([["a", "b"], ["a, b"], ["a\", \"b"], []])
        try await check([Set([1]), Set([1, 2]), []])
        try await check([UnitHash()])
        try await check([Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 0.001)])
        try await check([URL(fileURLWithPath: "/a"), URL(fileURLWithPath: "/a/b")])
        try await check([String(repeating: "k", count: 10_000), String(repeating: "k", count: 10_001)])
    }

    @Test("A name that is free again goes to another key, which sees nothing of the first")
    func freed() async throws {
        let lab = QueryLab()
        let cacher = Cacher<Alike, Alike>()
        func data(_ number: Int) async throws -> Alike {
            let store = AnyStoreFlowable.from(
                cacher: cacher, fetcher: Echo<Alike>(), param: Alike(number: number), client: lab.client)
            return try await store.requireData()
        }
        for number in [1, 2, 1, 3, 2] { #expect(try await data(number) == Alike(number: number)) }
        lab.advance(by: .seconds(3600))
        for number in [3, 2, 1] { #expect(try await data(number) == Alike(number: number)) }
    }

    @Test("Two managers and cachers of one type have stores of their own")
    func managers() async throws {
        #expect(FlowableDataStateManager<Int>().queryKey != FlowableDataStateManager<Int>().queryKey)
        let lab = QueryLab()
        let (one, other) = (Cacher<Int, String>(), Cacher<Int, String>())
        struct Fixed: PigeonStore.Fetcher {
            let text: String
            func fetch(param: Int) async throws -> String { text }
        }
        let first = AnyStoreFlowable.from(cacher: one, fetcher: Fixed(text: "a"), param: 1, client: lab.client)
        let second = AnyStoreFlowable.from(cacher: other, fetcher: Fixed(text: "b"), param: 1, client: lab.client)
        #expect(first.queryKey != second.queryKey)
        #expect(try await first.requireData() == "a")
        #expect(try await second.requireData() == "b")
        one.clear()
        lab.settle()
        #expect(try await second.requireData(from: .cache) == "b")
        #expect(await first.getData(from: .cache) == nil)
    }

    @Test("Stores made apart of one manager and key share one fetch and one state")
    func shared() async {
        let bench = StoreLab(StoreLab.Setting(shape: .factories))
        let (one, other) = (bench.store, bench.store)
        #expect(one !== other)
        #expect(one.queryKey == other.queryKey)
        let (log, second) = (bench.watch(), bench.watch())
        bench.answer([1])
        #expect(bench.origin.takeCalls() == ["fetch"])
        #expect(log.take() == second.take())
    }
}
