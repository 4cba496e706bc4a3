import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("async methods of models", .rule("N7"))
struct ModelTests {
    private struct Refused: Error {}

    /// A model as programs have them: on the main actor, with methods that await a server and the client.
    @MainActor
    private final class Session {
        private let client: QueryClient
        private let server: ScriptedFetcher<Void>
        private(set) var user: String? = "Ann"
        private(set) var isSigningOut = false

        init(_ client: QueryClient, _ server: ScriptedFetcher<Void>) {
            self.client = client
            self.server = server
        }

        func signOut() async throws {
            isSigningOut = true
            defer { isSigningOut = false }
            try await server.call("sign out")
            try await client.clear()
            user = nil
        }

        /// Starts tasks of the main actor within each other, and awaits them.
        func descend(_ levels: Int) async {
            guard levels > 0 else { return user = "at the bottom" }
            await Task { await descend(levels - 1) }.value
        }

        func tap() {
            Task { try? await signOut() }
        }
    }

    private let lab: QueryLab
    private let server: ScriptedFetcher<Void>
    private let session: Session

    init() {
        lab = QueryLab()
        server = lab.fetcher(returning: Void.self)
        session = Session(lab.client, server)
    }

    @Test("`run` returns when the method has ended", .rule("N7"))
    func run() async throws {
        server.succeed()
        try await lab.run { [session] in try await session.signOut() }
        #expect(session.user == nil)
        #expect(!session.isSigningOut)
        #expect(server.calls.map(\.arguments) == [["sign out"]])
        #expect(lab.log == ["client cleared"])
    }

    @Test("`run` returns the value of the operation, and throws its error", .rule("N7"))
    func outcome() async {
        let name = try? await lab.run { [session] in await session.user }
        #expect(name == "Ann")
        server.fail(with: Refused())
        await #expect(throws: Refused.self) { try await lab.run { [session] in try await session.signOut() } }
        #expect(session.user == "Ann")
        #expect(!session.isSigningOut)
    }

    @Test(
        "`settled` returns when the method waits for an answer, and again when the answer has had its effects",
        .rule("N7"))
    func settled() async {
        let task = lab.start { [session] in try await session.signOut() }
        await lab.settled()
        #expect(session.isSigningOut)
        #expect(server.pendingCount == 1)
        server.succeed()
        await lab.settled()
        #expect(session.user == nil)
        #expect(task.result != nil && task.error == nil)
    }

    @Test("`settled` covers the tasks that a method of the model starts", .rule("N7"))
    func ownTasks() async {
        session.tap()
        await lab.settled()
        #expect(session.isSigningOut)
        server.succeed()
        await lab.settled()
        #expect(session.user == nil)
    }

    @Test(
        "a call of such a task stays on the main actor, so that no turn comes between its answer and the task",
        .rule("N7"))
    func callsOfOwnTasks() async {
        let places = Locked<[Bool]>([])
        server.answerCalls { _ in places.withLock { $0.append(MainActor.isCurrent) } }
        session.tap()
        await lab.settled()
        #expect(places.withLock { $0 } == [true])
        #expect(session.user == nil)
    }

    @Test("the lab runs on the main actor while a test waits there for a task", .rule("N7"))
    func place() async throws {
        let isOnMainActor = try await lab.run { [session] in
            _ = await session.user
            return MainActor.isCurrent
        }
        #expect(isOnMainActor)
    }

    @Test("`settled` waits for a cache that such a task waits for, however slow it is", .rule("N7"))
    func slowCache() async throws {
        let lab = QueryLab(cache: SlowStore())
        let server = lab.fetcher(returning: Void.self)
        let session = Session(lab.client, server)
        try lab.client.set("Ann", for: QueryDefinition<String>.value("user").persisted())
        session.tap()
        await lab.settled()
        server.succeed()
        await lab.settled()
        #expect(session.user == nil)
    }

    @Test("`settled` follows tasks of the main actor that await each other", .rule("N7"))
    func descent() async {
        let task = lab.start { [session] in await session.descend(4) }
        await lab.settled()
        #expect(session.user == "at the bottom")
        #expect(task.result != nil)
    }

    @Test("`finished` returns when a task that was started before has ended", .rule("N7"))
    func finished() async throws {
        let task = lab.start { [session] in try await session.signOut() }
        server.succeed()
        try await task.finished()
        #expect(session.user == nil)
        try await task.finished()
    }

    @Test("cancelling the caller of `run` cancels the operation", .rule("N7"))
    func cancellation() async {
        let waiting = Task { [lab, session] in try await lab.run { try await session.signOut() } }
        await lab.settled()
        #expect(server.pendingCount == 1)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(session.user == "Ann")
        #expect(!session.isSigningOut)
    }

    @Test("several tasks can be awaited at the same time, and end in the order of their answers", .rule("N7"))
    func several() async throws {
        let fetcher = lab.fetcher(returning: Int.self)
        let tasks = (0..<3).map { number in lab.start { @MainActor in try await fetcher.call(number) } }
        let sum = Task {
            var sum = 0
            for task in tasks { sum += try await task.finished() }
            return sum
        }
        let last = Task { try await tasks[2].finished() }
        await lab.settled()
        #expect(fetcher.succeed(2, with: 30))
        #expect(try await last.value == 30)
        #expect(tasks[0].result == nil)
        fetcher.succeed(with: 1)
        fetcher.succeed(with: 2)
        #expect(try await sum.value == 33)
    }
}

/// A store that takes 50 ms for each batch, and keeps nothing.
private final class SlowStore: QueryRecordStore {
    func record(for key: QueryKey) -> QueryRecord? { nil }
    func records(under path: QueryKey?) -> [(key: QueryKey, record: QueryRecord)] { [] }
    func apply(_ changes: [QueryRecordChange]) { Thread.sleep(forTimeInterval: 0.05) }
}
