import PigeonStore
import PigeonTesting
import Testing

@Suite("Names of stores do not accumulate")
struct IdentityTests {
    let lab = QueryLab()
    let lives = Lives()
    let cacher = Cacher<CountedKey, String>(expireSeconds: .infinity, queryKey: "counted")
    let origin: Origin<String>

    init() {
        origin = Origin(lab) { _ in "a" }
    }

    private func store(_ id: Int, in cacher: Cacher<CountedKey, String>? = nil) -> AnyStoreFlowable<CountedKey, String>
    {
        .from(
            cacher: cacher ?? self.cacher,
            fetcher: CountedFetcher<CountedKey>(origin: origin, token: lives.token()),
            param: CountedKey(id: id, token: lives.token()), client: lab.client)
    }

    @Test("of ten thousand stores that were made and let go, nothing is left")
    func made() {
        for id in 0..<10_000 { _ = store(id).queryKey }
        #expect(lives.made == 20_000)
        #expect(lives.living == 0)
        #expect(lab.client.count == 0)
    }

    @Test("of ten thousand stores that were used, nothing is left but what is cached")
    func used() async {
        final class NoCacher: Cacher<CountedKey, String>, @unchecked Sendable {  // it adds no property
            override func saveData(data: String?, param: CountedKey) async throws {}
            override func saveDataCachedAt(epochSeconds: Double, param: CountedKey) async throws {}
        }
        let cacher = NoCacher()
        for id in 0..<10_000 { StoreLog(store(id, in: cacher)).cancel() }
        #expect(lab.client.count == 10_000)
        lab.client.dropUnobserved()
        lab.settle()
        #expect(lab.client.count == 0)
        #expect(lives.living == 0)
    }

    @Test("a name that was let go is taken again, and one that is in use is not")
    func names() {
        let first = store(1)
        #expect(first.queryKey == store(1).queryKey)
        struct Alike: Hashable, Sendable, CustomStringConvertible {
            let id: Int
            var description: String { "alike" }
        }
        let cacher = Cacher<Alike, String>(expireSeconds: .infinity, queryKey: "alike")
        func key(_ id: Int) -> AnyStoreFlowable<Alike, String> {
            .from(
                cacher: cacher, fetcher: CountedFetcher<Alike>(origin: origin, token: lives.token()),
                param: Alike(id: id), client: lab.client)
        }
        var one: AnyStoreFlowable<Alike, String>? = key(1)
        let name = one?.queryKey
        #expect(key(2).queryKey != name)
        one = nil
        #expect(key(2).queryKey == name)
        let log = StoreLog(key(3))
        #expect(log.words == ["…", "a"])
        #expect(key(1).queryKey != name)
        log.cancel()
        lab.client.dropUnobserved()
        lab.settle()
        #expect(key(1).queryKey == name)
    }

    @Test("clients that are gone are not kept, and clearing reaches those that are there")
    func clients() async {
        for _ in 0..<100 {
            let client = QueryClient(environment: lab.environment)
            let made = AnyStoreFlowable.from(
                cacher: cacher, fetcher: CountedFetcher<CountedKey>(origin: origin, token: lives.token()),
                param: CountedKey(id: 1, token: lives.token()), client: client)
            StoreLog(made).cancel()
        }
        let log = StoreLog(store(1))
        cacher.clear()
        lab.settle()
        #expect(log.last == emptied)
        log.cancel()
        lab.client.dropUnobserved()
        lab.settle()
        #expect(lives.living == 0)
    }
}
