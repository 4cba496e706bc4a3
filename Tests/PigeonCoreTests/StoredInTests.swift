import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

/// A row of a database, shared by all tables that name it.
private final class StoredRow: Sendable {
    struct State {
        var content: Stored<String>?
        var calls: [String] = []
        var errors: [String: [any Error]] = [:]
        var held: Set<String> = []
        var gates: [CheckedContinuation<Void, Never>] = []
        var handlers: [Int: @Sendable () -> Void] = [:]
        var handlerCount = 0
        var running = 0
        var mostAtOnce = 0
    }

    let state: Locked<State>
    let notifies: Bool
    private let settle: @Sendable () -> Void

    init(_ content: Stored<String>? = nil, notifies: Bool = true, settle: @escaping @Sendable () -> Void = {}) {
        state = Locked(State(content: content))
        self.notifies = notifies
        self.settle = settle
    }

    /// The content after everything that was begun.
    var content: Stored<String>? {
        settle()
        return state.withLock { $0.content }
    }
    var calls: [String] { state.withLock { $0.calls } }
    var watcherCount: Int { state.withLock { $0.handlers.count } }
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }

    func takeCalls() -> [String] {
        state.withLock { state in
            defer { state.calls = [] }
            return state.calls
        }
    }

    func fail(_ function: String, with error: any Error = Trouble.first) {
        state.withLock { $0.errors[function, default: []].append(error) }
    }

    func hold(_ function: String) { state.withLock { _ = $0.held.insert(function) } }

    func release() {
        let gates = state.withLock { state in
            defer { (state.gates, state.held) = ([], []) }
            return state.gates
        }
        for gate in gates { gate.resume() }
    }

    /// Changes the row as another part of the program does.
    func put(_ content: Stored<String>?) {
        state.withLock { $0.content = content }
        notify()
        settle()
    }

    func notify() {
        for handler in state.withLock({ $0.handlers.sorted { $0.key < $1.key }.map(\.value) }) { handler() }
    }

    func perform<Result: Sendable>(_ function: String, _ body: (inout State) -> Result) async throws -> Result {
        let isHeld = state.withLock { state in
            state.calls.append(function)
            state.running += 1
            state.mostAtOnce = max(state.mostAtOnce, state.running)
            return state.held.contains(function)
        }
        defer { state.withLock { $0.running -= 1 } }
        if isHeld { await withCheckedContinuation { gate in state.withLock { $0.gates.append(gate) } } }
        let error = state.withLock { state in
            state.errors[function]?.isEmpty == false ? state.errors[function]?.removeFirst() : nil
        }
        if let error { throw error }
        return state.withLock { body(&$0) }
    }
}

/// A table of the program: a value that is made at each use.
private struct UserTable: SourceOfTruth {
    let row: StoredRow

    func load() async throws -> Stored<String>? { try await row.perform("load") { $0.content } }
    func save(_ stored: Stored<String>) async throws {
        try await row.perform("save") { $0.content = stored }
        row.notify()
    }
    func remove() async throws {
        try await row.perform("remove") { $0.content = nil }
        row.notify()
    }
    func onChange(_ handler: @escaping @Sendable () -> Void) -> QuerySubscription? {
        guard row.notifies else { return nil }
        let id = row.state.withLock { state in
            state.handlerCount += 1
            state.handlers[state.handlerCount] = handler
            return state.handlerCount
        }
        return QuerySubscription { [row] in _ = row.state.withLock { $0.handlers.removeValue(forKey: id) } }
    }
}

@Suite("Definitions that are stored in a source of truth", .rule("A88", "A89", "A90", "A91", "A92", "A93"))
struct StoredInTests {
    private let lab = QueryLab()
    private let row: StoredRow
    private let server: ScriptedFetcher<String>

    init() {
        server = lab.fetcher(returning: String.self)
        row = StoredRow { [lab] in lab.settle() }
    }

    private var client: QueryClient { lab.client }
    private var now: Date { lab.environment.wallClock() }

    /// Made anew at each use, as programs do.
    private func user(_ row: StoredRow? = nil, _ time: StaleTime = .seconds(60)) -> QueryDefinition<String> {
        QueryDefinition("users", 1, fetch: server.fetch).staleAfter(time).stored(in: UserTable(row: row ?? self.row))
    }

    private func put(_ value: String, age: Duration) {
        row.put(Stored(value, savedAt: now.addingTimeInterval(-Double(age.components.seconds))))
    }

    private func fetch(_ policy: FetchPolicy? = nil) -> LabTask<String> {
        let definition = user()
        return lab.start { [client] in try await client.fetch(definition, policy) }
    }

