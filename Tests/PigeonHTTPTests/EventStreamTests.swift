import Foundation
import PigeonHTTP
import PigeonTesting
import TestServer
import TestSupport
import Testing

@Suite("A stream of events", .timeLimit(.minutes(1)))
struct EventStreamTests {
    let clock = ManualClock()
    let dispatcher: MockDispatcher

    init() throws {
        dispatcher = MockDispatcher(baseUrl: try .of("https://example.com"), mockStatusCode: .ok, clock: clock)
    }

    private func stream(_ reconnection: EventReconnection = .never) -> EventStream {
        dispatcher.events(from: .get, reconnecting: reconnection, clock: clock)
    }

    /// Returns the error of a stream that has no events. `nil` if it ends without an error.
    private func failure(of stream: EventStream) async -> HTTPError? {
        do {
            for try await _ in stream { Issue.record("There was an event.") }
            return nil
        } catch {
            return error
        }
    }

    @Test("Nothing is asked before the first event is, and each iteration asks anew")
    func lazy() async throws {
        dispatcher.answer(.get, "/", with: .events("data: a\n\n"))
        let stream = stream()
        #expect(dispatcher.requests.isEmpty)
        for _ in 0..<2 {
            for try await event in stream { #expect(event.data == "a") }
        }
        #expect(dispatcher.requests.count == 2)
        let headers = try #require(dispatcher.requests.first).headers
        #expect(headers["Accept"] == "text/event-stream" && headers["Cache-Control"] == "no-store")
        #expect(headers["Last-Event-ID"] == nil)
    }

    @Test("A status that is no success is an error with the answer", arguments: [304, 404, 503])
    func status(_ status: Int) async throws {
        dispatcher.answer(.get, "/", with: .text("why", status: StatusCode(rawValue: status)))
        guard case .status(let answer) = await failure(of: stream(.standard)) else { throw Broken() }
        #expect(answer.statusCode.rawValue == status && answer.data == Data("why".utf8))
        #expect(clock.alarmCount == 0)
    }

    @Test(
        "A content type other than text/event-stream is an error with the answer",
        arguments: ["text/html", "text/event-streams", "application/json; x=text/event-stream", nil])
    func contentType(_ type: String?) async throws {
        let headers: HTTPHeaders = type.map { ["Content-Type": $0] } ?? [:]
        dispatcher.answer(.get, "/", with: .data(Data("data: a\n\n".utf8), headers: headers))
        let error = await failure(of: stream(.standard))
        guard case .decoding(let reason, let answer) = error, case .failedToDecodeResponseData(let cause) = reason
        else { throw Broken() }
        #expect(cause is NoEventStream && answer.statusCode == .ok)
        await dispatcher.transport.idle()
    }

    @Test("Parameters and case of the content type do not matter")
    func contentTypeParameters() async throws {
        let answer = MockAnswer.data(
            Data("data: a\n\n".utf8), headers: ["content-type": "Text/Event-Stream ; charset=utf-8"])
        dispatcher.answer(.get, "/", with: answer)
        var count = 0
        for try await _ in stream() { count += 1 }
        #expect(count == 1)
    }

    @Test("204 ends the stream for good, also one that reconnects")
    func noContent() async throws {
        dispatcher.answer(.get, "/", with: .events("data: a\n\n"), then: .status(.noContent))
        let task = Task { [stream = stream(.standard)] in
            var events: [String] = []
            for try await event in stream { events.append(event.data) }
            return events
        }
        await clock.alarms()
        clock.advance(by: .seconds(3))
        #expect(try await task.value == ["a"])
        #expect(dispatcher.requests.count == 2)
    }

    @Test("Without reconnecting, a lost connection is an error, after the events before it")
    func lost() async throws {
        dispatcher.answer(
            .get, "/", with: .events("data: a\n\ndata: b\n", endingWith: URLError(.networkConnectionLost)))
        var events: [String] = []
        do {
            for try await event in stream() { events.append(event.data) }
            Issue.record("There was no error.")
        } catch .transport(let error) {
            #expect(error.code == .networkConnectionLost)
        }
        #expect(events == ["a"])
    }

    @Test("A new connection begins after the last event, when the server's time has passed")
    func reconnecting() async throws {
        dispatcher.answer(
            .get, "/", with: .events("retry: 500\nid: é1\ndata: a\n\nid: 2\ndata: lost\n"),
            then: .events("data: b\n\n", endingWith: URLError(.networkConnectionLost)), .status(.noContent))
        let task = Task { [stream = stream(.standard)] in
            var events: [ServerSentEvent] = []
            for try await event in stream { events.append(event) }
            return events
        }
        for count in 1...2 {
            await clock.alarms()
            clock.advance(by: .milliseconds(499))
            #expect(dispatcher.requests.count == count && clock.alarmCount == 1)
            clock.advance(by: .milliseconds(1))
            await dispatcher.transport.requests(count: count + 1)
        }
        let events = try await task.value
        #expect(events.map(\.data) == ["a", "b"])
        #expect(events.map(\.id) == ["é1", "é1"])
        #expect(dispatcher.requests.map { $0.headers["Last-Event-ID"] } == [nil, "é1", "é1"])
    }

    @Test("Connections in a row without an event wait twice as long each, up to 30 s, and end at the limit")
    func backingOff() async throws {
        dispatcher.answer(.get, "/", with: .error(URLError(.cannotConnectToHost)))
        let task = Task { [stream = stream(EventReconnection(limit: 5))] in
            for try await _ in stream {}
        }
        for seconds in [3, 6, 12, 24, 30] {
            await clock.alarms()
            let count = dispatcher.requests.count
            clock.advance(by: .seconds(seconds) - .nanoseconds(1))
            #expect(clock.alarmCount == 1)
            clock.advance(by: .nanoseconds(1))
            await dispatcher.transport.requests(count: count + 1)
        }
        await #expect(throws: HTTPError.self) { try await task.value }
        #expect(dispatcher.requests.count == 6)
    }

    @Test("A server that asks for no wait, and sends nothing, is not asked in a tight loop")
    func noWait() async throws {
        dispatcher.answer(.get, "/", with: .events("retry: 0\n\n"))
        let task = Task { [stream = stream(.standard)] in
            for try await _ in stream {}
        }
        await clock.alarms()
        #expect(dispatcher.requests.count == 1)
        clock.advance(by: .milliseconds(100))
        await dispatcher.transport.requests(count: 2)
        await clock.alarms()
        clock.advance(by: .milliseconds(199))
        #expect(dispatcher.requests.count == 2)
        task.cancel()
        await #expect { try await task.value } throws: { $0.isCancellation }
        #expect(clock.alarmCount == 0)
    }

    @Test("nor is one that asks for no wait, and sends one event a connection", .rule("H15"))
    func oneEvent() async throws {
        dispatcher.answer(.get, "/", with: .events("retry: 0\ndata: x\n\n"))
        var events = stream(.standard).makeAsyncIterator()
        #expect(try await events.next()?.data == "x")
        let next = Task { [clock] in
            await clock.alarms()
            clock.advance(by: .milliseconds(100))
        }
        #expect(try await events.next()?.data == "x")
        await next.value
        #expect(dispatcher.requests.count == 2 && clock.alarmCount == 0)
    }

    @Test("after an id that no header can carry, a new connection begins after the last that one can", .rule("H8"))
    func unsendableID() async throws {
        dispatcher.answer(
            .get, "/", with: .events("id: 1\ndata: a\n\n"), then: .events("id: 2\u{1}\ndata: b\n\n"),
            .status(.noContent))
        let task = Task { [stream = stream(.standard)] in
            var events: [ServerSentEvent] = []
            for try await event in stream { events.append(event) }
            return events
        }
        for _ in 0..<2 {
            await clock.alarms()
            clock.advance(by: .seconds(3))
        }
        #expect(try await task.value.map(\.id) == ["1", "2\u{1}"])
        #expect(dispatcher.requests.map { $0.headers["Last-Event-ID"] } == [nil, "1", "1"])
    }

    @Test(
        "a long piece is taken apart bit by bit, and each of its events comes before what is wrong at its end",
        .rule("H15"))
    func longPiece() async throws {
        let text = (0..<30_000).map { "data: \($0)\n\n" }.joined()
        dispatcher.answer(.get, "/", with: .events(text + "data: " + String(repeating: "x", count: 100_000)))
        var next = 0
        await #expect(throws: HTTPError.self) {
            for try await event in dispatcher.events(from: .get, limit: 1000) {
                #expect(event.data == "\(next)")
                next += 1
            }
        }
        // The events in the part that contains the beginning of the oversized event are lost.
        #expect(next > 20_000)
    }

