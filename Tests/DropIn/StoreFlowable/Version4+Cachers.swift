import Foundation
import PigeonStore
import Testing

/// The names of version 4, which a program declares once in each module that uses them.
// guide: `AnyStoreFlowable<UserData>` and its two kin
enum Version4 {
    typealias StoreFlowable = StoreFlowableV4
    typealias PaginationStoreFlowable = PaginationStoreFlowableV4
    typealias TwoWayPaginationStoreFlowable = TwoWayPaginationStoreFlowableV4
    typealias AnyStoreFlowable<DATA: Sendable> = AnyStoreFlowableV4<DATA>
    typealias AnyPaginationStoreFlowable<DATA: Sendable> = AnyPaginationStoreFlowableV4<DATA>
    typealias AnyTwoWayPaginationStoreFlowable<DATA: Sendable> = AnyTwoWayPaginationStoreFlowableV4<DATA>
    typealias Cacher = CacherV4
    typealias PaginationCacher = PaginationCacherV4
    typealias TwoWayPaginationCacher = TwoWayPaginationCacherV4
}

extension Version4 {
    // guide: class must restate inherited '@unchecked Sendable' conformance
    final class UserCacher: Cacher<Int, User>, @unchecked Sendable {
        static let shared = UserCacher()

        private override init() {}

        override var expireSeconds: TimeInterval { TimeInterval(60 * 30) }
    }

    /// A cacher that keeps its data in a place of its own, overrides all there is, and calls `super` throughout.
    // guide: `super.saveData(…)`, or a call of a cacher, without `try`
    final class DiskCacher: Cacher<Int, String>, @unchecked Sendable {  // its properties are constants
        let disk = Memory<Int, String>()
        let dates = Memory<Int, Double>()
        let lifetime: TimeInterval

        init(lifetime: TimeInterval) {
            self.lifetime = lifetime
            super.init()
        }

        override var expireSeconds: TimeInterval { lifetime }

        override func loadData(param: Int) async -> String? {
            if let text = await super.loadData(param: param) { return text }
            return disk[param]
        }

        override func saveData(data: String?, param: Int) async {
            await super.saveData(data: data, param: param)
            disk[param] = data
        }

        override func loadDataCachedAt(param: Int) async -> Double? {
            if let date = await super.loadDataCachedAt(param: param) { return date }
            return dates[param]
        }

        override func saveDataCachedAt(epochSeconds: Double, param: Int) async {
            await super.saveDataCachedAt(epochSeconds: epochSeconds, param: param)
            dates[param] = epochSeconds
        }

        override func needRefresh(cachedData: String, param: Int) async -> Bool {
            if cachedData == "old" { return true }
            return await super.needRefresh(cachedData: cachedData, param: param)
        }

        override func clear() {
            super.clear()
            dates[0] = -1
        }
    }

    final class ListCacher: PaginationCacher<UnitHash, Int>, @unchecked Sendable {  // its property is a constant
        let keys = Memory<UnitHash, String>()

        override func saveNextData(cachedData: [Int], newData: [Int], param: UnitHash) async {
            await super.saveNextData(cachedData: cachedData, newData: newData, param: param)
        }

        override func loadNextRequestKey(param: UnitHash) async -> String? {
            let key = await super.loadNextRequestKey(param: param)
            return key ?? keys[param]
        }

        override func saveNextRequestKey(requestKey: String?, param: UnitHash) async {
            await super.saveNextRequestKey(requestKey: requestKey, param: param)
            keys[param] = requestKey
        }
    }

    final class FeedCacher: TwoWayPaginationCacher<String, Int>, @unchecked Sendable {  // its property is a constant
        static let shared = FeedCacher()

        let keys = Memory<String, String>()

        override func savePrevData(cachedData: [Int], newData: [Int], param: String) async {
            await super.savePrevData(cachedData: cachedData, newData: newData, param: param)
        }

        override func loadPrevRequestKey(param: String) async -> String? {
            let key = await super.loadPrevRequestKey(param: param)
            return key ?? keys[param]
        }

        override func savePrevRequestKey(requestKey: String?, param: String) async {
            await super.savePrevRequestKey(requestKey: requestKey, param: param)
            keys[param] = requestKey
        }
    }

    /// Code that takes whatever cacher it is given.
    static func count<PARAM, DATA>(_ cacher: PaginationCacher<PARAM, DATA>, _ param: PARAM) async -> Int {
        await cacher.loadData(param: param)?.count ?? 0
    }

    // guide: a `PaginationCacher` where a `Cacher` is expected
    static func isEmpty<PARAM, DATA>(_ cacher: PigeonStore.Cacher<PARAM, DATA>, _ param: PARAM) async -> Bool {
        await (try? cacher.loadData(param: param)) == nil
    }
}

/// A program's own extension of a cacher.
extension Version4.Cacher where PARAM == UnitHash {
    func loadOnly() async -> DATA? { await loadData(param: UnitHash()) }
}