    // MARK: Reading

    @Test("Fresh content answers a caller, and nothing is fetched", .rule("A88"))
    func freshContent() {
        put("Ann", age: .seconds(30))
        #expect(fetch().value == "Ann")
        #expect(server.calls.isEmpty)
    }

    @Test("Content that is stale by the definition's time is shown, with its age, and fetched again", .rule("A88"))
    func staleContent() {
        put("Ann", age: .seconds(90))
        let observer = client.observe(user())
        #expect(observer.snapshot.brief == "Ann…")
        #expect(observer.snapshot.age.map { abs($0.inSeconds - 90) < 1 } == true)
        server.succeed(with: "Bea")
        #expect(observer.snapshot.brief == "Bea")
        #expect(row.content?.value == "Bea")
        #expect(row.content?.savedAt.map { abs($0.timeIntervalSince(now)) < 1 } == true)
    }

    @Test("Content without a date is stale, whatever the definition says", .rule("A88"))
    func contentWithoutDate() {
        row.put(Stored("Ann", savedAt: nil))
        let observer = client.observe(user(nil, .never))
        #expect(observer.snapshot.brief == "Ann…")
        server.succeed(with: "Bea")
        #expect(observer.snapshot.brief == "Bea")
    }

    @Test("A caller waits for the fetch of what is stale, as its policy says", .rule("A88"))
    func policies() {
        put("Ann", age: .seconds(90))
        #expect(fetch(.cacheOnly).value == "Ann")
        #expect(fetch(.staleWhileRevalidate(upTo: .minutes(5))).value == "Ann")
        #expect(server.pendingCount == 1)
        let fresh = fetch()
        #expect(fresh.result == nil)
        server.succeed(with: "Bea")
        #expect(fresh.value == "Bea")
        #expect(fetch().value == "Bea")
        #expect(server.calls.count == 1)
    }

    @Test("Nothing is fetched, and nothing is thrown as missing, before the source was read", .rule("A88"))
    func readsFirst() {
        put("Ann", age: .zero)
        row.hold("load")
        let (first, second) = (fetch(), fetch(.cacheOnly))
        #expect(first.result == nil && second.result == nil)
        #expect(server.calls.isEmpty)
        row.release()
        lab.settle()
        #expect(first.value == "Ann")
        #expect(second.value == "Ann")
        #expect(server.calls.isEmpty)
    }

    @Test("An empty source is fetched for; without a network policy, it has no value", .rule("A88"))
    func emptySource() {
        #expect(throws: QueryError.notCached(key: QueryKey("users", 1))) { try fetch(.cacheOnly).result?.get() }
        let task = fetch()
        server.succeed(with: "Ann")
        #expect(task.value == "Ann")
        #expect(row.content?.value == "Ann")
    }

    @Test("A cancelled caller stops waiting for a source that hangs", .rule("A88"))
    func cancelledCaller() {
        put("Ann", age: .zero)
        row.hold("load")
        let task = fetch()
        task.cancel()
        lab.settle()
        #expect(throws: CancellationError.self) { try task.result?.get() }
        row.release()
        lab.settle()
        #expect(fetch().value == "Ann")
    }

    @Test("Many queries are read at once, and the list comes in order", .rule("A88"))
    func manyQueries() {
        let rows = (0..<5).map { StoredRow(Stored("user \($0)", savedAt: now)) }
        let definitions = rows.enumerated().map { index, row in
            QueryDefinition("users", index, fetch: server.fetch).staleAfter(.never).stored(in: UserTable(row: row))
        }
        let task = lab.start { [client] in try await client.fetch(all: definitions) }
        #expect(task.value == (0..<5).map { "user \($0)" })
    }

    @Test("A value turns stale on the clock of its date, and a poll fetches it", .rule("A88"))
    func turnsStale() {
        put("Ann", age: .seconds(50))
        let observer = client.observe(user())
        #expect(observer.snapshot.brief == "Ann")
        lab.advance(by: .seconds(9))
        #expect(!observer.snapshot.isStale)
        lab.advance(by: .seconds(2))
        #expect(observer.snapshot.isStale)
    }

    @Test("A source that cannot be read is reported, and fetched for", .rule("A88"))
    func unreadable() {
        put("Ann", age: .zero)
        row.fail("load")
        let task = fetch()
        server.succeed(with: "Bea")
        #expect(task.value == "Bea")
        #expect(lab.log.contains { $0.contains("could not be read") })
    }

    // MARK: Following