    @Test("An event too long ends a stream that reconnects, too")
    func tooLong() async throws {
        dispatcher.answer(.get, "/", with: .events("data: 123456789\n\n"))
        let stream = dispatcher.events(from: .get, reconnecting: .standard, limit: 10, clock: clock)
        await #expect { for try await _ in stream {} } throws: { error in
            guard case .bodyTooLarge(limit: 10) = error as? HTTPError else { return false }
            return true
        }
    }

    @Test("Cancelling the reader ends the request and throws")
    func cancelling() async throws {
        let (chunks, server) = HTTPChunks.makeStream()
        dispatcher.answer(.get, "/", with: .stream(headers: ["Content-Type": "text/event-stream"]) { chunks })
        server.yield(Data("data: a\n\n".utf8))
        let told = Recorder<String>()
        let task = Task { [stream = stream(.standard)] in
            for try await event in stream { told.append(event.data) }
        }
        await until { !told.all.isEmpty }
        task.cancel()
        await #expect { try await task.value } throws: { $0.isCancellation }
        await dispatcher.transport.idle()
        #expect(dispatcher.transport.cancelledCount == 1 && told.all == ["a"])
    }

    @Test("Leaving the loop ends the request")
    func leaving() async throws {
        let (chunks, server) = HTTPChunks.makeStream()
        dispatcher.answer(.get, "/", with: .stream(headers: ["Content-Type": "text/event-stream"]) { chunks })
        server.yield(Data("data: a\n\ndata: b\n\n".utf8))
        for try await event in stream() {
            #expect(event.data == "a")
            break
        }
        await dispatcher.transport.idle()
        #expect(dispatcher.transport.cancelledCount == 1)
    }

    @Test("After its end, a reading has no more events and asks no more")
    func afterEnd() async throws {
        dispatcher.answer(.get, "/", with: .error(URLError(.badServerResponse)))
        var iterator = stream().makeAsyncIterator()
        await #expect(throws: HTTPError.self) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
        #expect(dispatcher.requests.count == 1)
    }

    @Test("Events of a real server arrive as they are sent", arguments: TransportKind.allCases)
    func loopback(_ kind: TransportKind) async throws {
        let (first, second) = (Gate(), Gate())
        try await withLoopback { request in
            guard request.headers["Last-Event-ID"] == nil else { return .status(204) }
            return .head(200, ["Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"])
                + .chunk("id: 7\r\ndata: é") + .wait(first) + .chunk("\r\n\r\n") + .wait(second)
                + .chunk("\ndata: b\n\n") + .lastChunk
        } test: { server in
            let dispatcher = NetworkDispatcher(baseURL: server.url(), transport: kind.make())
            var events: [String] = []
            first.open()
            let reconnection = EventReconnection(delay: .zero)
            for try await event in dispatcher.events(from: .get, reconnecting: reconnection) {
                events.append(event.data)
                second.open()
            }
            #expect(events == ["é", "b"])
            #expect(server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "7"])
        }
    }
}
