import PigeonStore
import Testing

@Suite("What an observer of a store sees", .timeLimit(.minutes(1)))
struct PublishTests {
    static let rows: [StoreScript] = [
        StoreScript(
            "no cache: loading, then what is fetched", .plain, .empty,
            [(.watch(), ["…"]), (.answer([1]), ["[1]"]), (.holds("[1]"), []), (.fetched(["fetch"]), [])]),
        StoreScript(
            "no cache, and the fetch fails: the error", .plain, .empty,
            [(.watch(), ["…"]), (.fail(), ["!boom"]), (.holds("nothing"), [])]),
        StoreScript(
            "a valid cache: that, and no fetch", .plain, .valid([1]),
            [(.watch(), ["[1]"]), (.fetched([]), []), (.holds("[1]"), [])]),
        StoreScript(
            "StoreFlowable F4: a stale cache is shown while it is fetched", .plain, .stale([1]),
            [(.watch(), ["[1]…"]), (.holds("[1]"), []), (.answer([2]), ["[2]"]), (.holds("[2]"), [])]),
        StoreScript(
            "StoreFlowable F4: a stale cache outlives a fetch that fails", .plain, .stale([1]),
            [(.watch(), ["[1]…"]), (.fail(), ["!boom"]), (.holds("[1]"), [])]),
        StoreScript(
            "a forced refresh of a valid cache: loading with it, then what is fetched", .plain, .valid([1]),
            [(.watch(forced: true), ["[1]…"]), (.answer([2]), ["[2]"]), (.holds("[2]"), []), (.fetched(["fetch"]), [])]),
        StoreScript(
            "StoreFlowable F4: a forced refresh that fails erases nothing", .plain, .valid([1]),
            [(.watch(forced: true), ["[1]…"]), (.fail(), ["!boom"]), (.holds("[1]"), [])]),
        StoreScript(
            "a forced refresh without cache", .plain, .empty, [(.watch(forced: true), ["…"]), (.answer([2]), ["[2]"])]),
        StoreScript(
            "a refresh while somebody follows: loading with the old, then the new", .plain, .valid([1]),
            [(.watch(), ["[1]"]), (.call(.refresh), ["[1]…"]), (.answer([2]), ["[2]"]), (.ended(["done"]), [])]),
        StoreScript(
            "StoreFlowable F4: a refresh that fails while somebody follows erases nothing", .plain, .valid([1]),
            [
                (.watch(), ["[1]"]), (.call(.refresh), ["[1]…"]), (.fail(), ["!boom"]), (.ended(["done"]), []),
                (.holds("[1]"), []),
            ]),
        StoreScript(
            "an equal answer is a state of its own after loading", .plain, .valid([1]),
            [(.watch(), ["[1]"]), (.call(.refresh), ["[1]…"]), (.answer([1]), ["[1]"])]),
        StoreScript(
            "after an error, another observer has it fetched at once, with the cache shown", .plain, .stale([1]),
            [
                (.watch(), ["[1]…"]), (.fail(), ["!boom"]), (.fetched(["fetch"]), []), (.watch(), ["[1]…"]),
                (.fetched(["fetch"]), []), (.answer([2]), ["[2]"]),
            ]),
        StoreScript(
            "after an error, another observer has it fetched although what is cached is valid", .plain, .valid([1]),
            [
                (.watch(forced: true), ["[1]…"]), (.fail(), ["!boom"]), (.fetched(["fetch"]), []),
                (.watch(), ["[1]…"]), (.fail(), ["!boom"]), (.holds("[1]"), []),
            ]),
        StoreScript(
            "after an error without cache, another observer has it fetched at once", .plain, .empty,
            [(.watch(), ["…"]), (.fail(), ["!boom"]), (.watch(), ["…"]), (.answer([1]), ["[1]"])]),
        StoreScript(
            "another observer of what is fetched joins", .plain, .empty,
            [(.watch(), ["…"]), (.watch(), []), (.watch(forced: true), []), (.fetched(["fetch"]), [])]),
        StoreScript(
            "another observer of what is complete sees it, and changes nothing", .plain, .valid([1]),
            [(.watch(), ["[1]"]), (.watch(), []), (.fetched([]), [])]),
        StoreScript(
            "another observer of what has turned stale has it fetched", .plain, .valid([1]),
            [
                (.watch(), ["[1]"]), (.expire, []), (.fetched([]), []), (.watch(), ["[1]…"]),
                (.answer([2]), ["[2]"]),
            ]),
        StoreScript(
            "one who left sees nothing more, and what was asked for is kept", .plain, .empty,
            [(.watch(), ["…"]), (.leave, []), (.answer([1]), []), (.holds("[1]"), [])]),
    ]

    @Test(arguments: rows, StoreLab.Setting.all)
    func row(_ script: StoreScript, _ setting: StoreLab.Setting) async {
        await script.run(setting)
    }
}
