import PigeonStore
import Testing

/// The requested page, and the kind of the list.
enum PageSide: String, CaseIterable, Sendable {
    case oneWay = "the next page of a list that grows at its end"
    case next = "the next page of a list that grows at both sides"
    case prev = "the previous page"

    var kind: StoreLab.Kind { self == .oneWay ? .oneWay : .twoWay }

    func request(again: Bool = true) -> StoreLab.Request { self == .prev ? .prev(again: again) : .next(again: again) }

    func page(_ key: String) -> String { self == .prev ? "prev \(key)" : "next \(key)" }

    func valid(_ data: [Int], _ key: String?) -> StoreScript.Start {
        self == .prev ? .valid(data, prev: key) : .valid(data, next: key)
    }

    func stale(_ data: [Int], _ key: String?) -> StoreScript.Start {
        self == .prev ? .stale(data, prev: key) : .stale(data, next: key)
    }

    func answer(_ data: [Int], _ key: String?, to call: String) -> StoreScript.Step {
        self == .prev ? .answer(data, prev: key, to: call) : .answer(data, next: key, to: call)
    }

    /// Returns a list to which items are added at this end.
    func adding(_ new: [Int], to old: [Int]) -> [Int] { self == .prev ? new + old : old + new }

    func shows(_ data: [Int], _ word: String) -> [String] {
        self == .prev ? ["\(data) end \(word)"] : ["\(data) \(word) end"]
    }

    func holds(_ data: [Int], _ key: String?) -> StoreScript.Step {
        guard let key else { return .holds("\(data)") }
        return .holds(self == .prev ? "\(data) next - prev \(key)" : "\(data) next \(key) prev -")
    }
}

@Suite("A page", .timeLimit(.minutes(1)))
struct PagingTests {
    static let rows = PageSide.allCases.flatMap(rows)

