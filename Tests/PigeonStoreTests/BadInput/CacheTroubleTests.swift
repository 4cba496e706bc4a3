import PigeonStore
import PigeonTesting
import TestSupport
import Testing

@Suite("A cache that does not do what it should", .timeLimit(.minutes(1)))
struct CacheTroubleTests {
    static let throwing: [StoreScript] = [
        StoreScript(
            "reading throws: what is fetched is shown", .plain, .valid([1]), troubles: [.load: .throwing],
            [(.watch(), ["…"]), (.answer([2]), ["[2]"]), (.holds("[2]"), [])]),
        StoreScript(
            "reading throws, and so does the fetch: the error of the fetch", .plain, .valid([1]),
            troubles: [.load: .throwing], [(.watch(), ["…"]), (.fail(), ["!boom"]), (.holds("[1]"), [])]),
        StoreScript(
            "reading throws: from the cache alone there is what it threw", .plain, .valid([1]),
            troubles: [.load: .throwing], [(.call(.require(.cache)), []), (.ended(["!load"]), []), (.fetched([]), [])]),
        StoreScript(
            "asking whether it is old throws: it is shown, and fetched again", .plain, .valid([1]),
            troubles: [.needRefresh: .throwing], [(.watch(), ["[1]…"]), (.answer([2]), ["[2]"]), (.holds("[2]"), [])]),
        StoreScript(
            "saving throws: the error, and what was there still is", .plain, .stale([1]), troubles: [.save: .throwing],
            [(.watch(), ["[1]…"]), (.answer([2]), ["!save"]), (.holds("[1]"), [])]),
        StoreScript(
            "saving throws: who waits gets that", .plain, .stale([1]), troubles: [.save: .throwing],
            [
                (.call(.require(.origin)), []), (.answer([2]), []), (.ended(["!save"]), []),
                (.call(.update([5])), []), (.ended(["!save", "!save"]), []), (.holds("[1]"), []),
            ]),
        StoreScript(
            "an update that throws changes nothing that is seen; what could not be emptied is shown again", .plain,
            .valid([1]),
            troubles: [.save: .throwing],
            [
                (.watch(), ["[1]"]), (.call(.update([5])), []), (.call(.update(nil)), []),
                (.call(.clear), ["!NoSuchElementError", "[1]"]),
                (.ended(["!save", "!save", "!save"]), []), (.holds("[1]"), []),
            ]),
        StoreScript(
            "an update that throws does not call off a fetch", .plain, .stale([1]), troubles: [.save: .throwing],
            [(.watch(), ["[1]…"]), (.call(.update([5])), []), (.ended(["!save"]), []), (.answer([2]), ["!save"])]),
        StoreScript(
            "reading keys throws: what is fetched is shown, with its keys", .oneWay, .valid([1], next: "2"),
            troubles: [.loadKeys: .throwing],
            [(.watch(), ["…"]), (.answer([2], next: "3"), ["[2] more end"]), (.holds("[2] next 3 prev -"), [])]),
        StoreScript(
            "reading keys throws: so does a page, and nothing is lost", .oneWay, .empty,
            troubles: [.loadKeys: .throwing],
            [
                (.watch(), ["…"]), (.answer([2], next: "3"), ["[2] more end"]), (.call(.next()), ["[2] page end"]),
                (.answer([3], to: "next 3"), ["[2] !loadKeys end"]), (.ended(["!loadKeys"]), []),
                (.holds("[2] next 3 prev -"), []),
            ]),
        StoreScript(
            "saving keys throws: the error", .oneWay, .stale([1], next: "2"), troubles: [.saveKeys: .throwing],
            [(.watch(), ["[1]…"]), (.answer([2], next: "3"), ["!saveKeys"])]),
        StoreScript(
            "saving keys throws: what was there still is", .oneWay, .stale([1], next: "2"),
            troubles: [.saveKeys: .throwing],
            [(.watch(), ["[1]…"]), (.answer([2], next: "3"), ["!saveKeys"]), (.holds("[1] next 2 prev -"), [])]),
        StoreScript(
            "saving keys throws: there is still nothing", .oneWay, .empty, troubles: [.saveKeys: .throwing],
            [(.watch(), ["…"]), (.answer([2], next: "3"), ["!saveKeys"]), (.holds("nothing"), [])]),
        StoreScript(
            "saving a page's key throws: the page's error, and the page is not in the list", .oneWay,
            .valid([1], next: "2"), troubles: [.saveKeys: .throwing],
            [
                (.watch(), ["[1] more end"]), (.call(.next()), ["[1] page end"]),
                (.answer([2], next: "3", to: "next 2"), ["[1] !saveKeys end"]), (.ended(["!saveKeys"]), []),
                (.holds("[1] next 2 prev -"), []),
            ]),
        StoreScript(
            "adding a page throws: the page's error, and nothing is lost", .oneWay, .valid([1], next: "2"),
            troubles: [.add: .throwing],
            [
                (.watch(), ["[1] more end"]), (.call(.next()), ["[1] page end"]),
                (.answer([2], next: "3", to: "next 2"), ["[1] !add end"]), (.ended(["!add"]), []),
                (.holds("[1] next 2 prev -"), []),
            ]),
        StoreScript(
            "adding a previous page throws: that side's error", .twoWay, .valid([1], next: "2", prev: "0"),
            troubles: [.add: .throwing],
            [
                (.watch(), ["[1] more more"]), (.call(.prev()), ["[1] more page"]),
                (.answer([0], to: "prev 0"), ["[1] more !add"]), (.holds("[1] next 2 prev 0"), []),
            ]),
    ]

