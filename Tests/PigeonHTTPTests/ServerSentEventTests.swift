import Foundation
import PigeonHTTP
import PigeonTesting
import TestServer
import Testing

@Suite("Server-sent events, as the standard parses them", .timeLimit(.minutes(1)))
struct ServerSentEventTests {
    /// Returns the events of a stream that ends after a text.
    static func events(_ text: String) async throws -> [ServerSentEvent] {
        try await events([Data(text.utf8)])
    }

    static func events(_ pieces: [Data], limit: Int = 1 << 20) async throws -> [ServerSentEvent] {
        let dispatcher = MockDispatcher(baseUrl: try .of("https://example.com"), mockStatusCode: .ok)
        dispatcher.answer(.get, "/", with: .events(pieces))
        var events: [ServerSentEvent] = []
        for try await event in dispatcher.events(from: .get, limit: limit) { events.append(event) }
        return events
    }

    struct Case: CustomTestStringConvertible {
        let text: String
        let data: [String]
        init(_ text: String, _ data: String...) {
            self.text = text
            self.data = data
        }
        var testDescription: String { text.debugDescription }
    }

    @Test(
        "Lines, fields, comments and blank lines",
        arguments: [
            Case("data: YHOO\ndata: +2\ndata: 10\n\n", "YHOO\n+2\n10"),
            Case(
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
                "first event", "second event", " third event"),
            Case("data\n\ndata\ndata\n\ndata:", "", "\n"),
            Case("data:test\n\ndata: test\n\n", "test", "test"),
            Case(
                "data: LF\n\ndata: CR\r\rdata: CRLF\r\n\r\ndata: mixed\n\rdata: mixed too\r\r\n", "LF", "CR", "CRLF",
                "mixed", "mixed too"),
            Case("data: a\r\ndata: b\r\n\r\ndata: c\rdata: d\r\r", "a\nb", "c\nd"),
            Case("data: unfinished\n"),
            Case("data: no end of line"),
            Case("data: one\n\ndata: two\n", "one"),
            Case(""),
            Case("\n\n\r\r\n"),
            Case(":\n:comment\n::\ndata:x\n:in between\ndata:y\n\n", "x\ny"),
            Case("Data:no\nDATA:no\n data:no\ndata :no\ndata:yes\n\n", "yes"),
            Case("unknown: field\nand a line without one\ndata: x:y: z\n\n", "x:y: z"),
            Case("data:\tx \n\n", "\tx "),
            Case("\u{FEFF}data: BOM\n\n", "BOM"),
            Case("\u{FEFF}\u{FEFF}data: two\ndata:x\n\n", "x"),
            Case("data: a\n\n\u{FEFF}data: later\ndata: b\n\n", "a", "b"),
            Case("data: é 🎉\n\n", "é 🎉"),
        ])
    func lines(_ example: Case) async throws {
        #expect(try await Self.events(example.text).map(\.data) == example.data)
    }

    @Test("The type is that of this event alone, message by default")
    func types() async throws {
        let events = try await Self.events(
            "event: add\ndata: 1\n\ndata: 2\n\nevent: x\nevent: y\ndata: 3\n\nevent:\ndata: 4\n\n")
        #expect(events.map(\.event) == ["add", "message", "y", "message"])
    }

    @Test("A type without data is no event, and does not go over to the next one")
    func typeAlone() async throws {
        #expect(try await Self.events("event: a\n\ndata: x\n\n").map(\.event) == ["message"])
    }

    @Test("An id stays until the next one; one with NUL is none; an empty one removes it")
    func ids() async throws {
        let events = try await Self.events(
            "id: 1\ndata: a\n\ndata: b\n\nid: 2\n\ndata: c\n\nid: 3\0\ndata: d\n\nid\ndata: e\n\nid: 6\ndata: lost\n")
        #expect(events.map(\.id) == ["1", "1", "2", "2", ""])
    }

