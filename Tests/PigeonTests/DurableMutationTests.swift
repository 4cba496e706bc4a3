import Pigeon
import PigeonTesting
import TestSupport
import Testing

/// A server that is given to clients, and answers when the test says so.
private final class TitleServer: Sendable {
    let fetcher: ScriptedFetcher<String>
    init(_ lab: QueryLab) { fetcher = lab.fetcher(returning: String.self) }
}

private struct SetTitle: DurableMutation {
    var title: String

    func run(_ context: MutationContext) async throws -> String {
        try await context[ServerBox.self].server().fetcher.call(title)
    }
    func optimistic(_ edits: inout OptimisticEdits) { edits.set(title, for: .value("title")) }
}

/// Holds the server, because a lab's fetchers are made after its client.
private final class ServerBox: Sendable {
    private let held = Locked<TitleServer?>(nil)
    func put(_ server: TitleServer) { held.withLock { $0 = server } }
    func server() throws -> TitleServer {
        guard let server = held.withLock({ $0 }) else { throw Broken() }
        return server
    }
}

@MainActor
@Suite("a mutation that is enqueued", .rule("O5"))
struct DurableMutationTests {
    private let store = InMemoryMutationStore()
    private let lab: QueryLab
    private let server: ScriptedFetcher<String>

    init() {
        let box = ServerBox()
        lab = QueryLab(
            outbox: Outbox.Setup(store: store, mutations: [SetTitle.self]), dependencies: Dependencies(box))
        let made = TitleServer(lab)
        box.put(made)
        server = made.fetcher
    }

    private func mutation() -> Mutation<String, String> {
        Mutation(durably: { SetTitle(title: $0) }, client: lab.client)
    }

    @Test("it is shown at once, waits without a network, and succeeds when it is made", .rule("O5"))
    func offline() {
        lab.setOnline(false)
        let title = mutation()
        var answers: [String] = []
        title.execute(with: "a", onSuccess: { answer, _ in answers.append(answer) })
        #expect(lab.client.value(of: "title") == "a")
        lab.settle()
        #expect(title.state.isLoading)
        #expect(title.isPaused)
        #expect(lab.client.outbox.snapshot.waiting.count == 1)
        lab.setOnline(true)
        #expect(!title.isPaused)
        server.succeed(with: "A")
        #expect(title.state.value == "A")
        #expect(answers == ["A"])
    }

    @Test("it fails with the error for which it is set aside", .rule("O5"))
    func refused() {
        let title = mutation()
        var errors = 0
        title.execute(with: "a", onFailure: { _ in errors += 1 })
        lab.settle()
        server.fail(with: Broken())
        #expect(title.state.error is Broken)
        #expect(errors == 1)
        #expect(lab.client.outbox.snapshot.setAside.count == 1)
    }

    @Test("cancelling discards it while it waits", .rule("O5"))
    func cancel() {
        lab.setOnline(false)
        let title = mutation()
        title.execute(with: "a")
        lab.settle()
        title.cancel()
        lab.settle()
        #expect(lab.client.outbox.snapshot.isEmpty)
        #expect(lab.client.value(of: QueryDefinition<String>.value("title")) == nil)
    }

    @Test(
        "one that is submitted succeeds when it is made or queued, and fails, leaving nothing, when it is refused",
        .rule("O8"))
    func submitted() {
        let title = Mutation(submitting: { SetTitle(title: $0) }, client: lab.client)
        title.execute(with: "a")
        lab.settle()
        #expect(title.state.isLoading)
        #expect(lab.client.value(of: "title") == "a")
        server.succeed(with: "A")
        #expect(title.state.value?.output == "A")

        title.execute(with: "b")
        lab.settle()
        server.fail(with: Broken())
        #expect(title.state.error is Broken)
        #expect(lab.client.outbox.snapshot.isEmpty)

        lab.setOnline(false)
        title.execute(with: "c")
        lab.settle()
        guard case .succeed(.queued) = title.state else { return #expect(Bool(false), "\(title.state)") }
        #expect(lab.client.outbox.snapshot.waiting.count == 1)
        lab.setOnline(true)
        server.succeed(with: "C")
        #expect(lab.client.outbox.snapshot.isEmpty)
    }

    @Test("cancelling one that is submitted ends the wait, and leaves it in the outbox", .rule("O8"))
    func cancelSubmitted() {
        let title = Mutation(submitting: { SetTitle(title: $0) }, client: lab.client)
        title.execute(with: "a")
        lab.settle()
        title.cancel()
        lab.settle()
        guard case .idle = title.state else { return #expect(Bool(false), "\(title.state)") }
        server.succeed(with: "A")
        #expect(lab.client.outbox.snapshot.isEmpty)
        #expect(server.calls.count == 1)
    }

    @Test("a mutation that is not durable does not use the outbox", .rule("O5"))
    func plain() {
        lab.setOnline(false)
        let title = Mutation(client: lab.client) { SetTitle(title: $0) }
        title.execute(with: "a")
        lab.settle()
        #expect(title.isPaused)
        #expect(lab.client.outbox.snapshot.isEmpty)
    }
}