    static func rows(_ side: PageSide) -> [StoreScript] {
        let more = side.shows([5], "more")
        let page = side.shows([5], "page")
        let both = side.adding([6], to: [5])
        func row(_ name: String, _ start: StoreScript.Start, _ steps: [(StoreScript.Step, [String])]) -> StoreScript {
            StoreScript("\(side.rawValue): \(name)", side.kind, start, steps)
        }
        return [
            row(
                "is added, with the key of the one after it", side.valid([5], "k"),
                [
                    (.watch(), more), (.call(side.request()), page),
                    (side.answer([6], "l", to: side.page("k")), side.shows(both, "more")), (.ended(["done"]), []),
                    (.fetched([side.page("k")]), []), (side.holds(both, "l"), []),
                    (.call(side.request()), side.shows(both, "page")), (.fetched([side.page("l")]), []),
                ]),
            row(
                "without a key after it ends the list", side.valid([5], "k"),
                [
                    (.watch(), more), (.call(side.request()), page),
                    (side.answer([6], nil, to: side.page("k")), ["\(both)"]), (.fetched([side.page("k")]), []),
                    (.call(side.request()), []), (.ended(["done", "done"]), []), (.fetched([]), []),
                ]),
            row(
                "with an empty key after it ends the list (StoreFlowable F8)", side.valid([5], "k"),
                [
                    (.watch(), more), (.call(side.request()), page),
                    (side.answer([6], "", to: side.page("k")), ["\(both)"]), (.fetched([side.page("k")]), []),
                    (.call(side.request()), []), (.ended(["done", "done"]), []), (.fetched([]), []),
                ]),
            row(
                "is not asked for where the list ends", side.valid([5], nil),
                [(.watch(), ["[5]"]), (.call(side.request()), []), (.ended(["done"]), []), (.fetched([]), [])]),
            row(
                "is not asked for by an empty key (StoreFlowable F8)", side.valid([5], ""),
                [(.watch(), ["[5]"]), (.call(side.request()), []), (.ended(["done"]), []), (.fetched([]), [])]),
            row(
                "that fails leaves all as it was, and says so beside", side.valid([5], "k"),
                [
                    (.watch(), more), (.call(side.request()), page),
                    (.fail(to: side.page("k")), side.shows([5], "!boom")), (.ended(["!boom"]), []),
                    (side.holds([5], "k"), []),
                ]),
            row(
                "that failed is asked for again", side.valid([5], "k"),
                [
                    (.watch(), more), (.call(side.request()), page),
                    (.fail(to: side.page("k")), side.shows([5], "!boom")), (.call(side.request()), page),
                    (side.answer([6], nil, to: side.page("k")), ["\(both)"]),
                    (.fetched([side.page("k"), side.page("k")]), []), (.ended(["!boom", "done"]), []),
                ]),
            row(
                "that failed is not asked for again, when that is not wanted", side.valid([5], "k"),
                [
                    (.watch(), more), (.call(side.request(again: false)), page),
                    (.fail(to: side.page("k")), side.shows([5], "!boom")), (.call(side.request(again: false)), []),
                    (.ended(["!boom", "!boom"]), []), (.fetched([side.page("k")]), []),
                ]),
            row(
                "is not asked for while the whole is loaded", side.valid([5], "k"),
                [
                    (.watch(), more), (.call(.refresh), ["[5]…"]), (.call(side.request()), []),
                    (.ended(["…", "done"]), []), (.fetched(["fetch"]), []),
                ]),
            row(
                "is not asked for in an error, which stays (StoreFlowable F9)", side.valid([5], "k"),
                [
                    (.watch(forced: true), ["[5]…"]), (.fail(), ["!boom"]), (.fetched(["fetch"]), []),
                    (.call(side.request()), []), (.ended(["!AdditionalRequestOnErrorStateException"]), []),
                    (.fetched([]), []),
                ]),
            row(
                "is not asked for before there is data", .empty,
                [
                    (.call(side.request()), []), (.ended(["!AdditionalRequestOnNilException"]), []), (.fetched([]), []),
                    (.watch(), ["…"]),
                ]),
            row(
                "is not asked for while the first is loaded", .empty,
                [(.watch(), ["…"]), (.call(side.request()), []), (.ended(["done"]), []), (.fetched(["fetch"]), [])]),
            row(
                "is not asked for without cache although there is a key (StoreFlowable F9)", side.valid([5], "k"),
                [
                    (.lose, []), (.call(side.request()), []), (.ended(["!AdditionalRequestOnNilException"]), []),
                    (.fetched([]), []),
                ]),
            row(
                "is dropped when there is nothing in the cache any more, which is seen then", side.valid([5], "k"),
                [
                    (.watch(), more), (.call(side.request()), page), (.lose, []),
                    (side.answer([6], nil, to: side.page("k")), ["!NoSuchElementError"]),
                    (.ended(["!AdditionalRequestOnNilException"]), []),
                ]),
            row(
                "is added to a stale cache, which stays stale", side.stale([5], "k"),
                [
                    (.call(side.request()), []), (side.answer([6], "l", to: side.page("k")), []),
                    (.ended(["done"]), []), (side.holds(both, "l"), []), (.fetched([side.page("k")]), []),
                    (.watch(), ["\(both)…"]), (.fetched(["fetch"]), []),
                ]),
            row(
                "goes on where the cache was left by an earlier run (StoreFlowable F27)", side.valid([5], "k"),
                [
                    (.call(side.request()), []), (.fetched([side.page("k")]), []),
                    (side.answer([6], "l", to: side.page("k")), []), (.ended(["done"]), []),
                    (.watch(), side.shows(both, "more")), (.fetched([]), []),
                ]),
            row(
                "is asked for once by all who ask at the same time", side.valid([5], "k"),
                [
                    (.watch(), more), (.call(side.request()), page), (.call(side.request()), []),
                    (.call(side.request(again: false)), []), (.ended(["…", "…", "…"]), []),
                    (.fetched([side.page("k")]), []),
                    (side.answer([6], "l", to: side.page("k")), side.shows(both, "more")),
                    (.ended(["done", "done", "done"]), []), (side.holds(both, "l"), []),
                ]),
            row(
                "never lands in a list that was refreshed meanwhile, and is asked for again (StoreFlowable F3)",
                side.valid([5], "k"),
                [
                    (.watch(), more), (.call(side.request()), page), (.call(.refresh), ["[5]…"]),
                    (side.answer([7], "m", to: "fetch"), side.shows([7], "page")), (.ended(["…", "done"]), []),
                    (side.holds([7], "m"), []), (.fetched([side.page("k"), "fetch", side.page("m")]), []),
                    (side.answer([8], nil, to: side.page("m")), ["\(side.adding([8], to: [7]))"]),
                    (.ended(["done", "done"]), []),
                ]),
            row(
                "that failed is forgotten by a refresh", side.valid([5], "k"),
                [
                    (.watch(), more), (.call(side.request()), page),
                    (.fail(to: side.page("k")), side.shows([5], "!boom")), (.call(.refresh), ["[5]…"]),
                    (side.answer([7], "m", to: "fetch"), side.shows([7], "more")),
                ]),
            row(
                "that is called off changes nothing (StoreFlowable F5)", side.valid([5], "k"),
                [
                    (.watch(), more), (.call(side.request()), page),
                    (.fail(CancellationError(), to: side.page("k")), more), (side.holds([5], "k"), []),
                ]),
        ]
    }