    @Test("A retry of digits alone is a time in milliseconds")
    func retry() async throws {
        let events = try await Self.events(
            "retry: 1500\ndata\n\ndata\n\nretry: 1.5\ndata\n\nretry: -1\ndata\n\nretry\ndata\n\nretry: ٣\ndata\n\nretry: 0\ndata\n\n"
        )
        #expect(events.map(\.retry) == [.milliseconds(1500), nil, nil, nil, nil, nil, .zero])
    }

    @Test("A retry too long for any clock is a long time, not a crash")
    func longRetry() async throws {
        let events = try await Self.events("retry: \(String(repeating: "9", count: 400))\ndata\n\n")
        #expect(try #require(events.first?.retry) > .seconds(1_000_000))
    }

    @Test("Bytes that are no UTF-8 are replaced, and harm nothing else")
    func invalidBytes() async throws {
        var bytes = Data("data: a".utf8)
        bytes += [0xFF, 0xC3]
        bytes += Data("\ndata: b\n\n".utf8)
        #expect(try await Self.events([bytes]).map(\.data) == ["a\u{FFFD}\u{FFFD}\nb"])
    }

    @Test("An event longer than the limit is an error; one of its length is not")
    func limit() async throws {
        let text = Data("data: 12345\ndata: 67890\n\n".utf8)
        #expect(try await Self.events([text + text], limit: 17).count == 2)
        await #expect { try await Self.events([text], limit: 16) } throws: { error in
            guard case .bodyTooLarge(limit: 16) = error as? HTTPError else { return false }
            return true
        }
        await #expect(throws: HTTPError.self) { try await Self.events([Data(repeating: 0x61, count: 100)], limit: 99) }
    }

    @Test("However a stream is cut into pieces, its events are the same", arguments: 0..<100 as Range<UInt64>)
    func pieces(_ seed: UInt64) async throws {
        let random = SeededRandom(seed: seed)
        let words = [
            "data: café 🎉", "data", ":comment", "event: é", "id: 1", "id: \0", "retry: 10", "\u{FEFF}", "", "",
            "data:x",
        ]
        var text = Data()
        for _ in 0..<200 {
            text += Data((random.pick(words) ?? "").utf8)
            text += Data((random.pick(["\n", "\r", "\r\n"]) ?? "").utf8)
        }
        var pieces: [Data] = []
        var rest = text
        while !rest.isEmpty {
            let count = random.below(8)
            pieces.append(Data(rest.prefix(count)))
            rest = Data(rest.dropFirst(count))
        }
        let whole = try await Self.events([text])
        #expect(!whole.isEmpty)
        #expect(try await Self.events(pieces) == whole)
        #expect(try await Self.events(text.map { Data([$0]) }) == whole)
    }

    @Test("Data are decoded as JSON, event by event or all along")
    func decoding() async throws {
        #expect(try ServerSentEvent(data: "[1,2]").decode([Int].self) == [1, 2])
        #expect(throws: SerializationError.self) { try ServerSentEvent(data: "[1,2").decode([Int].self) }
        let dispatcher = MockDispatcher(baseUrl: try .of("https://example.com"), mockStatusCode: .ok)
        dispatcher.answer(.get, "/", with: .events([Data("data: [\ndata: 1]\n\ndata: [2]\n\ndata: no\n\n".utf8)]))
        var lists: [[Int]] = []
        await #expect(throws: SerializationError.self) {
            for try await list in dispatcher.events(from: .get).decode([Int].self) { lists.append(list) }
        }
        #expect(lists == [[1], [2]])
    }
}

extension MockAnswer {
    /// Returns a stream of events that ends normally, or with an error.
    static func events(_ pieces: [Data], endingWith error: (any Error)? = nil) -> MockAnswer {
        .pieces(pieces, endingWith: error, headers: ["Content-Type": "text/event-stream"])
    }

    /// Returns a stream of events that ends normally, or with an error.
    static func events(_ text: String, endingWith error: (any Error)? = nil) -> MockAnswer {
        .events([Data(text.utf8)], endingWith: error)
    }
}

extension Request where Self == BasicRequest {
    /// A request for the root path.
    static var get: BasicRequest { BasicRequest(method: .get, path: "/") }
}
