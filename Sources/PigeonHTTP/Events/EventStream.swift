public import Foundation

/// Events that a server sends as they happen (WHATWG HTML, 9.2).
///
/// ```swift
/// for try await event in dispatcher.events(from: .get("/news"), reconnecting: .standard) {
///     show(event.data)
/// }
/// ```
///
/// Each iteration has a connection of its own, which is opened for the first event and ends with the iteration: when the
/// loop is left, or its task cancelled. A server that answers 204 ends the stream for good.
public struct EventStream: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent
    /// ``HTTPError/status(_:)`` for an answer that is no success, ``HTTPError/decoding(_:_:)`` for one that is no
    /// `text/event-stream`, both with the answer, ``HTTPError/bodyTooLarge(limit:)`` for an event over the limit,
    /// ``HTTPError/transport(_:)`` for a lost connection that is not taken up again.
    public typealias Failure = HTTPError

    let dispatcher: any Dispatcher
    let request: any Request
    let reconnection: EventReconnection
    let limit: Int
    let clock: any QueryClock

    /// Begins an iteration.
    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: self)
    }

    /// The events as JSON. What is not understood ends the iteration with a ``SerializationError``.
    ///
    /// - Parameters:
    ///   - type: What each event's data are.
    ///   - decoder: Reads them. By default one that reads dates as RFC 3339 has them.
    public func decode<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder? = nil
    ) -> AsyncThrowingMapSequence<EventStream, Value> {
        map { event throws in try event.decode(type, decoder: decoder) }
    }
}

extension EventStream {
    /// Connects, and gives the pieces that the events come in: `nil` when the server says that there are no more.
    func connect(after lastEventID: String) async throws(HTTPError) -> HTTPChunks? {
        var request = AmendedRequest(request)
        request[header: "Accept"] = "text/event-stream"
        request[header: "Cache-Control"] = "no-store"
        if !lastEventID.isEmpty { request[header: "Last-Event-ID"] = lastEventID }
        let response = try await dispatcher.stream(from: request, report: nil)
        guard response.statusCode.rawValue != 204 else { return nil }
        let answer = try await response.orStatusError()
        guard answer.headers.isEventStream else {
            let type = answer.headers["Content-Type"] ?? "none"
            throw .decoding(.failedToDecodeResponseData(cause: NoEventStream(contentType: type)), answer.withData(nil))
        }
        return answer.data
    }
}

extension HTTPHeaders {
    fileprivate var isEventStream: Bool {
        let type = self["Content-Type"]?.prefix { $0 != ";" }.lowercased()
        return type?.trimmingCharacters(in: .whitespaces) == "text/event-stream"
    }
}

/// A server was asked for events and sent something else.
public struct NoEventStream: Error, Sendable, Hashable {
    /// What it sent.
    public let contentType: String
}

extension NoEventStream: PlainlyDescribedError {
    /// Says what was sent in place of events.
    public var description: String {
        "events come as text/event-stream, but the server sent something else; is it the right address?"
    }
}

extension Dispatcher {
    /// Asks for events, when and as often as they are iterated over.
    ///
    /// - Parameters:
    ///   - request: What to ask. `Accept` and `Cache-Control` are set; `Last-Event-ID` when the stream is taken up again.
    ///   - reconnection: Whether a lost connection is taken up again. By default not: the stream ends with it.
    ///   - limit: The most bytes of one event, 1 MB by default.
    ///   - clock: Measures the wait before a new connection.
    public func events(
        from request: any Request, reconnecting reconnection: EventReconnection = .never, limit: Int = 1 << 20,
        clock: any QueryClock = SystemClock()
    ) -> EventStream {
        EventStream(dispatcher: self, request: request, reconnection: reconnection, limit: limit, clock: clock)
    }
}

extension EventStream {
    /// One reading of the events, over one connection after another.
    public struct Iterator: AsyncIteratorProtocol {
        private let stream: EventStream
        private var parser: EventParser
        private var pieces: HTTPChunks?
        /// What has arrived and was not looked at. No more of it at once than keeps the events that wait few.
        private var unread = Data()
        private static let mostAtOnce = 1 << 16
        private var waiting: ArraySlice<ServerSentEvent> = []
        /// The newest id that a header can carry. Events after it may come twice, but none is missed.
        private var sendableID = ""
        /// How many connections in a row brought no event.
        private var failures = 0
        private var isOver = false