    @Test("throws", arguments: throwing, StoreLab.Pace.allCases)
    func throwsErrors(_ script: StoreScript, _ pace: StoreLab.Pace) async {
        await script.run(StoreLab.Setting(shape: .cachers, pace: pace))
    }

    static let empty: [StoreScript] = [
        StoreScript(
            "reading: there is nothing", .plain, .valid([1]), troubles: [.load: .noValue],
            [(.watch(), ["…"]), (.answer([2]), ["[2]"]), (.holds("[2]"), [])]),
        StoreScript(
            "reading, from the cache alone", .plain, .valid([1]), troubles: [.load: .noValue],
            [(.call(.require(.cache)), []), (.ended(["!NoSuchElementError"]), [])]),
        StoreScript(
            "asking whether it is old: it is", .plain, .valid([1]), troubles: [.needRefresh: .noValue],
            [(.watch(), ["[1]…"]), (.answer([2]), ["[2]"])]),
        StoreScript(
            "saving: done, as far as anyone can tell", .plain, .empty, troubles: [.save: .noValue],
            [(.watch(), ["…"]), (.answer([2]), ["[2]"])]),
        StoreScript(
            "reading keys: the list ends", .oneWay, .valid([1], next: "2"), troubles: [.loadKeys: .noValue],
            [(.watch(), ["[1]"]), (.call(.next()), []), (.ended(["done"]), []), (.fetched([]), [])]),
        StoreScript(
            "saving keys: the list goes on where the cache says", .oneWay, .valid([1], next: "2"),
            troubles: [.saveKeys: .noValue],
            [
                (.watch(), ["[1] more end"]), (.call(.next()), ["[1] page end"]),
                (.answer([2], next: "3", to: "next 2"), ["[1, 2] more end"]), (.ended(["done"]), []),
            ]),
        StoreScript(
            "adding a page: nothing is added", .oneWay, .valid([1], next: "2"), troubles: [.add: .noValue],
            [
                (.watch(), ["[1] more end"]), (.call(.next()), ["[1] page end"]),
                (.answer([2], next: "3", to: "next 2"), ["[1] more end"]), (.ended(["done"]), []),
            ]),
    ]

    @Test("ends without a value", arguments: empty)
    func noValue(_ script: StoreScript) async {
        await script.run(StoreLab.Setting(shape: .factories))
    }

    static let twice: [StoreScript] = [
        StoreScript(
            "of all functions the first value counts", .twoWay, .stale([5], next: "n", prev: "p"),
            troubles: Dictionary(uniqueKeysWithValues: StoreLab.Function.allCases.map { ($0, .twice) }),
            [
                (.watch(), ["[5]…"]), (.answer([1], next: "2", prev: "0"), ["[1] more more"]),
                (.call(.next()), ["[1] page more"]), (.answer([2], to: "next 2"), ["[1, 2] end more"]),
                (.call(.prev()), ["[1, 2] end page"]), (.answer([0], prev: "-1", to: "prev 0"), ["[0, 1, 2] end more"]),
                (.call(.update([7])), ["[7] end more"]), (.holds("[7] next - prev -1"), []),
                (.call(.require(.cache)), []), (.ended(["done", "done", "done", "[7]"]), []),
            ])
    ]

