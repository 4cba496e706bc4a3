import PigeonStore
import TestSupport
import Testing

@Suite("Data that is asked for once", .timeLimit(.minutes(1)))
struct GettingTests {
    enum State: String, Sendable, CaseIterable {
        case valid = "fixed, with a valid cache"
        case stale = "fixed, with a stale cache"
        case none = "fixed, without cache"
        case loadingValid = "loading, with a valid cache"
        case loadingStale = "loading, with a stale cache"
        case loading = "loading, without cache"
        case errorValid = "error, with a valid cache"
        case errorStale = "error, with a stale cache"
        case error = "error, without cache"

        var start: StoreScript.Start {
            switch self {
            case .valid, .loadingValid, .errorValid: .valid([1])
            case .stale, .loadingStale, .errorStale: .stale([1])
            case .none, .loading, .error: .empty
            }
        }

        var steps: [StoreScript.Step] {
            switch self {
            case .valid, .stale, .none: []
            case .loadingValid, .loadingStale, .loading: [.call(.refresh)]
            case .errorValid, .errorStale, .error: [.call(.refresh), .fail(Broken("earlier"))]
            }
        }

        var isLoading: Bool {
            [.loadingValid, .loadingStale, .loading].contains(self)
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let state: State
        let place: GettingFrom
        /// The result if no fetch is needed, or if the fetch succeeds with [2].
        let result: String
        /// The result if a fetch fails, whether started or joined. `nil` if the call neither starts nor joins a fetch.
        let failure: String?

        init(_ state: State, _ place: GettingFrom, _ result: String, orFailing failure: String? = nil) {
            self.state = state
            self.place = place
            self.result = result
            self.failure = failure
        }

        var testDescription: String { "\(state.rawValue), from .\(place)" }

        func script(failing: Bool, _ request: StoreLab.Request) -> StoreScript {
            var steps = state.steps + [.call(request)]
            var fetches = state.steps.isEmpty ? 0 : 1
            if failure != nil {
                if !state.isLoading { fetches += 1 }
                steps.append(failing ? .fail(Broken("now")) : .answer([2]))
            }
            var text = failing ? failure ?? result : result
            if case .get = request, text.hasPrefix("!") { text = "nil" }
            steps.append(.ended(state.steps.isEmpty ? [text] : ["done", text]))
            steps.append(.fetched(Array(repeating: "fetch", count: fetches)))
            // No outcome removes cached data.
            let before = if case .empty = state.start { "nothing" } else { "[1]" }
            steps.append(.holds(failure != nil && !failing ? "[2]" : before))
            return StoreScript(testDescription, .plain, state.start, steps.map { ($0, []) })
        }
    }

    static let rows = [
        Row(.valid, .both, "[1]"),
        Row(.valid, .origin, "[2]", orFailing: "!now"),
        Row(.valid, .cache, "[1]"),
        Row(.stale, .both, "[2]", orFailing: "!now"),
        Row(.stale, .origin, "[2]", orFailing: "!now"),
        Row(.stale, .cache, "!NoSuchElementError"),
        Row(.none, .both, "[2]", orFailing: "!now"),
        Row(.none, .origin, "[2]", orFailing: "!now"),
        Row(.none, .cache, "!NoSuchElementError"),
        Row(.loadingValid, .both, "[2]", orFailing: "[1]"),
        Row(.loadingValid, .origin, "[2]", orFailing: "!now"),
        Row(.loadingValid, .cache, "[2]", orFailing: "[1]"),
        Row(.loadingStale, .both, "[2]", orFailing: "!now"),
        Row(.loadingStale, .origin, "[2]", orFailing: "!now"),
        Row(.loadingStale, .cache, "[2]", orFailing: "!now"),
        Row(.loading, .both, "[2]", orFailing: "!now"),
        Row(.loading, .origin, "[2]", orFailing: "!now"),
        Row(.loading, .cache, "[2]", orFailing: "!now"),
        Row(.errorValid, .both, "[2]", orFailing: "[1]"),
        Row(.errorValid, .origin, "[2]", orFailing: "!now"),
        Row(.errorValid, .cache, "[1]"),
        Row(.errorStale, .both, "[2]", orFailing: "!now"),
        Row(.errorStale, .origin, "[2]", orFailing: "!now"),
        Row(.errorStale, .cache, "!earlier"),
        Row(.error, .both, "[2]", orFailing: "!now"),
        Row(.error, .origin, "[2]", orFailing: "!now"),
        Row(.error, .cache, "!earlier"),
    ]

    @Test("requireData", arguments: rows, StoreLab.Setting.all)
    func required(_ row: Row, _ setting: StoreLab.Setting) async {
        await row.script(failing: false, .require(row.place)).run(setting)
        await row.script(failing: true, .require(row.place)).run(setting)
    }

    @Test("getData gives nil where requireData fails", arguments: rows, StoreLab.Setting.all)
    func got(_ row: Row, _ setting: StoreLab.Setting) async {
        await row.script(failing: false, .get(row.place)).run(setting)
        await row.script(failing: true, .get(row.place)).run(setting)
    }

    @Test(
        "what was just fetched is given, also when it is to be fetched again at once", .rule("StoreFlowable F7"),
        arguments: StoreLab.Setting.all)
    func alwaysStale(_ setting: StoreLab.Setting) async {
        for place in [GettingFrom.both, .origin] {
            let script = StoreScript(
                "from \(place)", .plain, .empty, savesStale: true,
                [
                    (.call(.require(place)), []), (.answer([2]), []), (.ended(["[2]"]), []),
                    (.asked(.needRefresh, []), []), (.call(.require(.cache)), []),
                    (.ended(["[2]", "!NoSuchElementError"]), []),
                ])
            await script.run(setting)
        }
    }
}
