import PigeonStore
import PigeonTesting
import Testing

@Suite("Calling a store off", .timeLimit(.minutes(1)))
struct CallingOffTests {
    static let rows: [StoreScript] = [
        StoreScript(
            "StoreFlowable F5: a fetch that calls itself off leaves what is valid", .plain, .valid([1]),
            [
                (.watch(), ["[1]"]), (.call(.refresh), ["[1]…"]), (.fail(CancellationError()), ["[1]"]),
                (.ended(["done"]), []), (.holds("[1]"), []),
            ]),
        StoreScript(
            "StoreFlowable F5: a fetch that calls itself off leaves what is stale", .plain, .stale([1]),
            [(.watch(), ["[1]…"]), (.fail(CancellationError()), ["[1]"]), (.holds("[1]"), [])]),
        StoreScript(
            "a first fetch that calls itself off leaves nothing, and says so", .plain, .empty,
            [(.watch(), ["…"]), (.fail(CancellationError()), ["!NoSuchElementError"]), (.watch(), ["…"])]),
        StoreScript(
            "StoreFlowable F5: one who stops waiting stops nobody else, and not the fetch", .plain, .empty,
            [
                (.watch(), ["…"]), (.call(.refresh), []), (.call(.require(.origin)), []), (.call(.validate), []),
                (.cancelCall, []), (.answer([2]), ["[2]"]), (.ended(["done", "[2]", "-"]), []),
            ]),
        StoreScript(
            "the last who stops waiting does not stop the fetch either", .plain, .empty,
            [(.call(.validate), []), (.cancelCall, []), (.answer([2]), []), (.holds("[2]"), []), (.watch(), ["[2]"])]),
        StoreScript(
            "one who stops waiting for a page does not stop it", .oneWay, .valid([1], next: "2"),
            [
                (.watch(), ["[1] more end"]), (.call(.next()), ["[1] page end"]), (.cancelCall, []),
                (.answer([2], to: "next 2"), ["[1, 2]"]), (.holds("[1, 2]"), []),
            ]),
    ]

    @Test(arguments: rows, StoreLab.Setting.all)
    func row(_ script: StoreScript, _ setting: StoreLab.Setting) async {
        await script.run(setting)
    }
}