    @Test("sends twice", arguments: twice)
    func sendsTwice(_ script: StoreScript) async {
        await script.run(StoreLab.Setting(shape: .factories))
    }

    static let hanging: [StoreScript] = [
        StoreScript(
            "reading: loading after a while, and nothing is fetched", .plain, .valid([1]), troubles: [.load: .hanging],
            [(.watch(), []), (.advance(.milliseconds(250)), ["…"]), (.advance(.seconds(60)), []), (.fetched([]), [])]),
        StoreScript(
            "asking whether it is old: loading after a while", .plain, .valid([1]), troubles: [.needRefresh: .hanging],
            [(.watch(), []), (.advance(.milliseconds(250)), ["…"]), (.fetched([]), [])]),
        StoreScript(
            "saving: loading, with what was there", .plain, .stale([1]), troubles: [.save: .hanging],
            [(.watch(), ["[1]…"]), (.answer([2]), []), (.advance(.seconds(60)), []), (.holds("[1]"), [])]),
        StoreScript(
            "reading keys: loading after a while", .oneWay, .valid([1], next: "2"), troubles: [.loadKeys: .hanging],
            [(.watch(), []), (.advance(.milliseconds(250)), ["…"])]),
        StoreScript(
            "adding a page: the page is loading", .oneWay, .valid([1], next: "2"), troubles: [.add: .hanging],
            [
                (.watch(), ["[1] more end"]), (.call(.next()), ["[1] page end"]), (.answer([2], to: "next 2"), []),
                (.advance(.seconds(60)), []), (.ended(["…"]), []), (.holds("[1] next 2 prev -"), []),
            ]),
    ]

    @Test("hangs", arguments: hanging, StoreLab.Shape.allCases)
    func hangs(_ script: StoreScript, _ shape: StoreLab.Shape) async {
        await script.run(StoreLab.Setting(shape: shape))
    }

    @Test("An update that the cache refuses is on the event stream, as its publisher cannot fail", .rule("U18"))
    func refusedUpdate() {
        let bench = StoreLab(StoreLab.Setting(shape: .cachers))
        bench.place.put([1], isStale: false)
        bench.place.change { $0.troubles = [.save: .throwing] }
        let ends = Locked(0)
        let update: AnyPublisher<Void, Never> = bench.store.update(newData: [5])
        let subscription = update.sink { ends.withLock { $0 += 1 } }
        bench.settle()
        #expect(ends.withLock { $0 } == 1)
        #expect(bench.place.text == "[1]")
        #expect(bench.lab.log.contains("items/1 cache problem: the source could not be changed: Broken"))
        subscription.cancel()
    }

    @Test("A page whose key could not be saved is requested again, and is in the list once")
    func pageAgain() async {
        let bench = StoreLab(StoreLab.Setting(shape: .cachers), .oneWay)
        bench.place.put([1], "2", isStale: false)
        bench.place.change { $0.troubles = [.saveKeys: .throwing] }
        let log = bench.watch()
        bench.settle()
        let failed = bench.begin(.next())
        await bench.asks("next 2")
        bench.answer([2], next: "3", to: "next 2")
        #expect(await bench.end(of: failed) == "!saveKeys")
        #expect(bench.place.text == "[1] next 2 prev -")
        bench.place.change { $0.troubles = [:] }
        let retried = bench.begin(.next())
        await bench.asks("next 2")
        bench.answer([2], next: "3", to: "next 2")
        #expect(await bench.end(of: retried) == "done")
        #expect(bench.place.text == "[1, 2] next 3 prev -")
        log.cancel()
    }

    @Test(
        "A cache that hangs holds up neither another store, nor one who stops waiting",
        arguments: StoreLab.Shape.allCases)
    func alone(_ shape: StoreLab.Shape) async {
        let bench = StoreLab(StoreLab.Setting(shape: shape))
        bench.place.change { $0.troubles = [.load: .hanging] }
        let hung = bench.begin(.require())
        let healthy = StoreLab(StoreLab.Setting(shape: shape), queryKey: "others", in: bench.lab)
        healthy.place.put([3], isStale: false)
        #expect(await healthy.run(.require()) == "[3]")
        #expect(hung.text == nil)
        hung.cancel()
        bench.settle()
        guard shape == .cachers else { return }
        let end = await bench.end(of: hung)
        #expect(end == "!CancellationError")
    }
}