extension Version4 {
    @Suite("Coming from StoreFlowable 4: cachers")
    struct CacherTests {
        @Test("A cacher keeps data in memory")
        func memory() async {
            let cacher = Cacher<Int, String>()
            #expect(cacher.expireSeconds == .infinity)
            #expect(UserCacher.shared.expireSeconds == 1800)
            #expect(await cacher.loadData(param: 1) == nil)
            await cacher.saveData(data: "a", param: 1)
            #expect(await cacher.loadData(param: 1) == "a")
            #expect(await cacher.loadDataCachedAt(param: 1) == nil)
            await cacher.saveDataCachedAt(epochSeconds: 7, param: 1)
            #expect(await cacher.loadDataCachedAt(param: 1) == 7)
            #expect(await cacher.needRefresh(cachedData: "a", param: 1) == false)
            await cacher.saveData(data: nil, param: 1)
            #expect(await cacher.loadData(param: 1) == nil)
            await cacher.saveData(data: "b", param: 2)
            cacher.clear()
            #expect(await cacher.loadData(param: 2) == nil)
            let only = Cacher<UnitHash, String>()
            await only.saveData(data: "x", param: UnitHash())
            #expect(await only.loadOnly() == "x")
        }

        @Test("A cacher that overrides all calls super without try")
        func overriding() async {
            let cacher = DiskCacher(lifetime: 100)
            cacher.disk[1] = "disk"
            #expect(await cacher.loadData(param: 1) == "disk")
            await cacher.saveData(data: "new", param: 1)
            #expect(cacher.disk[1] == "new")
            cacher.dates[1] = 3
            #expect(await cacher.loadDataCachedAt(param: 1) == 3)
            #expect(await cacher.needRefresh(cachedData: "new", param: 1))
            await cacher.saveDataCachedAt(epochSeconds: Date().timeIntervalSince1970, param: 1)
            #expect(await cacher.needRefresh(cachedData: "new", param: 1) == false)
            #expect(await cacher.needRefresh(cachedData: "old", param: 1))
            cacher.clear()
            #expect(cacher.dates[0] == -1)
            #expect(await cacher.loadData(param: 1) == "new")
        }

        @Test("A cacher of lists keeps the key of the next page")
        func list() async {
            let cacher = PaginationCacher<UnitHash, Int>()
            await cacher.saveData(data: [1], param: UnitHash())
            await cacher.saveNextData(cachedData: [1], newData: [2], param: UnitHash())
            #expect(await cacher.loadData(param: UnitHash()) == [1, 2])
            await cacher.saveNextRequestKey(requestKey: "n", param: UnitHash())
            #expect(await cacher.loadNextRequestKey(param: UnitHash()) == "n")
            await cacher.saveNextRequestKey(requestKey: nil, param: UnitHash())
            #expect(await cacher.loadNextRequestKey(param: UnitHash()) == nil)
            #expect(await count(cacher, UnitHash()) == 2)
            #expect(await isEmpty(cacher, UnitHash()) == false)
            let own = ListCacher()
            await own.saveNextRequestKey(requestKey: "m", param: UnitHash())
            #expect(await own.loadNextRequestKey(param: UnitHash()) == "m")
        }

        @Test("A cacher of lists that grow at both sides keeps both keys")
        func feed() async {
            let cacher = TwoWayPaginationCacher<String, Int>()
            await cacher.saveData(data: [5], param: "a")
            await cacher.savePrevData(cachedData: [5], newData: [4], param: "a")
            #expect(await cacher.loadData(param: "a") == [4, 5])
            await cacher.saveNextData(cachedData: [4, 5], newData: [6], param: "a")
            #expect(await cacher.loadData(param: "a") == [4, 5, 6])
            #expect(await count(cacher, "a") == 3)
            await cacher.savePrevRequestKey(requestKey: "p", param: "a")
            #expect(await cacher.loadPrevRequestKey(param: "a") == "p")
            await cacher.saveNextRequestKey(requestKey: "n", param: "a")
            #expect(await cacher.loadNextRequestKey(param: "a") == "n")
            await cacher.saveDataCachedAt(epochSeconds: 1, param: "a")
            #expect(await cacher.loadDataCachedAt(param: "a") == 1)
            #expect(await cacher.needRefresh(cachedData: [], param: "a") == false)
            cacher.clear()
            #expect(await isEmpty(cacher, "a"))
        }

        @Test("Two cachers of one type are two caches")
        func two() async throws {
            let (one, other) = (Cacher<Int, User>(), Cacher<Int, User>())
            let first = AnyStoreFlowable.from(cacher: one, fetcher: UserFetcher(), param: 1)
            let second = AnyStoreFlowable.from(cacher: other, fetcher: UserFetcher(), param: 1)
            await first.update(newData: User(1, "first"))
            await second.update(newData: User(1, "second"))
            #expect(await first.getData() == User(1, "first"))
            #expect(await second.getData() == User(1, "second"))
        }
    }
}
