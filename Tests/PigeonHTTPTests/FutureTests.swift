import PigeonHTTP
import Testing

@Suite("A future")
struct FutureTests {
    @Test("does nothing before it is started, and its work once, however often it is")
    func start() async throws {
        let runs = Locked(0)
        let future = ResponseFuture<Int> { future in
            runs.withLock { $0 += 1 }
            future.succeed(with: 7)
        }
        #expect(future.status == .created)
        #expect(runs.withLock { $0 } == 0)
        future.start().start().send()
        #expect(try await future.value == 7)
        #expect(future.status == .success)
        #expect(runs.withLock { $0 } == 1)
    }

    @Test("tells the value, then has succeeded, then tells its completion, on the thread of who ends it")
    func order() {
        let told = Journal()
        let future = ResponseFuture<Int> { _ in }
        future.completion { [unowned future] in told.note("completion \(future.status)") }
            .success { [unowned future] in told.note("\($0) \(future.status)") }
            .error { _ in told.note("error") }
            .cancellation { told.note("cancellation") }
            .start()
        #expect(told.notes == [])
        future.succeed(with: 3)
        #expect(told.notes == ["3 started", "completion success"])
    }

    @Test("passes on through then, replace and join")
    func stages() async throws {
        let future = ResponseFuture(result: 1).then { $0 + 1 }.replace { ResponseFuture(result: "\($0)") }
            .join { text in ResponseFuture(result: text + "!") }.join { ResponseFuture(result: true) }
        let (one, two, three) = try await future.value
        #expect(one == "2" && two == "2!" && three)
    }
}
