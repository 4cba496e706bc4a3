import Foundation
import PigeonFutures
import PigeonTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Progress and time of futures")
struct FutureProgressTests {
    private let told = Recorder<TransferProgress>()

    @Test("Each progress is told until the end, and none after it")
    func progress() async throws {
        let told = told
        let future = ResponseFuture<Int> { future in
            future.update(progress: TransferProgress(received: 1))
            future.update(progress: TransferProgress(received: 2))
            future.succeed(with: 1)
            future.update(progress: TransferProgress(received: 3))
        }.progress { told.append($0) }
        #expect(try await future.value == 1)
        // A handler that is slower than the progress gets the newest.
        #expect(
            told.all.map(\.received) == told.all.map(\.received).sorted() && told.all.allSatisfy { $0.received < 3 })
    }

    @Test("An operation's progress goes through then, replace and series joins")
    func stages() async throws {
        let (told, seen) = (told, Gate())
        let operation: @Sendable (@escaping TransferReport) async throws -> Int = { report in
            report(TransferProgress(received: 5, expectedToReceive: 9))
            await seen.wait()
            return 1
        }
        let future = ResponseFuture(result: 1).replace { _ in ResponseFuture(operation: operation) }.then { $0 }
            .join { one in ResponseFuture(result: one) }.then { $0 + $1 }
            .updated { progress in
                told.append(progress)
                seen.open()
            }
        #expect(try await future.value == 2)
        #expect(told.all == [TransferProgress(received: 5, expectedToReceive: 9)])
    }

    @Test("A dispatcher that has futures alone reports their progress, too")
    func reported() async throws {
        struct Reporting: Dispatcher {
            func future(from request: any Request) -> ResponseFuture<Response<Data?>> {
                ResponseFuture { report in
                    report(TransferProgress(received: 4))
                    return .text("body")
                }
            }
        }
        let told = told
        let request = BasicRequest(method: .get, path: "/")
        let response = try await Reporting().response(from: request, report: { told.append($0) })
        #expect(response.statusCode == .ok)
        #expect(told.all == [TransferProgress(received: 4)])
    }

    @Test("Progress of futures side by side is summed; what is expected is known when it is of each that has begun")
    func summed() async throws {
        let first = ResponseFuture<Int> { _ in }
        let second = ResponseFuture<Int> { _ in }
        let third = ResponseFuture<Int> { _ in }
        let latest = Watched<TransferProgress?>(nil)
        let future = ResponseFuture(childFutures: [first, second, third]).progress { progress in
            latest.update { $0 = progress }
        }.start()
        first.update(progress: TransferProgress(sent: 1, expectedToSend: 2, received: 10, expectedToReceive: 20))
        await latest.wait { $0 == TransferProgress(sent: 1, expectedToSend: 2, received: 10, expectedToReceive: 20) }
        second.update(progress: TransferProgress(received: 5, expectedToReceive: 6))
        await latest.wait { $0 == TransferProgress(sent: 1, expectedToSend: 2, received: 15, expectedToReceive: 26) }
        third.update(progress: TransferProgress(received: 1))
        await latest.wait { $0 == TransferProgress(sent: 1, expectedToSend: 2, received: 16, expectedToReceive: nil) }
        for child in [first, second, third] { child.succeed(with: 1) }
        #expect(try await future.value == [1, 1, 1])
    }

    @Test("What takes longer than its timeout fails with URLError.timedOut, and is cancelled")
    func timeout() async {
        let clock = ManualClock()
        let slow = ResponseFuture<Int> { _ in }
        let future = slow.timeout(.seconds(5), clock: clock).start()
        clock.advance(by: .seconds(4))
        #expect(future.status == .started)
        clock.advance(by: .seconds(1))
        await #expect(throws: URLError(.timedOut)) { try await future.value }
        await slow.finished()
        #expect(slow.status == .cancelled)
    }

    @Test("What ends in time leaves no alarm", arguments: [true, false])
    func inTime(isCancelled: Bool) async throws {
        let clock = ManualClock()
        let quick = ResponseFuture<Int> { _ in }
        let future = quick.timeout(.seconds(5), clock: clock).start()
        #expect(clock.alarmCount == 1)
        if isCancelled { future.cancel() } else { quick.succeed(with: 1) }
        await future.finished()
        #expect(clock.alarmCount == 0)
        #expect(future.status == (isCancelled ? .cancelled : .success))
    }
}
