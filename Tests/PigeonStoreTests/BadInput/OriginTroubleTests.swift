import PigeonStore
import PigeonTesting
import TestSupport
import Testing

@Suite("An origin that does not do what it should", .timeLimit(.minutes(1)))
struct OriginTroubleTests {
    static let rows: [StoreScript] = [
        StoreScript(
            "an empty page goes on", .oneWay, .valid([1], next: "2"),
            [
                (.watch(), ["[1] more end"]), (.call(.next()), ["[1] page end"]),
                (.answer([], next: "3", to: "next 2"), ["[1] more end"]), (.holds("[1] next 3 prev -"), []),
            ]),
        StoreScript(
            "an empty list is data", .oneWay, .empty,
            [
                (.watch(), ["…"]), (.answer([], next: nil), ["[]"]), (.holds("[]"), []), (.watch(), []),
                (.fetched(["fetch"]), []),
            ]),
        StoreScript(
            "a page that hangs is dropped by a refresh, which does not wait for it", .oneWay, .valid([1], next: "2"),
            [
                (.watch(), ["[1] more end"]), (.call(.next()), ["[1] page end"]), (.advance(.seconds(3600)), []),
                (.call(.refresh), ["[1]…"]), (.answer([7], next: "8"), ["[7] page end"]), (.ended(["…", "done"]), []),
                (.answer([8], to: "next 8"), ["[7, 8]"]), (.ended(["done", "done"]), []),
            ]),
        StoreScript(
            "a fetch that hangs gives way to an update", .plain, .empty,
            [(.watch(), ["…"]), (.advance(.seconds(3600)), []), (.call(.update([5])), ["[5]"]), (.ended(["done"]), [])]),
        StoreScript(
            "a key of unusual characters comes back as it was", .oneWay, .valid([1], next: "a/b c%é\u{0}\n#2"),
            [
                (.watch(), ["[1] more end"]), (.call(.next()), ["[1] page end"]),
                (.answer([2], to: "next a/b c%é\u{0}\n#2"), ["[1, 2]"]),
            ]),
    ]

    @Test(arguments: rows, StoreLab.Setting.all)
    func row(_ script: StoreScript, _ setting: StoreLab.Setting) async {
        await script.run(setting)
    }

    static let constantKeys: [StoreScript] = [
        StoreScript(
            "the next page", .oneWay, .valid([1], next: "more"),
            [
                (.watch(), ["[1] more end"]), (.call(.next()), ["[1] page end"]),
                (.answer([2], next: "more", to: "next more"), ["[1, 2] more end"]),
                (.holds("[1, 2] next more prev -"), []), (.call(.next()), ["[1, 2] page end"]),
                (.answer([3], next: "more", to: "next more"), ["[1, 2, 3] more end"]),
                (.call(.next()), ["[1, 2, 3] page end"]), (.answer([4], to: "next more"), ["[1, 2, 3, 4]"]),
                (.fetched(["next more", "next more", "next more"]), []), (.ended(["done", "done", "done"]), []),
            ]),
        StoreScript(
            "the previous page", .twoWay, .valid([1], next: "2", prev: "more"),
            [
                (.watch(), ["[1] more more"]), (.call(.prev()), ["[1] more page"]),
                (.answer([0], prev: "more", to: "prev more"), ["[0, 1] more more"]),
                (.holds("[0, 1] next 2 prev more"), []), (.call(.prev()), ["[0, 1] more page"]),
                (.answer([-1], to: "prev more"), ["[-1, 0, 1] more end"]), (.ended(["done", "done"]), []),
            ]),
    ]

    @Test(
        "A list whose pages all give one key goes on until a page gives none", .rule("U14"), arguments: constantKeys,
        StoreLab.Setting.all)
    func constantKey(_ script: StoreScript, _ setting: StoreLab.Setting) async {
        await script.run(setting)
    }

    @Test("A page that gives its own key is reported as a misuse", arguments: StoreLab.Shape.allCases)
    func misuse(_ shape: StoreLab.Shape) async {
        let bench = StoreLab(StoreLab.Setting(shape: shape), .oneWay)
        bench.place.put([1], "2", isStale: false)
        let request = bench.begin(.next())
        bench.answer([2], next: "2", to: "next 2")
        #expect(await bench.end(of: request) == "done")
        #expect(bench.lab.log.count { $0.contains("misuse") } == 1)
    }

    @Test("A publisher that ends without a value has failed, and loses nothing")
    func noValue() async {
        let bench = StoreLab(StoreLab.Setting(shape: .factories), .oneWay)
        bench.place.put([1], "2", isStale: true)
        let log = bench.watch()
        bench.end("fetch", .success(nil))
        #expect(log.take() == ["[1]…", "!QueryError"])
        bench.place.change { $0.isStale = false }
        #expect(await bench.run(.update([1])) == "done")
        let page = bench.begin(.next())
        bench.end("next 2", .success(nil))
        #expect(await bench.end(of: page) == "done")
        let states = log.take()
        #expect(states.last?.contains("without a value") == true || states.last?.hasPrefix("[1] !") == true)
        #expect(bench.place.text == "[1] next 2 prev -")
    }

    @Test("Of a page's publisher the first value is the page")
    func twoPages() async {
        let bench = StoreLab(StoreLab.Setting(shape: .factories), .oneWay)
        bench.place.put([1], "2", isStale: false)
        let log = bench.watch()
        let page = bench.begin(.next())
        bench.origin.send(Page(2, next: "3"), of: "next 2")
        #expect(await bench.end(of: page) == "done")
        #expect(log.take() == ["[1] more end", "[1] page end", "[1, 2] more end"])
        #expect(bench.origin.cancelled == ["next 2"])
    }

    @Test(
        "What an origin may take at most is an option, after which nothing is lost",
        arguments: StoreLab.Shape.allCases)
    func timeLimit(_ shape: StoreLab.Shape) {
        let bench = StoreLab(StoreLab.Setting(shape: shape))
        bench.place.put([1], isStale: true)
        let log = StoreLog()
        let limited = bench.store.options { $0.timeLimit = .seconds(5) }
        let states: LoadingStatePublisher<[Int]> = limited.publish()
        let subscription = states.sink { log.add($0.brief) }
        bench.lab.advance(by: .seconds(5))
        #expect(log.take() == ["[1]…", "!QueryError"])
        #expect(bench.place.text == "[1]")
        #expect(bench.origin.cancelled == ["fetch"])
        subscription.cancel()
    }
}