        init(stream: EventStream) {
            self.stream = stream
            parser = EventParser(limit: stream.limit)
        }

        /// Waits for the next event; `nil` when there are no more.
        public mutating func next() async throws(HTTPError) -> ServerSentEvent? {
            while !isOver {
                if let event = waiting.popFirst() { return event }
                let loss: HTTPError?
                do {
                    if try await read() { continue }
                    loss = nil
                } catch {
                    loss = HTTPError(error)
                }
                try await recover(from: loss)
            }
            return nil
        }

        /// Waits for the next event; `nil` when there are no more.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(HTTPError) -> ServerSentEvent? {
            try await next()
        }

        /// Reads a piece, from a new connection where there is none. Returns whether the connection is still there.
        private mutating func read() async throws -> Bool {
            if pieces == nil {
                failures += 1
                guard let connection = try await stream.connect(after: sendableID) else {
                    isOver = true
                    return true
                }
                pieces = connection
            }
            if unread.isEmpty {
                guard let piece = try await pieces?.next() else { return false }
                unread = piece
            }
            waiting = try parser.events(in: unread.prefix(Self.mostAtOnce))[...]
            if parser.lastEventID.isFieldValue { sendableID = parser.lastEventID }
            unread = unread.dropFirst(Self.mostAtOnce)
            if !waiting.isEmpty { failures = 0 }
            return true
        }

        /// Waits before the next connection, or ends the iteration.
        private mutating func recover(from loss: HTTPError?) async throws(HTTPError) {
            pieces = nil
            unread = Data()
            guard loss?.isLostConnection ?? true,
                let wait = stream.reconnection.wait(failures: failures, asked: parser.reconnectionTime)
            else {
                isOver = true
                if let loss { throw loss }
                return
            }
            parser = EventParser(
                limit: stream.limit, lastEventID: parser.lastEventID, reconnectionTime: parser.reconnectionTime)
            do {
                try await stream.clock.sleep(for: wait)
            } catch {
                isOver = true
                throw .cancelled
            }
        }
    }
}

extension HTTPError {
    fileprivate var isLostConnection: Bool {
        if case .transport = self { return true }
        return false
    }
}

/// Whether a stream of events is taken up again when its connection is lost.
///
/// ```swift
/// dispatcher.events(from: request, reconnecting: .standard)
/// ```
public struct EventReconnection: Sendable, Hashable {
    /// How many times in a row to connect again while no event comes. 0 or less is never.
    public var limit: Int
    /// How long to wait for a new connection, until the server names another time by `retry:`. Less than 100 ms, of either,
    /// counts as 100 ms.
    public var delay: Duration

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - limit: How many times in a row to connect again while no event comes. By default for ever.
    ///   - delay: The wait before a new connection, at least 100 ms. It is doubled for each connection in a row that brought no
    ///     event, up to 30 s.
    public init(limit: Int = .max, delay: Duration = .seconds(3)) {
        self.limit = limit
        self.delay = delay
    }

    /// The stream ends with its connection.
    public static let never = EventReconnection(limit: 0)
    /// A new connection 3 s after one was lost, again and again.
    public static let standard = EventReconnection()

    private static let shortest = Duration.milliseconds(100)
    private static let longest = Duration.seconds(30)

    /// The wait before a new connection, or `nil` for none.
    ///
    /// - Parameters:
    ///   - failures: How many connections in a row brought no event.
    ///   - asked: What the server asked for.
    func wait(failures: Int, asked: Duration?) -> Duration? {
        guard limit > 0, failures <= limit else { return nil }
        // No server is asked in a tight loop, not even one that asks for no wait at all.
        let delay = max(asked ?? delay, Self.shortest)
        guard failures > 1 else { return delay }
        let once = min(delay, Self.longest)
        return max(delay, min(once * (1 << min(failures - 1, 10)), Self.longest))
    }
}
