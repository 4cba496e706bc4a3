import PigeonStore
import TestSupport
import Testing

@Suite("Data that the program changes itself", .timeLimit(.minutes(1)))
struct UpdatingTests {
    static let rows: [StoreScript] = [
        StoreScript(
            "complete: the new data, and no fetch", .plain, .valid([1]),
            [
                (.watch(), ["[1]"]), (.call(.update([5])), ["[5]"]), (.ended(["done"]), []), (.holds("[5]"), []),
                (.fetched([]), []),
            ]),
        StoreScript(
            "nobody follows: the next who does sees it", .plain, .empty,
            [(.call(.update([5])), []), (.ended(["done"]), []), (.watch(), ["[5]"]), (.fetched([]), [])]),
        StoreScript(
            "data equal to what is shown is no new state", .plain, .valid([1]),
            [(.watch(), ["[1]"]), (.call(.update([1])), []), (.ended(["done"]), [])]),
        StoreScript(
            "StoreFlowable F11: an update calls off a first fetch, whose waiters get it", .plain, .empty,
            [
                (.watch(), ["…"]), (.call(.require(.origin)), []), (.call(.validate), []),
                (.call(.update([5])), ["[5]"]), (.ended(["[5]", "done", "done"]), []), (.holds("[5]"), []),
            ]),
        StoreScript(
            "StoreFlowable F11: an update calls off a refresh, and another may follow", .plain, .valid([1]),
            [
                (.watch(), ["[1]"]), (.call(.refresh), ["[1]…"]), (.call(.update([5])), ["[5]"]),
                (.call(.refresh), ["[5]…"]), (.answer([6]), ["[6]"]), (.ended(["done", "done", "done"]), []),
                (.fetched(["fetch", "fetch"]), []), (.holds("[6]"), []),
            ]),
        StoreScript(
            "an update ends an error", .plain, .empty,
            [(.watch(), ["…"]), (.fail(), ["!boom"]), (.call(.update([5])), ["[5]"]), (.holds("[5]"), [])]),
        StoreScript(
            "an update ends an error even if it is what was there", .plain, .stale([1]),
            [(.watch(), ["[1]…"]), (.fail(), ["!boom"]), (.call(.update([1])), ["[1]"]), (.holds("[1]"), [])]),
        StoreScript(
            "StoreFlowable F10: an update to nothing is said, and fetches nothing", .plain, .valid([1]),
            [
                (.watch(), ["[1]"]), (.call(.update(nil)), ["!NoSuchElementError"]), (.fetched([]), []),
                (.holds("nothing"), []), (.call(.update([5])), ["[5]"]), (.ended(["done", "done"]), []),
            ]),
        StoreScript(
            "after an update to nothing, the next who follows has it fetched", .plain, .valid([1]),
            [
                (.watch(), ["[1]"]), (.call(.update(nil)), ["!NoSuchElementError"]), (.watch(), ["…"]),
                (.answer([2]), ["[2]"]),
            ]),
        StoreScript(
            "an update to nothing calls off a fetch, whose waiters are told that there is nothing", .plain, .valid([1]),
            [
                (.watch(), ["[1]"]), (.call(.refresh), ["[1]…"]), (.call(.require(.origin)), []),
                (.call(.require(.both)), []), (.call(.update(nil)), ["!NoSuchElementError"]),
                (.ended(["done", "!NoSuchElementError", "!NoSuchElementError", "done"]), []), (.holds("nothing"), []),
            ]),
        StoreScript(
            "an update to nothing ends an error", .plain, .stale([1]),
            [
                (.watch(), ["[1]…"]), (.fail(), ["!boom"]), (.call(.update(nil)), ["!NoSuchElementError"]),
                (.holds("nothing"), []),
            ]),
        StoreScript(
            "a page that is loaded meanwhile is added, if its key is still the one", .oneWay, .valid([1], next: "2"),
            [
                (.watch(), ["[1] more end"]), (.call(.next()), ["[1] page end"]),
                (.call(.update([5])), ["[5] page end"]), (.answer([2], next: "3", to: "next 2"), ["[5, 2] more end"]),
                (.ended(["done", "done"]), []), (.holds("[5, 2] next 3 prev -"), []),
            ]),
        StoreScript(
            "a page that is loaded meanwhile is asked for again, if its key is another", .oneWay,
            .valid([1], next: "2"),
            [
                (.watch(), ["[1] more end"]), (.call(.next()), ["[1] page end"]),
                (.call(.updateKeys([5], next: .set("9"))), ["[5] page end"]),
                (.answer([2], next: "3", to: "next 2"), []), (.holds("[5] next 9 prev -"), []),
                (.answer([10], next: "11", to: "next 9"), ["[5, 10] more end"]),
                (.holds("[5, 10] next 11 prev -"), []),
            ]),
        StoreScript(
            "a page that is loaded meanwhile is dropped, if the list was emptied", .oneWay, .valid([1], next: "2"),
            [
                (.watch(), ["[1] more end"]), (.call(.next()), ["[1] page end"]),
                (.call(.update(nil)), ["!NoSuchElementError"]), (.holds("nothing"), []),
                (.ended(["!AdditionalRequestOnNilException", "done"]), []),
            ]),
        StoreScript(
            "an update ends a page's error", .oneWay, .valid([1], next: "2"),
            [
                (.watch(), ["[1] more end"]), (.call(.next()), ["[1] page end"]),
                (.fail(to: "next 2"), ["[1] !boom end"]), (.call(.update([5])), ["[5] more end"]),
                (.ended(["!boom", "done"]), []),
            ]),
        StoreScript(
            "keys are kept, set and ended, each for itself", .twoWay, .valid([1], next: "2", prev: "0"),
            [
                (.watch(), ["[1] more more"]), (.call(.update([5])), ["[5] more more"]),
                (.holds("[5] next 2 prev 0"), []),
                (.call(.updateKeys([6], next: .set("7"))), ["[6] more more"]), (.holds("[6] next 7 prev 0"), []),
                (.call(.updateKeys([6], prev: .end)), ["[6] more end"]), (.holds("[6] next 7 prev -"), []),
                (.call(.updateKeys([8], next: .end, prev: .set("p"))), ["[8] end more"]),
                (.holds("[8] next - prev p"), []), (.call(.updateKeys([9], next: .set(""))), ["[9] end more"]),
            ]),
        StoreScript(
            "an update to nothing forgets the keys", .twoWay, .valid([1], next: "2", prev: "0"),
            [
                (.watch(), ["[1] more more"]), (.call(.updateKeys(nil, next: .set("7"))), ["!NoSuchElementError"]),
                (.call(.update([5])), ["[5]"]), (.holds("[5]"), []),
            ]),
        StoreScript(
            "StoreFlowable F12: clearing forgets data, keys, error and pages", .twoWay,
            .valid([1], next: "2", prev: "0"),
            [
                (.watch(), ["[1] more more"]), (.call(.next()), ["[1] page more"]), (.call(.prev()), ["[1] page page"]),
                (.call(.clear), ["!NoSuchElementError"]), (.holds("nothing"), []), (.watch(), ["…"]),
                (.answer([7]), ["[7]"]),
            ]),
        StoreScript(
            "StoreFlowable F10: clearing calls off a fetch, and begins none", .plain, .valid([1]),
            [
                (.watch(), ["[1]"]), (.call(.refresh), ["[1]…"]), (.call(.require()), []),
                (.call(.clear), ["!NoSuchElementError"]), (.fetched(["fetch"]), []), (.holds("nothing"), []),
                (.ended(["done", "!NoSuchElementError", "done"]), []),
            ]),
        StoreScript(
            "clearing ends an error", .plain, .stale([1]),
            [
                (.watch(), ["[1]…"]), (.fail(), ["!boom"]), (.call(.clear), ["!NoSuchElementError"]),
                (.holds("nothing"), []),
            ]),
        StoreScript(
            "clearing what nobody uses empties the cache", .plain, .valid([1]),
            [(.call(.clear), []), (.ended(["done"]), []), (.holds("nothing"), []), (.fetched([]), [])]),
    ]

