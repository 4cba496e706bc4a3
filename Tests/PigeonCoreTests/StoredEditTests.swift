import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Edits of what is not in memory")
struct StoredEditTests {
    private let store = RecordStoreDouble()
    private let lab: QueryLab
    private let server: MutationServer
    private var client: QueryClient { lab.client }
    private let start = Date(timeIntervalSinceReferenceDate: 0)
    private struct Refused: Error {}

    init() throws {
        lab = QueryLab(cache: store)
        server = MutationServer(lab)
        try store.put("Ann", for: "user", savedAt: start)
    }

    private let user = QueryDefinition<String>.value("user").staleAfter(.never).persisted()
    private let plain = QueryDefinition<String>.value("user")

    private func edit(_ definition: QueryDefinition<String>, _ suffix: String) -> ScriptedMutation {
        var mutation = ScriptedMutation(server)
        mutation.edits = { $0.update(definition) { $0 += suffix } }
        return mutation
    }

    // MARK: Reading and writing

    @Test("an update edits what is only on disk", .rule("E10"))
    func update() {
        #expect(client.update(user) { $0 += "!" })
        lab.flush()
        #expect(store.get(for: "user") == "Ann!")
        #expect(!client.update(QueryDefinition<String>.value("nobody").persisted()) { $0 += "!" })
        #expect(!client.update(QueryDefinition<String>.value("nobody")) { $0 += "!" })
        #expect(!client.update(QueryDefinition<Int>.value("user").persisted()) { $0 += 1 })
        #expect(client.value(of: user) == "Ann!")
    }

    @Test("a value that is replaced is not looked for", .rule("F9", "A63"))
    func replaced() throws {
        try client.set("Bea", for: user)
        #expect(client.value(of: user) == "Bea")
        let observer = client.observe(user)
        #expect(observer.value == "Bea")
        lab.flush()
        #expect(store.reads.isEmpty)
        #expect(store.get(for: "user") == "Bea")
        #expect(lab.log.filter { $0.contains("hydrated") }.isEmpty)
    }

    @Test("a value that is set while a mutation edits it shows the edit, and is stored without it", .rule("F9"))
    func replacedDuringMutation() throws {
        lab.mutate(edit(user, "!"))
        try client.set("Bea", for: user)
        #expect(client.value(of: user) == "Bea!")
        lab.flush()
        #expect(store.get(for: "user") == "Bea")
        server.fail(with: Refused())
        #expect(client.value(of: user) == "Bea")
    }

    @Test("so does one that is being written when the mutation starts", .rule("F9"))
    func mutationDuringReplacement() throws {
        let isFirst = Locked(true)
        // An edit of a path does not read the cache for entries that have not been read.
        var wide = ScriptedMutation(server)
        wide.edits = { $0.update(.path("user"), as: String.self) { $0 += "!" } }
        let mutation = wide
        let definition = user.staleAfter { [lab, client] (_: String) -> StaleTime in
            let starts = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            if starts { _ = lab.start { try await client.mutate(mutation) } }
            return .never
        }
        try client.set("Bea", for: definition)
        #expect(client.value(of: "user", as: String.self) == "Bea!")
        #expect(client.observe(user).value == "Bea!")
        server.fail(with: Refused())
        #expect(client.value(of: user) == "Bea")
        lab.flush()
        #expect(store.get(for: "user") == "Bea")
    }

    @Test("a value that is written while a change is being confirmed is what is stored", .rule("A22"))
    func writtenDuringConfirmation() {
        let isConfirming = Locked(false)
        var first = ScriptedMutation(server)
        first.edits = { [client, user] edits in
            edits.update(user) { name in
                name += "!"
                let isFirst = isConfirming.withLock { confirming in
                    defer { confirming = false }
                    return confirming
                }
                if isFirst { try? client.set("Bea", for: user) }
            }
        }
        lab.mutate(first)
        lab.mutate(edit(user, "?"))
        isConfirming.withLock { $0 = true }
        server.succeed(0)
        #expect(client.value(of: user) == "Bea!?")
        lab.flush()
        #expect(store.get(for: "user") == "Bea")
    }

    @Test("a mutation's answer edits what is only on disk", .rule("E10"))
    func writes() {
        var mutation = ScriptedMutation(server)
        mutation.writes = { [user] output, writes in writes.update(user) { $0 = output } }
        lab.mutate(mutation)
        server.succeed(with: "Bea")
        lab.flush()
        #expect(store.get(for: "user") == "Bea")
    }

