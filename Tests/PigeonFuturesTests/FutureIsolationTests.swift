import Dispatch
import Foundation
import PigeonFutures
import TestSupport
import Testing

@Suite("Where closures run")
struct FutureIsolationTests {
    @MainActor
    private final class Screen {
        var shown: [String] = []

        func show(_ text: String) {
            MainActor.assertIsolated()
            shown.append(text)
        }

        func load() -> ResponseFuture<Int> {
            ResponseFuture<Int>(operation: { _ in
                await Task.yield()
                return 1
            }).success { self.show("value \($0)") }
                .then { value -> Int in
                    self.show("then")
                    return value + 1
                }
                .replace { value -> ResponseFuture<Int> in
                    self.show("replace")
                    return ResponseFuture(result: value)
                }
                .join { value -> ResponseFuture<Int> in
                    self.show("join")
                    return ResponseFuture(result: value)
                }
                .then { $0 + $1 }
                .completion { self.show("completion") }
        }
    }

    @Test("closures written on the main actor run there, whoever ends the future", .rule("PiuPiu P16"))
    @MainActor
    func mainActor() async throws {
        let screen = Screen()
        let future = screen.load()
        let value = try await Task.detached { try await future.value }.value
        #expect(value == 4)
        #expect(screen.shown == ["value 1", "then", "replace", "join", "completion"])
    }

    @Test("Closures written on an actor run there")
    func ownActor() async throws {
        actor Counter {
            var count = 0
            func begin(_ future: ResponseFuture<Int>) {
                future.success { value in
                    self.assertIsolated()
                    self.count += value
                }
            }
        }
        let (counter, future) = (Counter(), ResponseFuture(result: 2))
        await counter.begin(future)
        await future.finished()
        #expect(await counter.count == 2)
    }

    #if os(Linux) || os(macOS)
        @Test(
            "a chain that was not written on the main actor is delivered while the main thread is blocked",
            .rule("PiuPiu N14"))
        func blockedMainThread() async {
            // Runs in a separate process, because all other tests share the main thread and the threads of the pool.
            await #expect(processExitsWith: .success) {
                let (blocked, delivered) = (Gate(), DispatchSemaphore(value: 0))
                let outcome = Recorder<DispatchTimeoutResult>()
                let blocking = Task { @MainActor in
                    blocked.open()
                    outcome.append(Self.wait(delivered))
                }
                await blocked.wait()
                let onMain = Recorder<Bool>()
                ResponseFuture<Int> { future in
                    DispatchQueue.global().async { future.succeed(with: 1) }
                }.then { $0 + 1 }
                    .join { one -> ResponseFuture<Int> in ResponseFuture(result: one) }
                    .join { ResponseFuture(result: 3) }
                    .replace { one, two, three -> ResponseFuture<Int> in ResponseFuture(result: one + two + three) }
                    .success { _ in onMain.append(Thread.isMainThread) }
                    .completion { delivered.signal() }
                    .send()
                await blocking.value
                #expect(outcome.all == [.success])
                #expect(onMain.all == [false])
            }
        }
    #endif

    /// Blocks the thread for at most a minute. The signal arrives long before that.
    private nonisolated static func wait(_ semaphore: DispatchSemaphore) -> DispatchTimeoutResult {
        semaphore.wait(timeout: .now() + 60)
    }

    @Test("What is cancelled on the main actor tells it nothing more, though the value was on its way")
    @MainActor
    func cancelledOnTheWay() async {
        let told = Recorder<String>()
        let future = ResponseFuture<Int> { _ in }
        future.success { _ in told.append("value") }.cancellation { told.append("cancellation") }
            .completion { told.append("completion") }.start()
        // The value arrives on another thread while this thread, which is the main actor's, is busy.
        let sent = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            future.succeed(with: 1)
            sent.signal()
        }
        #expect(Self.wait(sent) == .success)
        future.cancel()
        await future.finished()
        #expect(told.all == ["cancellation", "completion"])
        #expect(future.status == .cancelled)
    }

    @Test("A stage that is cancelled on the main actor does not call its closure there any more")
    @MainActor
    func stageCancelledOnTheWay() async {
        let told = Recorder<String>()
        let future = ResponseFuture<Int> { _ in }
        let stage = future.then { _ in told.append("then") }.completion { told.append("completion") }.start()
        let sent = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            future.succeed(with: 1)
            sent.signal()
        }
        #expect(Self.wait(sent) == .success)
        stage.cancel()
        await stage.finished()
        // A task that is added now runs after all work that already waits for the main actor.
        await Task { @MainActor in }.value
        #expect(told.all == ["completion"])
    }
}
