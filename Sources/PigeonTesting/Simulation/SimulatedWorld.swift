import PigeonCore

/// A client, its surroundings, and all who use it, as a simulation sees them.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class SimulatedWorld {
    typealias List = Pages<[SimulatedValue], Int>

    /// One kind of query in play.
    struct Subject {
        let definition: QueryDefinition<SimulatedValue>
        var key: QueryKey { definition.key }
    }

    struct Watch {
        let observer: SimulatedObserver
        let handle: AnyObject
        let version: () -> UInt64
        let setEnabled: (Bool) -> Void
    }

    struct Wait {
        let description: String
        let isDone: () -> Bool
        let error: () -> (any Error)?
        let cancel: () -> Void
        var wasCancelled = false
    }

    var lab: QueryLab?
    let server = SimulatedServer()
    let mutationServer = SimulatedServer()
    let store = SimulatedStore()
    let dice: SeededRandom
    var subjects: [Subject] = []
    let list: QueryDefinition<List>
    var watches: [Watch] = []
    var waits: [Wait] = []
    var epoch = 0
    var mutationCount = 0
    weak var released: QueryClient?
    var newest: [QueryKey: Int] = [:]
    /// What the program wrote itself: a fetch asked before may replace it.
    var written: Set<Int> = []
    let deafKeys: Set<QueryKey> = [QueryKey("b", 1), QueryKey("c")]

    var listCalls: [Int] = []
    var listener: QuerySubscription?
    /// The edits of mutations that have not ended, by the key they are shown at.
    var pendingEdits: [QueryKey: Set<UInt64>] = [:]
    var mutating: [UInt64: (key: QueryKey, isDone: () -> Bool)] = [:]

    var fetchCount: Int { server.count }
    private(set) var eventCount = 0
    var notificationCount: Int { seen + watches.map(\.observer.count).reduce(0, +) }
    var seen = 0

    init(seed: UInt64) {
        dice = SeededRandom(seed: seed)
        lab = QueryLab(seed: seed &+ 1, cache: store)
        let server = server
        func fetcher(
            deaf: Bool = false
        ) -> @Sendable (FetchContext<SimulatedValue>) async throws -> SimulatedValue {
            { context in
                let number = try await server.ask(context.key, isPage: false, deaf: deaf, context: context)
                return number
            }
        }
        let base = [
            QueryDefinition(key: QueryKey("a", 1), fetch: fetcher()),
            QueryDefinition(key: QueryKey("a", 2), fetch: fetcher()).staleAfter(.seconds(20)).retry(.standard),
            QueryDefinition(key: QueryKey("a", 2, "deep"), fetch: fetcher()).whenAbandoned(.cancel).keepFor(
                .seconds(5)),
            QueryDefinition(key: QueryKey("b", 1), fetch: fetcher(deaf: true)).poll(every: .seconds(7)).tagged("t"),
            QueryDefinition(key: QueryKey("b", 2), fetch: fetcher()).persisted().staleAfter(.minutes(1)).tagged(
                "t", "u"),
            QueryDefinition(key: QueryKey("c"), fetch: fetcher(deaf: true)).networkMode(.offlineFirst)
                .retry(RetryPolicy(limit: 2)).timeLimit(.seconds(40)).persisted(),
        ]
        subjects = base.map { Subject(definition: $0) }
        list = QueryDefinition.pages(key: QueryKey("list"), first: 0) { page, context in
            [try await server.ask(context.key, isPage: true, deaf: page % 2 == 0, context: nil)]
        } next: { _, page in
            page < 6 ? page + 1 : nil
        } previous: { _, page in
            page > -4 ? page - 1 : nil
        }
        listener = lab?.client.onEvent { event in
            if case .fetching(attempt: 1) = event.kind, event.key == "list" { server.beginRefresh() }
        }
    }

    // MARK: Steps

    /// Does one thing.
    func step() -> (kind: String, detail: String) {
        guard let lab else { return ("nothing", "") }
        let subject = subjects[dice.below(subjects.count)]
        defer {
            lab.settle()
            eventCount += lab.clearLog().count
        }
        switch dice.below(100) {
        case 0..<12: return ("observe", observe(subject, lab))
        case 12..<19: return ("drop", drop())
        case 19..<28: return ("fetch", fetch(subject, lab))
        case 28..<46: return ("answer", answer(lab, fails: false))
        case 46..<54: return ("fail", answer(lab, fails: true))
        case 54..<58: return ("yield", yieldValue())
        case 58..<61: return ("cancel waiter", cancelWait())
        case 61..<63:
            lab.client.cancel(.key(subject.key))
            return ("cancel", "\(subject.key)")
        case 63..<66: return ("write", write(subject, lab))
        case 66..<72: return ("invalidate", invalidate(subject, lab))
        case 72..<77: return ("mutate", mutate(subject, lab))
        case 77..<80: return ("settle mutation", settleMutation())
        case 80..<86: return ("page", page(lab))
        case 86..<88:
            let isOnline = dice.once(in: 2)
            lab.setOnline(isOnline)
            return ("network", "\(isOnline)")
        case 88..<90:
            let isActive = dice.once(in: 2)
            lab.setActive(isActive)
            return ("foreground", "\(isActive)")
        case 90..<97:
            let seconds = [1, 1, 3, 8, 30, 400][dice.below(6)]
            lab.advance(by: .seconds(seconds))
            return ("time", "\(seconds) s")
        case 97: return ("reset", reset(subject, lab))
        case 98: return ("toggle", toggle())
        default: return clear(lab)
        }
    }
}
