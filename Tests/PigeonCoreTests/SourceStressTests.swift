import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

/// Many tasks on few keys, with real threads. No test waits for time to pass: each wait is for a condition that must
/// become true.
@Suite("Many tasks at once on sources of truth", .serialized, .timeLimit(.minutes(5)))
struct SourceStressTests {
    /// The content of a source: the fetch that it comes from, the pages, and the program's changes.
    private struct Ledger: Equatable, Sendable {
        /// The time at which the fetch was requested.
        var asked: Int
        var pages: [Int] = []
        var changes: [Int] = []
    }

    private final class Page: LoadedPage {
        let number: Int
        let follows: [Int]

        init(number: Int, follows: [Int]) {
            (self.number, self.follows) = (number, follows)
        }

        func added(to pages: Payload) -> Payload? { nil }
    }

    /// Numbers requests in the order in which they are made.
    private final class Ticks: Sendable {
        private let count = Locked(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    /// A source that hesitates, sometimes fails, and detects when it is used wrongly.
    private final class LedgerSource: AnySource, Pager {
        private struct State {
            var ledger: Ledger?
            var isStale = false
            var running = 0
            var lastChange = 0
            var handlers: [Int: @Sendable () -> Void] = [:]
            var nextID = 0
            var problems: Set<String> = []
            var changes = 0
        }

        let queue = JobQueue()
        private let state = Locked(State())
        private let random: SeededRandom
        private let tells: Bool
        let readsAtOnce: Bool

        init(seed: UInt64, tells: Bool, readsAtOnce: Bool) {
            random = SeededRandom(seed: seed)
            self.tells = tells
            self.readsAtOnce = readsAtOnce
        }

        var ledger: Ledger? { state.withLock { $0.ledger } }
        var problems: Set<String> { state.withLock { $0.problems } }
        var changeCount: Int { state.withLock { $0.changes } }

        private func use<Result: Sendable>(
            isChange: Bool, mayFail: Bool = true, _ body: @Sendable (inout State) -> Result
        ) async throws -> Result {
            state.withLock { state in
                state.running += 1
                if state.running > 1 { state.problems.insert("two jobs at once") }
            }
            defer { state.withLock { $0.running -= 1 } }
            if random.once(in: 2) { await Task.yield() }
            if mayFail, random.once(in: 20) { throw Trouble.first }
            let result = state.withLock { body(&$0) }
            if random.once(in: 3) { await Task.yield() }
            if isChange, tells {
                for handler in state.withLock({ Array($0.handlers.values) }) { handler() }
            }
            // Some calls fail after they have taken effect.
            if mayFail, random.once(in: 20) { throw Trouble.second }
            return result
        }

        /// Adds a change of the program.
        func note(_ number: Int, asked: Int) async throws {
            try await use(isChange: true) { state in
                state.ledger = state.ledger ?? Ledger(asked: 0)
                state.ledger?.changes.append(number)
            }
            // A change whose call throws does not count.
            state.withLock { state in
                state.lastChange = max(state.lastChange, asked)
                state.changes += 1
            }
        }

        func read() async throws -> SourceContent? {
            let ledger = try await use(isChange: false, mayFail: false) { $0.ledger }
            return ledger.map { SourceContent(PayloadOf($0)) }
        }

        func readNow() -> SourceContent? {
            state.withLock { state in
                if state.running > 0 { state.problems.insert("read at once during a job") }
                return state.ledger.map { SourceContent(PayloadOf($0), .known(isStale: state.isStale)) }
            }
        }

        func isStale(_ payload: Payload) async throws -> Bool { state.withLock { $0.isStale } }

        func save(_ payload: Payload, at date: Date) async throws {
            guard let ledger = (payload as? PayloadOf<Ledger>)?.value else { return }
            try await use(isChange: true) { state in
                // Two clients do not know each other's changes.
                if ledger.asked < state.lastChange, !self.tells { state.problems.insert("a change was lost") }
                state.ledger = ledger
                state.isStale = false
            }
        }

        func add(_ page: any LoadedPage, _ direction: PageDirection) async throws -> Bool {
            guard let page = page as? Page else { return false }
            return try await use(isChange: true) { state in
                guard let pages = state.ledger?.pages, pages == page.follows else { return false }
                state.ledger?.pages = direction == .next ? pages + [page.number] : [page.number] + pages
                return true
            }
        }

        func clear() async throws {
            try await use(isChange: true, mayFail: false) { $0.ledger = nil }
        }

        func markStale() async throws {
            try await use(isChange: false) { $0.isStale = true }
        }

        func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription? {
            guard tells else { return nil }
            let id = state.withLock { state in
                state.nextID += 1
                state.handlers[state.nextID] = handler
                return state.nextID
            }
            return QuerySubscription { [weak self] in
                let old = self?.state.withLock { $0.handlers.removeValue(forKey: id) }
                _ = old
            }
        }

        func canLoad(_ direction: PageDirection, from pages: Payload) -> Bool {
            ((pages as? PayloadOf<Ledger>)?.value.pages.count ?? .max) < 4
        }

        func load(_ direction: PageDirection, from pages: Payload, run: FetchRun) async throws -> (any LoadedPage)? {
            guard canLoad(direction, from: pages) else { return nil }
            await Task.yield()
            if random.once(in: 10) { throw Trouble.second }
            return Page(number: random.below(1_000), follows: (pages as? PayloadOf<Ledger>)?.value.pages ?? [])
        }
    }

    /// A few keys, each with its own source.
    private struct Subjects: Sendable {
        let ticks = Ticks()
        let sources: [LedgerSource]

        init(seed: UInt64, tells: Bool) {
            sources = (0..<4).map { index in
                LedgerSource(
                    seed: seed &* 100 &+ UInt64(index), tells: tells, readsAtOnce: index.isMultiple(of: 2))
            }
        }

        func definition(_ index: Int) -> QueryDefinition<Ledger> {
            let (source, ticks) = (sources[index], ticks)
            let fetcher = AnyFetcher(pager: source, source: source) { run in
                let ledger = Ledger(asked: ticks.next())
                if ledger.asked.isMultiple(of: 3) { await Task.yield() }
                if ledger.asked.isMultiple(of: 7) { FetchContext(run: run).yield(ledger) }
                if ledger.asked.isMultiple(of: 11) { return .failure(Trouble.second) }
                return .value(PayloadOf(ledger))
            }
            return QueryDefinition(key: QueryKey("ledgers", index), fetcher: fetcher).staleAfter(.never)
        }

        /// Adds a change of the program to the ledger.
        func change(_ index: Int, on client: QueryClient) async {
            let asked = ticks.next()
            try? await client.change(definition(index)) { [source = sources[index]] in
                try await source.note(asked, asked: asked)
            }
        }
    }

    private static func isBusy(_ client: QueryClient) -> Bool {
        client.inspect().entries.values.contains { place in
            place.entry.activity != .idle || place.entry.hasSideWork
        }
    }

    /// Waits until nothing is being read, fetched or saved.
    private static func rest(_ clients: [QueryClient], _ subjects: Subjects, _ crowd: Crowd) async {
        for _ in 0..<2 {
            // Another client may cause new work in a client that is idle.
            await crowd.until { !clients.contains(where: isBusy) && !clients.contains(where: isBusy) }
            for index in subjects.sources.indices {
                _ = try? await clients.first?.look(at: subjects.definition(index))
            }
        }
        await crowd.until { !clients.contains(where: isBusy) && !clients.contains(where: isBusy) }
    }

    /// Checks that each entry shows the content of its source.
    private static func check(_ client: QueryClient, _ subjects: Subjects, _ crowd: Crowd) {
        let places = client.inspect().entries
        for (index, source) in subjects.sources.enumerated() {
            #expect(source.problems == [], "\(crowd)")
            if crowd.rounds > 100 { #expect(source.changeCount > 0) }
            guard let place = places[QueryKey("ledgers", index)] else { continue }
            #expect(place.entry.callers.isEmpty, "\(crowd)")
            #expect(place.entry.sourceWork.emptyings == 0, "\(crowd)")
            let shown = (place.entry.shown as? PayloadOf<Ledger>)?.value
            guard place.entry.sourceWork.wasRead || shown != nil else { continue }
            #expect(shown == source.ledger, "\(crowd)")
        }
    }

    private static func act(on client: QueryClient, _ subjects: Subjects, _ random: SeededRandom, _ crowd: Crowd) async
    {
        let index = random.below(subjects.sources.count)
        let definition = subjects.definition(index)
        switch random.below(20) {
        case 0, 1: _ = try? await client.consult(definition, .ifStale(.requested))
        case 2: _ = try? await client.consult(definition, .always(.requested))
        case 3: _ = try? await client.consult(definition, .nothing)
        case 4, 5, 6: await subjects.change(index, on: client)
        case 7: _ = try? await client.page(.next, of: definition)
        case 8: _ = try? await client.page(.previous, of: definition, repeatsFailed: random.once(in: 2))
        case 9: try? await client.clear(definition)
        case 10: await client.invalidate(.path("ledgers"), refetch: random.once(in: 2) ? .all : .none)
        case 11: await client.invalidate(.key("ledgers", index))
        case 12: client.reset(.key("ledgers", index))
        case 13: client.remove(.key("ledgers", index))
        case 14: client.cancel(.key("ledgers", index))
        case 15:
            let observer = client.observe(definition)
            await Task.yield()
            observer.observe(subjects.definition(random.below(subjects.sources.count)))
            observer.cancel()
        case 16:
            let task = crowd.environment.launch { _ = try? await client.consult(definition, .always(.requested)) }
            if random.once(in: 2) { await Task.yield() }
            task.cancel()
            await task.value
        case 17 where random.once(in: 10): _ = try? await client.clear()
        case 18: client.dropUnobserved()
        default: _ = try? await client.look(at: definition)
        }
    }

    @Test("Whatever runs, an entry shows in the end what its source holds, and no change is lost", arguments: 1...3)
    func oneClient(seed: UInt64) async { await Self.oneClient(.onThreads(seed: seed)) }

    static func oneClient(_ crowd: Crowd) async {
        let client = QueryClient(environment: crowd.environment)
        let subjects = Subjects(seed: crowd.seed, tells: false)
        // Half of the keys are observed all the time.
        let observers = (0..<2).map { client.observe(subjects.definition($0)) }
        await crowd.act { random in await act(on: client, subjects, random, crowd) }
        await rest([client], subjects, crowd)
        check(client, subjects, crowd)
        withExtendedLifetime(observers) {}
    }

    @Test("Two clients over sources that tell of changes show the same in the end")
    func twoClients() async { await Self.twoClients(.onThreads(seed: 3)) }

    static func twoClients(_ crowd: Crowd) async {
        let clients = (0..<2).map { _ in QueryClient(environment: crowd.environment) }
        let subjects = Subjects(seed: crowd.seed, tells: true)
        let observers = clients.flatMap { client in
            subjects.sources.indices.map { client.observe(subjects.definition($0)) }
        }
        await crowd.act { random in await act(on: clients[random.below(2)], subjects, random, crowd) }
        await rest(clients, subjects, crowd)
        for client in clients { check(client, subjects, crowd) }
        withExtendedLifetime(observers) {}
    }

    @Test("A client that is let go while its sources work is freed")
    func freed() async throws {
        for seed in 0..<20 {
            let subjects = Subjects(seed: UInt64(seed), tells: true)
            weak var client: QueryClient?
            do {
                let made = QueryClient()
                client = made
                let random = SeededRandom(seed: UInt64(seed))
                let observers = subjects.sources.indices.map { made.observe(subjects.definition($0)) }
                for _ in 0..<5 { await Self.act(on: made, subjects, random, .onThreads()) }
                withExtendedLifetime(observers) {}
            }
            await until { client == nil }
        }
    }
}