    @Test("value and snapshot of a persisted definition find what is on disk, and read it once", .rule("E10"))
    func reads() {
        #expect(client.value(of: "user", as: String.self) == nil, "a key alone reads memory only")
        #expect(client.value(of: plain) == nil)
        #expect(client.entries().isEmpty)
        #expect(client.snapshot(of: user).value == "Ann")
        #expect(client.value(of: user) == "Ann")
        #expect(client.value(of: "user", as: String.self) == "Ann")
        let nobody = QueryDefinition<String>.value("nobody").persisted()
        for _ in 1...3 { #expect(client.value(of: nobody) == nil) }
        #expect(store.reads == ["user", "nobody"])
        lab.advance(by: .seconds(300))
        #expect(client.count == 0, "what was read is collected like what was observed")
    }

    // MARK: Optimistic edits

    @Test(
        "an optimistic edit shows on an entry that is first fetched while the mutation runs", .rule("E10"),
        arguments: [true, false])
    func fetchedMeanwhile(succeeds: Bool) {
        let fetcher = lab.fetcher(returning: String.self)
        lab.mutate(edit(.value("post"), "!"))
        let observer = client.observe(QueryDefinition("post", fetch: fetcher.fetch).staleAfter(.never))
        fetcher.succeed(with: "a")
        #expect(observer.value == "a!")
        #expect(observer.snapshot.isOptimistic)
        if succeeds { server.succeed() } else { server.fail(with: Refused()) }
        #expect(observer.value == (succeeds ? "a!" : "a"))
        #expect(!observer.snapshot.isOptimistic)
        #expect(client.value(of: "post") == (succeeds ? "a!" : "a"))
    }

    @Test(
        "an optimistic edit shows in the first snapshot of an entry that is first read from disk", .rule("E10"),
        arguments: [true, false])
    func readMeanwhile(succeeds: Bool) {
        lab.mutate(edit(plain, "!"))
        #expect(client.count == 0)
        let seen = Locked<[String?]>([])
        let observer = client.observe(user) { snapshot in seen.withLock { $0.append(snapshot.value) } }
        #expect(observer.value == "Ann!")
        lab.flush()
        #expect(store.get(for: "user") == "Ann")
        #expect(seen.withLock { !$0.contains("Ann") })
        if succeeds { server.succeed() } else { server.fail(with: Refused()) }
        #expect(observer.value == (succeeds ? "Ann!" : "Ann"))
        lab.flush()
        #expect(store.get(for: "user") == (succeeds ? "Ann!" : "Ann"))
    }

    @Test("an optimistic edit of a persisted definition reaches the disk, though nobody opens it", .rule("E10"))
    func unopened() {
        lab.mutate(edit(user, "!"))
        client.dropUnobserved()
        #expect(client.value(of: user) == "Ann!")
        server.succeed()
        lab.flush()
        #expect(store.get(for: "user") == "Ann!")
    }

    @Test("edits of several running mutations are put on in order, and each is taken off by itself", .rule("E10"))
    func several() {
        for suffix in ["1", "2", "3"] { lab.mutate(edit(plain, suffix)) }
        let observer = client.observe(user)
        #expect(observer.value == "Ann123")
        server.fail(1, with: Refused())
        #expect(observer.value == "Ann13")
        lab.mutate(edit(plain, "4"))
        #expect(observer.value == "Ann134")
        for _ in 1...3 { server.fail(with: Refused()) }
        #expect(observer.value == "Ann")
    }

    @Test("an entry that is removed and read again while a mutation runs shows its edit once", .rule("E10"))
    func removedMeanwhile() throws {
        lab.mutate(edit(user, "!"))
        client.remove(.key("user"))
        lab.flush()
        try client.set("Bea", for: user)
        #expect(client.observe(user).value == "Bea!")
        server.succeed()
        #expect(client.value(of: user) == "Bea!")
    }

    @Test(
        "an entry that is opened after the mutation has ended does not show its edit", .rule("E10"),
        arguments: [true, false])
    func openedAfter(succeeds: Bool) throws {
        lab.mutate(edit(.value("post"), "!"))
        if succeeds { server.succeed() } else { server.fail(with: Refused()) }
        try client.set("a", for: "post")
        #expect(client.value(of: "post") == "a")
    }

    @Test("an edit of another type than the entry that is opened is reported, and does not show", .rule("E10"))
    func otherType() throws {
        lab.mutate(edit(.value("post"), "!"))
        try client.set(1, for: "post")
        #expect(client.value(of: "post") == 1)
        #expect(lab.log.contains { $0.hasPrefix("post misuse") })
        server.succeed()
        #expect(client.value(of: "post") == 1)
    }

    @Test("no edit of before a sign-out shows on what is opened after it", .rule("E10"))
    func signedOut() throws {
        let task = lab.mutate(edit(.value("post"), "!"))
        _ = lab.start { [client] in try await client.clear() }
        try client.set("a", for: "post")
        #expect(client.value(of: "post") == "a")
        lab.mutate(edit(.value("post"), "?"))
        #expect(client.value(of: "post") == "a?")
        while server.pendingCount > 0 { server.succeed() }
        #expect(task.error is CancellationError)
        #expect(client.value(of: "post") == "a?")
    }

    @Test("a mutation that was preparing its optimistic change during a sign-out does not show it", .rule("E16"))
    func preparedDuringSignOut() {
        var mutation = ScriptedMutation(server)
        mutation.edits = { [lab] edits in
            edits.set("mine", for: .value("post"))
            // Runs on this thread until it waits for the caches, so the client is cleared before the edits are
            // committed.
            _ = QueryEnvironment.launchImmediately { [client = lab.client] in _ = try? await client.clear() }
        }
        lab.mutate(mutation)
        #expect(client.value(of: "post", as: String.self) == nil)
        while server.pendingCount > 0 { server.succeed() }
    }
}
