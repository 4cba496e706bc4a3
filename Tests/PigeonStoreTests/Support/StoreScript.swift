import PigeonStore
import PigeonTesting
import Testing

/// One row of a table: the steps of a test with a store, and the states that are seen after each.
struct StoreScript: Sendable, CustomTestStringConvertible {
    /// The initial content of the cache.
    enum Start: Sendable {
        case empty
        case valid([Int], next: String? = nil, prev: String? = nil)
        case stale([Int], next: String? = nil, prev: String? = nil)
    }

    enum Step: Sendable {
        /// Observes the store. Only the states of the first observer are checked.
        case watch(forced: Bool = false)
        case leave
        case call(StoreLab.Request)
        case cancelCall
        case answer([Int], next: String? = nil, prev: String? = nil, to: String = "fetch")
        case fail(any Error = Broken("boom"), to: String = "fetch")
        /// Makes the cached data stale.
        case expire
        /// Removes the data from the cache without a notification.
        case lose
        case advance(Duration)

        /// Checks the outcomes of the calls, in order: `…` if a call has not ended, `-` for any outcome.
        case ended([String])
        /// Checks the calls of the origin since the last check.
        case fetched([String])
        /// Checks the calls of a function of the cache since the last check.
        case asked(StoreLab.Function, [String])
        case holds(String)
    }

    let testDescription: String
    var kind = StoreLab.Kind.plain
    var start = Start.empty
    var troubles: [StoreLab.Function: StoreLab.Trouble] = [:]
    /// True if data that is saved must be fetched again at once.
    var savesStale = false
    /// The steps, each with the states that are seen after it.
    let steps: [(Step, [String])]

    init(
        _ name: String, _ kind: StoreLab.Kind = .plain, _ start: Start = .empty,
        troubles: [StoreLab.Function: StoreLab.Trouble] = [:], savesStale: Bool = false, _ steps: [(Step, [String])]
    ) {
        self.troubles = troubles
        self.savesStale = savesStale
        testDescription = name
        self.kind = kind
        self.start = start
        self.steps = steps
    }

    func run(_ setting: StoreLab.Setting, location: SourceLocation = #_sourceLocation) async {
        let bench = StoreLab(setting, kind)
        bench.place.change { ($0.troubles, $0.savesStale) = (troubles, savesStale) }
        bench.place.put(start)
        var logs: [StoreLog] = []
        var outcomes: [StoreLab.Outcome] = []
        for (index, (step, states)) in steps.enumerated() {
            let place = "step \(index + 1) of \(testDescription)"
            switch step {
            case .watch(let forced): logs.append(bench.watch(forceRefresh: forced))
            case .leave: logs.first?.cancel()
            case .call(let request): outcomes.append(bench.begin(request))
            case .cancelCall: outcomes.last?.cancel()
            case .answer(let data, let next, let prev, let call):
                await bench.asks(call)
                bench.answer(data, next: next, prev: prev, to: call, location: location)
            case .fail(let error, let call):
                await bench.asks(call)
                bench.fail(error, to: call, location: location)
            case .expire: bench.place.change { $0.isStale = true }
            case .lose: bench.place.change { $0.data = nil }
            case .advance(let time): bench.lab.advance(by: time)
            case .ended(let expected):
                for (outcome, wanted) in zip(outcomes, expected) where wanted != "-" {
                    let hides = setting.shape == .factories && outcome.request.hidesErrors && wanted.hasPrefix("!")
                    let text = wanted == "…" ? outcome.text ?? "…" : await bench.end(of: outcome)
                    #expect(text == (hides ? "done" : wanted), "\(place)", sourceLocation: location)
                }
                #expect(outcomes.count == expected.count, "\(place)", sourceLocation: location)
            case .fetched(let calls):
                await bench.wait { bench.origin.asked.count >= calls.count }
                #expect(bench.origin.takeCalls() == calls, "\(place)", sourceLocation: location)
            case .asked(let function, let notes):
                let asked = bench.place.takeCalls().filter { $0.hasPrefix(function.rawValue) }
                #expect(asked == notes, "\(place)", sourceLocation: location)
            case .holds(let text): #expect(bench.place.text == text, "\(place)", sourceLocation: location)
            }
            bench.settle()
            #expect((logs.first?.take() ?? []) == states, "\(place)", sourceLocation: location)
        }
        for log in logs { log.cancel() }
        bench.settle()
    }
}
