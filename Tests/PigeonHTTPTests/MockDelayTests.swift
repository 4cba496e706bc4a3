import Foundation
import PigeonHTTP
import PigeonTesting
import TestServer
import TestSupport
import Testing

@Suite("A mock transport's time", .timeLimit(.minutes(1)))
struct MockDelayTests {
    let clock = ManualClock()
    let mock: MockTransport

    init() {
        mock = MockTransport(clock: clock)
    }

    @Test("A delayed answer comes when the clock says so", .rule("D9"))
    func delay() async throws {
        mock.answer(nil, "/", with: .text("late").after(.seconds(10)))
        let task = Task { [mock] in try await mock.text("/") }
        await clock.alarms()
        clock.advance(by: .milliseconds(9_999))
        #expect(mock.activeCount == 1 && clock.alarmCount == 1)
        clock.advance(by: .milliseconds(1))
        #expect(try await task.value == "late")
        #expect(mock.activeCount == 0)
    }

    @Test("A request's timeout ends a longer delay, and not one of its length")
    func timeout() async throws {
        mock.answer(nil, "/", with: .text("late").after(.seconds(10)))
        let tasks = [9, 10].map { limit in
            Task { [mock] in try await mock.ask(.get, "/", timeout: .seconds(limit)).status }
        }
        await clock.alarms(count: 2)
        clock.advance(by: .seconds(10))
        #expect(try await tasks[1].value == 200)
        await #expect { try await tasks[0].value } throws: { error in
            guard case .transport(let error) = error as? HTTPError else { return false }
            return error.code == .timedOut
        }
    }

    @Test("Cancelling ends a delay and leaves no alarm behind")
    func cancelledDelay() async throws {
        mock.answer(nil, "/", with: .text("late").after(.seconds(10)))
        let task = Task { [mock] in try await mock.text("/") }
        await clock.alarms()
        task.cancel()
        await #expect { try await task.value } throws: { $0.isCancellation }
        #expect(clock.alarmCount == 0)
        #expect(mock.activeCount == 0 && mock.cancelledCount == 1)
    }

    @Test("Cancelling reaches a handler that waits")
    func cancelledHandler() async throws {
        let mock = mock
        mock.answer(nil, "/") { _, _ in
            try await ManualClock().never()
            return .status(.ok)
        }
        let task = Task { try await mock.text("/") }
        await mock.requests(count: 1)
        task.cancel()
        await #expect { try await task.value } throws: { $0.isCancellation }
        #expect(mock.cancelledCount == 1)
    }

    @Test("A body that is let go of ends its stream")
    func letGo() async throws {
        let (chunks, continuation) = HTTPChunks.makeStream()
        let told = Recorder<Bool>()
        continuation.onTermination = { _ in told.append(true) }
        mock.answer(nil, "/", with: .stream { chunks })
        continuation.yield(Data("first".utf8))
        do {
            let request = TransportRequest(method: .get, url: try .of("https://example.com/"))
            let answer = try await mock.stream(request, report: nil)
            for try await piece in answer.body {
                #expect(piece == Data("first".utf8))
                break
            }
            #expect(mock.activeCount == 1)
        }
        await mock.idle()
        #expect(mock.cancelledCount == 1)
        #expect(told.all == [true])
    }

    @Test("Nothing is asked by a task that is cancelled before")
    func cancelledBefore() async throws {
        mock.answer(nil, "/", with: .status(.ok))
        let task = Task { [mock] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await mock.text("/")
        }
        await #expect { try await task.value } throws: { $0.isCancellation }
        #expect(mock.requests.isEmpty)
    }
}