    @Test("A change from elsewhere is shown while the query is observed, and ends with the last observer", .rule("A89"))
    func follows() {
        put("Ann", age: .zero)
        let observer = client.observe(user())
        put("Bea", age: .zero)
        #expect(observer.snapshot.brief == "Bea")
        row.put(nil)
        #expect(observer.snapshot.value == nil)
        #expect(row.watcherCount == 1)
        observer.cancel()
        #expect(row.watcherCount == 0)
        #expect(server.calls.isEmpty)
    }

    @Test("Without notifications, each caller has the source read", .rule("A89"))
    func silentSource() {
        let silent = StoredRow(Stored("Ann", savedAt: now), notifies: false)
        let definition = user(silent)
        let observer = client.observe(definition)
        silent.put(Stored("Bea", savedAt: now))
        #expect(observer.snapshot.brief == "Ann")
        let task = lab.start { [client] in try await client.fetch(definition) }
        #expect(task.value == "Bea")
        #expect(observer.snapshot.brief == "Bea")
    }

    @Test("Newer content from elsewhere ends an invalidation; older content does not", .rule("A89"))
    func newerContent() {
        put("Ann", age: .seconds(30))
        let observer = client.observe(user())
        let definition = user()
        _ = lab.start { [client] in await client.invalidate(definition, refetch: .none) }
        #expect(observer.snapshot.isStale)
        #expect(row.content?.savedAt == nil)
        put("Bea", age: .seconds(40))
        #expect(observer.snapshot.isStale)
        put("Cleo", age: .zero)
        #expect(observer.snapshot.brief == "Cleo")
    }

    // MARK: Saving

    @Test(
        "What is fetched is saved before it is shown; if that fails, the fetch fails, and the content stays",
        .rule("A90"))
    func savesBeforeShowing() {
        put("Ann", age: .seconds(90))
        row.hold("save")
        let observer = client.observe(user())
        server.succeed(with: "Bea")
        #expect(observer.snapshot.brief == "Ann…")
        row.release()
        lab.settle()
        #expect(observer.snapshot.brief == "Bea")

        row.fail("save")
        let again = user()
        let task = lab.start { [client] in try await client.refetch(again) }
        server.succeed(with: "Cleo")
        #expect(throws: Trouble.first) { try task.result?.get() }
        #expect(observer.snapshot.value == "Bea")
        #expect(row.content?.value == "Bea")
    }

    @Test("A server that says 'not modified' renews the date, and is asked with the validators it sent", .rule("A90"))
    func notModified() {
        let calls = Locked<[String?]>([])
        let definition = QueryDefinition<String>("users", 2) { context in
            calls.withLock { $0.append(context.validators.eTag) }
            guard context.validators.eTag == nil else { return try context.notModified() }
            context.validators = FetchValidators(eTag: "1")
            return "Ann"
        }.staleAfter(.seconds(60)).stored(in: UserTable(row: row))
        let observer = client.observe(definition)
        #expect(observer.snapshot.brief == "Ann")
        lab.advance(by: .seconds(90))
        #expect(observer.snapshot.isStale)
        _ = lab.start { [client] in _ = try await client.fetch(definition) }
        #expect(calls.withLock { $0 } == [nil, "1"])
        #expect(observer.snapshot.brief == "Ann")
        #expect(row.content?.savedAt.map { abs($0.timeIntervalSince(now)) < 1 } == true)
    }

    @Test("What the program writes is shown at once, saved, and not hidden by an earlier reading", .rule("A91"))
    func writes() throws {
        put("Ann", age: .zero)
        let shown = Recorder<String>()
        let observer = client.observe(user()) { shown.append($0.brief) }
        row.hold("load")
        row.notify()  // a reading that began before the write
        shown.clear()
        try client.set("Bea", for: user())
        #expect(observer.snapshot.brief == "Bea")
        row.release()
        lab.settle()
        #expect(shown.all == ["Bea"])
        #expect(row.content?.value == "Bea")
        #expect(client.update(user()) { $0 += "!" })
        #expect(observer.snapshot.brief == "Bea!")
        #expect(row.content?.value == "Bea!")
    }

    @Test("An edit of unread content reaches it, also of a definition that is persisted without a cache", .rule("A91"))
    func persistedToo() {
        put("Ann", age: .zero)
        #expect(!client.update(user().persisted()) { $0 += "!" })
        #expect(row.content?.savedAt == nil)
    }

    @Test("A write before the first reading is not hidden by it", .rule("A91"))
    func writesFirst() throws {
        put("Ann", age: .zero)
        try client.set("Bea", for: user())
        let observer = client.observe(user())
        #expect(observer.snapshot.brief == "Bea")
        #expect(row.content?.value == "Bea")
    }

