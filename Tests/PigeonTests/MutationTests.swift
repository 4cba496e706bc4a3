import Pigeon
import PigeonTesting
import TestSupport
import Testing

@MainActor
@Suite("mutations", .rule("B11"))
struct MutationTests {
    let lab = QueryLab()

    /// Waits for one call of `end`.
    private func wait(_ start: (@escaping @MainActor () -> Void) -> Void) async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        start { continuation.yield() }
        for await _ in stream { break }
    }

    @Test func `a mutation loads, succeeds, and calls back after its state changed`() async {
        let mutation = Mutation<Int, User>(client: lab.client) { User(id: $0, name: "Pepe") }
        let log = StateLog(mutation.statePublisher)
        var states: [String] = []
        await wait { done in
            mutation.execute(with: 10) { user, _ in
                states.append("\(mutation.state)")
                done()
            }
        }
        #expect(states == ["succeed(Pepe)"])
        #expect(log.states == ["idle", "loading", "succeed(Pepe)"])
    }

    @Test func `a mutation that fails says so to its caller and its state`() async {
        let mutation = Mutation<Int, User>(client: lab.client) { _ in throw Broken() }
        var errors: [any Error] = []
        await wait { done in
            mutation.execute(with: 10, onSuccess: { _, _ in Issue.record("succeeded") }) { error in
                errors.append(error)
                done()
            }
        }
        #expect(errors.first is Broken)
        #expect(mutation.state.error is Broken)
        await #expect(throws: Broken.self) { try await mutation(1) }
    }

    @Test func `a publisher without a value fails, one with several gives the last`() async throws {
        let empty = Mutation<Int, Int>(client: lab.client, name: "Nothing") {
            (_: Int) -> AnyPublisher<Int, any Error> in
            Empty().eraseToAnyPublisher()
        }
        await #expect(throws: MutationError.noValue(mutation: "Nothing")) { try await empty(1) }
        let several = Mutation<Int, Int>(client: lab.client) { (_: Int) -> AnyPublisher<Int, any Error> in
            [1, 2, 3].publisher.setFailureType(to: (any Error).self).eraseToAnyPublisher()
        }
        #expect(try await several(1) == 3)
    }

    @Test(.rule("A42", "N3")) func `the error of a mutation has a text for users beside its description`() {
        expectReadable(MutationError.noValue(mutation: "hush"))
        #expect("\(MutationError.noValue(mutation: "Rename"))".contains("Rename"))
    }

    @Test func `cancelling cancels the publisher, calls nobody back, and is idle`() async {
        let server = Server(lab, Int.self, Int.self)
        let mutation = Mutation<Int, Int>(client: lab.client, fetcher: server.fetch)
        mutation.execute(with: 1, onSuccess: { _, _ in Issue.record("called") }) { _ in Issue.record("called") }
        await until { server.callCount != 0 }
        mutation.cancel()
        lab.settle()
        #expect("\(mutation.state)" == "idle")
        await until { !server.cancelled.isEmpty }
        #expect("\(mutation.state)" == "idle")
    }

    @Test func `cancelling the caller cancels the mutation`() async {
        let server = Server(lab, Int.self, Int.self)
        let mutation = Mutation<Int, Int>(client: lab.client, fetcher: server.fetch)
        let task = Task { try await mutation(1) }
        await until { server.callCount != 0 }
        task.cancel()
        lab.settle()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.cancelled == [0])
        #expect("\(mutation.state)" == "idle")
    }

    @Test func `a subscriber may cancel an execution when it is told of it, and nothing is changed`() async {
        let server = Server(lab, Int.self, Int.self)
        let mutation = Mutation<Int, Int>(client: lab.client, fetcher: server.fetch)
        let subscription = mutation.statePublisher.sink { state in
            if state.isLoading { mutation.cancel() }
        }
        mutation.execute(with: 1, onSuccess: { _, _ in Issue.record("called") }) { _ in Issue.record("called") }
        lab.settle()
        #expect(server.callCount == 0)
        #expect("\(mutation.state)" == "idle")
        await #expect(throws: CancellationError.self) { try await mutation(2) }
        #expect(server.callCount == 0)
        #expect("\(mutation.state)" == "idle")
        subscription.cancel()
    }

    @Test func `an execution goes on when a subscriber starts another one, or resets, as it is told of it`() {
        let server = Server(lab, Int.self, Int.self)
        let mutation = Mutation<Int, Int>(client: lab.client, fetcher: server.fetch)
        var answers: [Int] = []
        var isNested = false
        let subscription = mutation.statePublisher.sink { state in
            guard state.isLoading, !isNested else { return }
            isNested = true
            mutation.execute(with: 2, onSuccess: { answer, _ in answers.append(answer) })
            mutation.reset()
        }
        mutation.execute(with: 1, onSuccess: { answer, _ in answers.append(answer) })
        lab.settle()
        #expect(server.requests.sorted() == [1, 2])
        server.succeed(with: 10, at: 0)
        server.succeed(with: 20, at: 1)
        #expect(answers == [10, 20])
        #expect("\(mutation.state)" == "idle")
        subscription.cancel()
    }

    @Test func `a task that is already cancelled changes nothing`() async {
        let server = Server(lab, Int.self, Int.self)
        let mutation = Mutation<Int, Int>(client: lab.client, fetcher: server.fetch)
        let log = StateLog(mutation.statePublisher)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await mutation(1)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        lab.settle()
        #expect(server.callCount == 0)
        #expect(log.states == ["idle"])
    }

    @Test func `the latest execution decides the state`() async {
        let server = Server(lab, Int.self, Int.self)
        let mutation = Mutation<Int, Int>(client: lab.client, fetcher: server.fetch)
        let first = Task { try await mutation(1) }
        await until { server.callCount >= 1 }
        let second = Task { try await mutation(2) }
        await until { server.callCount >= 2 }
        server.succeed(with: 20, at: 1)
        _ = await second.result
        #expect(mutation.state.value == 20)
        server.succeed(with: 10, at: 0)
        #expect(try! await first.value == 10)
        #expect(mutation.state.value == 20)
    }

    @Test(.rule("T101")) func `a reset forgets the state and leaves the execution running`() async throws {
        let server = Server(lab, Int.self, Int.self)
        let mutation = Mutation<Int, Int>(client: lab.client, fetcher: server.fetch)
        let task = Task { try await mutation(1) }
        await until { server.callCount >= 1 }
        mutation.reset()
        #expect("\(mutation.state)" == "idle")
        server.succeed(with: 10)
        #expect(try await task.value == 10)
        #expect("\(mutation.state)" == "idle")
    }

    @Test func `a state that objectWillChange resets stays reset`() async throws {
        let mutation = Mutation<Int, Int>(client: lab.client) { $0 }
        var isArmed = false
        let subscription = mutation.objectWillChange.sink {
            guard isArmed else { return }
            isArmed = false
            mutation.reset()
        }
        async let value = mutation(1)
        isArmed = true
        _ = try await value
        #expect("\(mutation.state)" == "idle" || mutation.state.value == 1)
        mutation.reset()
        #expect("\(mutation.state)" == "idle")
        subscription.cancel()
    }

    @Test func `it is retried when it may be, and not otherwise`() async throws {
        let calls = Locked(0)
        let policy = RetryPolicy(limit: 2, delay: { _ in .zero }, hasJitter: false) { $0 is Broken }
        let client = QueryClient()
        let patient = Mutation<Int, Int>(client: client, retry: policy) { number in
            let count = calls.withLock { calls in
                calls += 1
                return calls
            }
            guard count == 3 else { throw Broken() }
            return number
        }
        #expect(try await patient(7) == 7)
        #expect(calls.withLock { $0 } == 3)
        let once = Mutation<Int, Int>(client: client) { _ in
            calls.withLock { $0 += 1 }
            throw Broken()
        }
        await #expect(throws: Broken.self) { try await once(7) }
        #expect(calls.withLock { $0 } == 4)
    }

    @Test func `without a network it waits, and says so`() async throws {
        let server = Server(lab, Int.self, Int.self)
        let mutation = Mutation<Int, Int>(client: lab.client, fetcher: server.fetch)
        lab.setOnline(false)
        let task = Task { try await mutation(1) }
        await until { mutation.isPaused }
        #expect(mutation.state.isLoading)
        #expect(server.callCount == 0)
        lab.setOnline(true)
        await until { server.callCount != 0 }
        #expect(!mutation.isPaused)
        server.succeed(with: 5)
        #expect(try await task.value == 5)
    }

    @Test func `mutations of one scope run one after the other`() async throws {
        let server = Server(lab, String.self, Int.self)
        let one = Mutation<String, Int>(client: lab.client, scope: "s", fetcher: server.fetch)
        let two = Mutation<String, Int>(client: lab.client, scope: "s", fetcher: server.fetch)
        let first = Task { try await one("a") }
        await until { server.callCount >= 1 }
        let second = Task { try await two("b") }
        await until { two.isPaused }
        #expect(server.requests == ["a"])
        server.succeed(with: 1)
        _ = try await first.value
        await until { server.callCount >= 2 }
        server.succeed(with: 2)
        #expect(try await second.value == 2)
    }
}