    @Test(arguments: rows, StoreLab.Setting.all)
    func row(_ script: StoreScript, _ setting: StoreLab.Setting) async {
        await script.run(setting)
    }

    @Test(
        "a text of nil keeps a key, an empty one ends the list", .rule("StoreFlowable F21"),
        arguments: StoreLab.Shape.allCases
    )
    func texts(_ shape: StoreLab.Shape) async throws {
        let bench = StoreLab(StoreLab.Setting(shape: shape), .twoWay)
        let store = try #require(bench.store as? AnyTwoWayPaginationStoreFlowable<Int, [Int]>)
        func update(_ data: [Int], _ next: String?, _ prev: String?) async throws {
            switch shape {
            case .factories:
                let done: AnyPublisher<Void, Never> = store.update(newData: data, nextKey: next, prevKey: prev)
                _ = try await done.first()
            case .cachers: try await store.update(newData: data, nextKey: next, prevKey: prev).get()
            }
        }
        try await update([1], "2", "0")
        #expect(bench.place.text == "[1] next 2 prev 0")
        try await update([1], nil, nil)
        #expect(bench.place.text == "[1] next 2 prev 0")
        try await update([1], "", nil)
        #expect(bench.place.kept.keys[.next] == nil)
        #expect(bench.place.kept.keys[.previous] == "0")
        try await update([1], nil, "")
        #expect(bench.place.kept.keys[.previous] == nil)
    }
}