    @Test("A write that cannot be saved is reported, and the content is shown again", .rule("A91"))
    func failedWrite() throws {
        put("Ann", age: .zero)
        let observer = client.observe(user())
        row.fail("save")
        try client.set("Bea", for: user())
        #expect(observer.snapshot.brief == "Ann")
        #expect(row.content?.value == "Ann")
        #expect(lab.log.contains { $0.contains("could not save what was written") })
    }

    @Test("An edit of content that is not read yet is not lost: the content is stale, and fetched", .rule("A91"))
    func editOfUnread() {
        put("Ann", age: .zero)
        #expect(!client.update(user()) { $0 += "!" })
        #expect(row.content?.savedAt == nil)
        let observer = client.observe(user())
        #expect(observer.snapshot.brief == "Ann…")
        server.succeed(with: "Ann!")
        #expect(observer.snapshot.brief == "Ann!")
    }

    // MARK: Changes

    private struct Rename: Mutating {
        let user: QueryDefinition<String>
        let gate: ScriptedFetcher<String>
        func run(_ context: MutationContext) async throws -> String {
            try await context.client.refetch(QueryDefinition("gate", fetch: gate.fetch))
        }
        func optimistic(_ edits: inout OptimisticEdits) { edits.update(user) { $0 += "!" } }
    }

    @Test(
        "An optimistic change is shown above the content, and saved once it is confirmed", .rule("A92"),
        arguments: [true, false])
    func optimisticChange(isConfirmed: Bool) {
        put("Ann", age: .zero)
        let (gate, definition) = (lab.fetcher(returning: String.self), user())
        let observer = client.observe(definition)
        let task = lab.start { [client] in try await client.mutate(Rename(user: definition, gate: gate)) }
        #expect(observer.snapshot.value == "Ann!")
        #expect(row.content?.value == "Ann")
        put("Bea", age: .zero)
        #expect(observer.snapshot.value == "Bea!")
        if isConfirmed { gate.succeed(with: "") } else { gate.fail(with: Trouble.second) }
        #expect(task.result != nil)
        #expect(observer.snapshot.value == (isConfirmed ? "Bea!" : "Bea"))
        #expect(row.content?.value == (isConfirmed ? "Bea!" : "Bea"))
    }

    @Test("A change begun before the content was read is shown above it", .rule("A92"))
    func changeBeforeReading() {
        put("Ann", age: .zero)
        let (gate, definition) = (lab.fetcher(returning: String.self), user())
        let task = lab.start { [client] in try await client.mutate(Rename(user: definition, gate: gate)) }
        let observer = client.observe(definition)
        #expect(observer.snapshot.value == "Ann!")
        gate.succeed(with: "")
        #expect(task.result != nil)
        #expect(row.content?.value == "Ann!")
    }

    @Test("A change that was confirmed while the content was unread leaves the content stale", .rule("A92"))
    func changeOfUnread() {
        put("Ann", age: .zero)
        let (gate, definition) = (lab.fetcher(returning: String.self), user())
        let task = lab.start { [client] in try await client.mutate(Rename(user: definition, gate: gate)) }
        gate.succeed(with: "")
        #expect(task.result != nil)
        #expect(row.content?.savedAt == nil)
    }

    // MARK: Invalidating and removing

    @Test("An invalidation marks the content, so that it is fetched after a restart", .rule("A93"))
    func invalidation() {
        put("Ann", age: .zero)
        let definition = user()
        #expect(fetch().value == "Ann")
        _ = lab.start { [client] in await client.invalidate(definition) }
        #expect(row.content == Stored("Ann", savedAt: nil))
        let next = QueryLab()
        let server = next.fetcher(returning: String.self)
        let observer = next.client.observe(
            QueryDefinition("users", 1, fetch: server.fetch).staleAfter(.never).stored(in: UserTable(row: row)))
        #expect(observer.snapshot.brief == "Ann…")
    }

    @Test(
        "Signing out empties the source; an answer that was asked for before is neither shown nor saved", .rule("A93"))
    func signingOut() {
        put("Ann", age: .seconds(90))
        let observer = client.observe(user())
        #expect(server.pendingCount == 1)
        _ = lab.start { [client] in try await client.clear() }
        #expect(row.content == nil)
        server.succeed(with: "Bea")
        #expect(observer.snapshot.value == nil)
        #expect(row.content == nil)
    }

