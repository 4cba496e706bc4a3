import PigeonCore
import Testing

/// The timer for platforms without dispatch queues. It works on all platforms.
@Suite("A timer that is a task", .timeLimit(.minutes(1)))
struct TaskTimerTests {
    private static let hour: Int64 = 3_600_000_000_000

    @Test func `it goes off as often as it is set`() async {
        let (calls, call) = AsyncStream.makeStream(of: Void.self)
        let timer = TaskTimer()
        timer.start { call.yield() }
        var iterator = calls.makeAsyncIterator()
        for _ in 0..<3 {
            timer.set(0)
            await iterator.next()
        }
    }

    @Test func `it goes off although a later time was set before`() async {
        let (calls, call) = AsyncStream.makeStream(of: Void.self)
        let timer = TaskTimer()
        timer.start { call.yield() }
        timer.set(Self.hour)
        timer.set(0)
        var iterator = calls.makeAsyncIterator()
        await iterator.next()
    }

    @Test func `it ends with its owner`() async {
        let ended = AsyncStream.makeStream(of: Void.self)
        final class Flag: Sendable {
            let end: AsyncStream<Void>.Continuation
            init(_ end: AsyncStream<Void>.Continuation) { self.end = end }
            deinit { end.finish() }
        }
        var timer: TaskTimer? = TaskTimer()
        timer?.start { [flag = Flag(ended.continuation)] in withExtendedLifetime(flag) {} }
        timer?.set(Self.hour)
        timer = nil
        for await _ in ended.stream {}
    }
}