    @Test(arguments: rows, StoreLab.Setting.all)
    func row(_ script: StoreScript, _ setting: StoreLab.Setting) async {
        await script.run(setting)
    }

    static let twoSides: [StoreScript] = [
        StoreScript(
            "the next first", .twoWay, .valid([5], next: "n", prev: "p"),
            [
                (.watch(), ["[5] more more"]), (.call(.next()), ["[5] page more"]), (.call(.prev()), ["[5] page page"]),
                (.answer([6], next: "n2", prev: "wrong", to: "next n"), ["[5, 6] more page"]),
                (.answer([4], next: "wrong", prev: "p2", to: "prev p"), ["[4, 5, 6] more more"]),
                (.holds("[4, 5, 6] next n2 prev p2"), []), (.ended(["done", "done"]), []),
            ]),
        StoreScript(
            "the previous first", .twoWay, .valid([5], next: "n", prev: "p"),
            [
                (.watch(), ["[5] more more"]), (.call(.next()), ["[5] page more"]), (.call(.prev()), ["[5] page page"]),
                (.answer([4], prev: nil, to: "prev p"), ["[4, 5] page end"]),
                (.answer([6], next: "n2", to: "next n"), ["[4, 5, 6] more end"]),
                (.holds("[4, 5, 6] next n2 prev -"), []),
            ]),
        StoreScript(
            "one fails, the other does not", .twoWay, .valid([5], next: "n", prev: "p"),
            [
                (.watch(), ["[5] more more"]), (.call(.next()), ["[5] page more"]), (.call(.prev()), ["[5] page page"]),
                (.fail(to: "next n"), ["[5] !boom page"]),
                (.answer([4], prev: "p2", to: "prev p"), ["[4, 5] !boom more"]),
                (.holds("[4, 5] next n prev p2"), []), (.ended(["!boom", "done"]), []),
            ]),
        StoreScript(
            "both fail", .twoWay, .valid([5], next: "n", prev: "p"),
            [
                (.watch(), ["[5] more more"]), (.call(.next()), ["[5] page more"]), (.call(.prev()), ["[5] page page"]),
                (.fail(to: "next n"), ["[5] !boom page"]), (.fail(Broken("bang"), to: "prev p"), ["[5] !boom !bang"]),
                (.holds("[5] next n prev p"), []),
            ]),
        StoreScript(
            "StoreFlowable F3: a refresh drops both, and both are asked for again", .twoWay,
            .valid([5], next: "n", prev: "p"),
            [
                (.watch(), ["[5] more more"]), (.call(.next()), ["[5] page more"]), (.call(.prev()), ["[5] page page"]),
                (.call(.refresh), ["[5]…"]), (.answer([7], next: "m", prev: "q"), ["[7] page page"]),
                (.holds("[7] next m prev q"), []), (.ended(["…", "…", "done"]), []),
                (.answer([8], to: "next m"), ["[7, 8] end page"]), (.answer([6], to: "prev q"), ["[6, 7, 8]"]),
                (.ended(["done", "done", "done"]), []),
            ]),
        StoreScript(
            "StoreFlowable F3: a refresh that fails drops both, and loses nothing", .twoWay,
            .valid([5], next: "n", prev: "p"),
            [
                (.watch(), ["[5] more more"]), (.call(.next()), ["[5] page more"]), (.call(.prev()), ["[5] page page"]),
                (.call(.refresh), ["[5]…"]), (.fail(), ["!boom"]), (.holds("[5] next n prev p"), []),
                (.ended(["!boom", "!boom", "done"]), []), (.watch(), ["[5]…"]),
            ]),
    ]

    @Test("Pages of both sides at the same time", arguments: twoSides, StoreLab.Setting.all)
    func bothSides(_ script: StoreScript, _ setting: StoreLab.Setting) async {
        await script.run(setting)
    }
}