    @Test("A write that waits to be saved does not come back after a sign-out", .rule("A93"))
    func writeBeforeSigningOut() throws {
        put("Ann", age: .zero)
        let observer = client.observe(user())
        row.hold("save")
        try client.set("Bea", for: user())
        let clearing = lab.start { [client] in try await client.clear() }
        row.release()
        lab.settle()
        #expect(clearing.result != nil)
        #expect(observer.snapshot.value == nil)
        #expect(row.content == nil)
    }

    // MARK: Jobs

    @Test("The functions of one key run one after the other, though the source is made at each call", .rule("A90"))
    func oneAtATime() {
        put("Ann", age: .seconds(90))
        row.hold("load")
        let tasks = (0..<4).map { _ in fetch() }
        _ = lab.start { [client, user = user()] in await client.invalidate(user) }
        try? client.set("Cleo", for: user())
        row.release()
        lab.settle()
        server.succeed(with: "Bea")
        for task in tasks { _ = task.result }
        #expect(row.mostAtOnce == 1)
    }

    @Test("A page is added to the stored list, unless the list has changed", .rule("A90"))
    func pages() {
        struct ListTable: SourceOfTruth {
            final class Content: Sendable {
                let stored = Locked<Stored<Pages<[Int], Int>>?>(nil)
            }
            let content = Content()
            func load() async throws -> Stored<Pages<[Int], Int>>? { content.stored.withLock { $0 } }
            func save(_ stored: Stored<Pages<[Int], Int>>) async throws { content.stored.withLock { $0 = stored } }
            func remove() async throws { content.stored.withLock { $0 = nil } }
        }
        let table = ListTable()
        let definition = QueryDefinition<Pages<[Int], Int>>.pages("numbers", first: 0) { page, _ in
            [page * 2, page * 2 + 1]
        } next: { _, page in
            page < 3 ? page + 1 : nil
        }.staleAfter(.never).stored(in: table)
        let observer = client.observe(definition)
        _ = lab.start { [client] in _ = try await client.fetchNextPage(of: definition) }
        #expect(observer.snapshot.value.map { Array($0.joined()) } == [0, 1, 2, 3])
        #expect(table.content.stored.withLock { $0 }.map { Array($0.value.joined()) } == [0, 1, 2, 3])
        // The next start shows both pages, and loads the third.
        let next = QueryLab()
        _ = next.start { [client = next.client] in _ = try await client.fetchNextPage(of: definition) }
        #expect(table.content.stored.withLock { $0 }.map { Array($0.value.joined()) } == [0, 1, 2, 3, 4, 5])
    }

    @Test("A value that is only stored, and never fetched, says so", .rule("A90"))
    func withoutFetcher() {
        let settings = QueryDefinition<String>.value("settings").stored(in: UserTable(row: row))
        let missing = lab.start { [client] in try await client.fetch(settings) }
        #expect(throws: QueryError.noFetcher(key: "settings")) { try missing.result?.get() }
        row.put(Stored("dark", savedAt: now))
        let task = lab.start { [client] in try await client.fetch(settings, FetchPolicy.cacheOnly) }
        #expect(task.value == "dark")
    }

    @Test("Whatever happens in whatever order, what is shown is what is stored", .rule("A88"), arguments: 0..<200)
    func anyOrder(seed: Int) {
        let random = SeededRandom(seed: UInt64(seed))
        let observer = client.observe(user())
        var number = 0
        for _ in 0..<60 {
            number += 1
            switch random.below(12) {
            case 0: put("outside \(number)", age: .seconds(random.below(100)))
            case 1: try? client.set("written \(number)", for: user())
            case 2: client.update(user()) { $0 += "+" }
            case 3: row.hold(random.pick(["load", "save", "remove"]) ?? "load")
            case 4: row.release()
            case 5: row.fail(random.pick(["load", "save"]) ?? "load")
            case 6: _ = fetch(random.pick([FetchPolicy.fresh, .cacheOnly, .networkOnly]))
            case 7: if server.pendingCount > 0 { server.succeed(with: "fetched \(number)") }
            case 8: if server.pendingCount > 0 { server.fail(with: Trouble.second) }
            case 9: client.remove(.query(user()))
            case 10: _ = lab.start { [client, user = user()] in await client.invalidate(user) }
            default: lab.advance(by: .seconds(random.below(40)))
            }
            lab.settle()
        }
        row.state.withLock { $0.errors = [:] }
        for _ in 0..<5 {
            row.release()
            lab.settle()
            while server.pendingCount > 0 { server.succeed(with: "last") }
            lab.settle()
        }
        row.notify()
        lab.settle()
        #expect(observer.snapshot.value == row.content?.value)
        #expect(row.mostAtOnce == 1)
        #expect(server.pendingCount == 0)
    }
}
