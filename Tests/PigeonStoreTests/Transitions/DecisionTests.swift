import PigeonStore
import Testing

@Suite("When a store fetches", .timeLimit(.minutes(1)))
struct DecisionTests {
    enum Call: String, CaseIterable, Sendable {
        case publish = "publish()"
        case publishForced = "publish(forceRefresh: true)"
        case validate = "validate()"
        case refresh = "refresh()"

        var step: StoreScript.Step {
            switch self {
            case .publish: .watch()
            case .publishForced: .watch(forced: true)
            case .validate: .call(.validate)
            case .refresh: .call(.refresh)
            }
        }

        var isForced: Bool { self == .publishForced || self == .refresh }
        var waits: Bool { self == .validate || self == .refresh }

        func fetches(in state: GettingTests.State) -> Bool {
            switch state {
            case .valid: isForced
            case .stale, .none, .error, .errorValid, .errorStale: true
            case .loading, .loadingValid, .loadingStale: false
            }
        }
    }

    @Test(
        "each call in each state, and none begins a second fetch", arguments: Call.allCases, GettingTests.State.allCases
    )
    func table(_ call: Call, _ state: GettingTests.State) async {
        for setting in StoreLab.Setting.all {
            let bench = StoreLab(setting)
            bench.place.put(state.start)
            for step in state.steps {
                if case .call(let request) = step { _ = bench.begin(request) }
                if case .fail(let error, _) = step { bench.fail(error) }
            }
            _ = bench.origin.takeCalls()
            var watcher: StoreLog?
            var outcome: StoreLab.Outcome?
            switch call.step {
            case .watch(let forced): watcher = bench.watch(forceRefresh: forced)
            case .call(let request): outcome = bench.begin(request)
            default: break
            }
            bench.settle()
            #expect(bench.origin.takeCalls() == (call.fetches(in: state) ? ["fetch"] : []), "\(setting)")
            // A caller that waits for a fetch waits for its end, even if it has joined the fetch.
            guard call.fetches(in: state) || state.isLoading else { continue }
            #expect(outcome?.text == nil)
            bench.answer([2])
            if let outcome { #expect(await bench.end(of: outcome) == "done") }
            #expect(bench.place.text == "[2]")
            #expect(bench.origin.takeCalls() == [])
            if let watcher { #expect(watcher.take().last == "[2]") }
        }
    }

    static let questions: [StoreScript] = [
        StoreScript(
            "needRefresh is not asked without cache", .plain, .empty,
            [(.watch(), ["…"]), (.asked(.needRefresh, []), [])]),
        StoreScript(
            "needRefresh is asked once, with what is cached", .plain, .valid([1]),
            [(.watch(), ["[1]"]), (.asked(.needRefresh, ["needRefresh [1]"]), [])]),
        StoreScript(
            "needRefresh is asked for each observer", .plain, .valid([1]),
            [(.watch(), ["[1]"]), (.watch(), []), (.asked(.needRefresh, ["needRefresh [1]", "needRefresh [1]"]), [])]),
        StoreScript(
            "needRefresh is not asked by what is forced", .plain, .valid([1]),
            [(.watch(forced: true), ["[1]…"]), (.asked(.needRefresh, []), [])]),
        StoreScript(
            "needRefresh is not asked by a refresh, nor of what it brought", .plain, .valid([1]),
            [(.call(.refresh), []), (.answer([2]), []), (.ended(["done"]), []), (.asked(.needRefresh, []), [])]),
        StoreScript(
            "needRefresh is asked by validate", .plain, .valid([1]),
            [(.call(.validate), []), (.ended(["done"]), []), (.asked(.needRefresh, ["needRefresh [1]"]), [])]),
        StoreScript(
            "needRefresh is asked by requireData from both, and not again after the fetch", .plain, .stale([1]),
            [
                (.call(.require(.both)), []), (.answer([2]), []), (.ended(["[2]"]), []),
                (.asked(.needRefresh, ["needRefresh [1]"]), []),
            ]),
        StoreScript(
            "needRefresh is not asked by requireData from the origin", .plain, .valid([1]),
            [
                (.call(.require(.origin)), []), (.answer([2]), []), (.ended(["[2]"]), []),
                (.asked(.needRefresh, []), []),
            ]),
        StoreScript(
            "needRefresh is asked by requireData from the cache", .plain, .valid([1]),
            [(.call(.require(.cache)), []), (.ended(["[1]"]), []), (.asked(.needRefresh, ["needRefresh [1]"]), [])]),
        StoreScript(
            "needRefresh is not asked while a fetch runs", .plain, .valid([1]),
            [(.call(.refresh), []), (.call(.validate), []), (.watch(), ["[1]…"]), (.asked(.needRefresh, []), [])]),
        StoreScript(
            "needRefresh is not asked by an update", .plain, .valid([1]),
            [(.call(.update([2])), []), (.ended(["done"]), []), (.asked(.needRefresh, []), [])]),
        StoreScript(
            "needRefresh is not asked by a page", .oneWay, .stale([1], next: "2"),
            [(.call(.next()), []), (.answer([2], to: "next 2"), []), (.asked(.needRefresh, []), [])]),
    ]

    @Test(arguments: questions, StoreLab.Setting.all)
    func question(_ script: StoreScript, _ setting: StoreLab.Setting) async {
        await script.run(setting)
    }
}
