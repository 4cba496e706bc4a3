public import Foundation

/// Events that a server sends as they happen (WHATWG HTML, 9.2).
///
/// ```swift
/// for try await event in dispatcher.events(from: .get("/news"), reconnecting: .standard) {
///     show(event.data)
/// }
/// ```
///
/// Each iteration has a connection of its own. It is opened for the first event, and ends with the iteration: when the
/// loop is left, or its task cancelled. A server that responds with 204 ends the stream for good.
public struct EventStream: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent
    /// ``HTTPError/status(_:)`` for a status outside of 200 to 299, ``HTTPError/decoding(_:_:)`` for a response that is
    /// no `text/event-stream`, both with the response, ``HTTPError/bodyTooLarge(limit:)`` for an event over the limit,
    /// and ``HTTPError/transport(_:)`` for a lost connection that is not restored.
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

    /// Decodes the events as JSON. An event that cannot be decoded ends the iteration with a ``SerializationError``.
    ///
    /// - Parameters:
    ///   - type: The type of each event's data.
    ///   - decoder: Decodes the data. The default reads dates as in RFC 3339.
    public func decode<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder? = nil
    ) -> AsyncThrowingMapSequence<EventStream, Value> {
        map { event throws in try event.decode(type, decoder: decoder) }
    }
}

extension EventStream {
    /// Connects, and returns the pieces that contain the events. `nil` if the server responds that there are no more
    /// events.
    func connect(after lastEventID: String) async throws(HTTPError) -> HTTPChunks? {
        var request = AmendedRequest(request)
        request.headers.set("text/event-stream", for: "Accept")
        request.headers.set("no-store", for: "Cache-Control")
        if !lastEventID.isEmpty { request.headers.set(lastEventID, for: "Last-Event-ID") }
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
        self["Content-Type"]?.mediaType == "text/event-stream"
    }
}

/// A response that is not a stream of events.
public struct NoEventStream: Error, Sendable, Hashable {
    /// The media type of the response.
    public let contentType: String
}

extension NoEventStream: PlainlyDescribedError {
    /// Reports that the server sent something other than events.
    public var description: String {
        "events come as text/event-stream, but the server sent something else; is it the right address?"
    }
}

extension NoEventStream: LocalizedError, LocalizedReadableError {
    package var userText: UserText { .badAnswer }
}

extension Dispatcher {
    /// Returns a stream of events. Each iteration requests the events again.
    ///
    /// - Parameters:
    ///   - request: The request. `Accept` and `Cache-Control` are set, and `Last-Event-ID` for a new connection.
    ///   - reconnection: How lost connections are restored. By default they are not: the stream ends with its
    ///     connection.
    ///   - limit: The largest size of one event, in bytes. The default is 1 MB.
    ///   - clock: Measures the wait before a new connection.
    public func events(
        from request: any Request, reconnecting reconnection: EventReconnection = .never, limit: Int = 1 << 20,
        clock: any QueryClock = SystemClock()
    ) -> EventStream {
        EventStream(dispatcher: self, request: request, reconnection: reconnection, limit: limit, clock: clock)
    }
}

extension EventStream {
    /// One iteration over the events, by one connection after another.
    public struct Iterator: AsyncIteratorProtocol {
        private let stream: EventStream
        private var parser: EventParser
        private var pieces: HTTPChunks?
        /// Bytes that have arrived and were not parsed. They are parsed in small parts, so that few parsed events wait.
        private var unread = Data()
        private static let mostAtOnce = 1 << 16
        private var waiting: ArraySlice<ServerSentEvent> = []
        /// The newest id that a header can contain. Events after it may arrive twice, but none is missed.
        private var sendableID = ""
        /// The number of connections in a row that brought no event.
        private var failures = 0
        private var isOver = false

        init(stream: EventStream) {
            self.stream = stream
            parser = EventParser(limit: stream.limit)
        }

        /// Waits for the next event. `nil` if there are no more.
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

        /// Waits for the next event. `nil` if there are no more.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(HTTPError) -> ServerSentEvent? {
            try await next()
        }

        /// Reads a piece, and connects first if needed. Returns true if the connection is still open.
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

/// How a stream of events restores a lost connection.
///
/// ```swift
/// dispatcher.events(from: request, reconnecting: .standard)
/// ```
public struct EventReconnection: Sendable, Hashable {
    /// The largest number of connections in a row that bring no event. 0 or less means that connections are not
    /// restored.
    public var limit: Int
    /// The wait before a new connection, until the server names another by `retry:`. Either counts as at least 100 ms.
    public var delay: Duration

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - limit: The largest number of reconnections in a row without an event. The default is no limit.
    ///   - delay: The wait before a new connection, at least 100 ms. It is doubled for each connection in a row that
    ///     brought no event, up to 30 s.
    public init(limit: Int = .max, delay: Duration = .seconds(3)) {
        self.limit = limit
        self.delay = delay
    }

    /// The stream ends with its connection.
    public static let never = EventReconnection(limit: 0)
    /// A lost connection is restored after 3 s, without a limit.
    public static let standard = EventReconnection()

    private static let shortest = Duration.milliseconds(100)
    private static let longest = Duration.seconds(30)

    /// The wait before a new connection, or `nil` for no connection.
    ///
    /// - Parameters:
    ///   - failures: The number of connections in a row that brought no event.
    ///   - asked: The wait that the server asked for.
    func wait(failures: Int, asked: Duration?) -> Duration? {
        guard limit > 0, failures <= limit else { return nil }
        // Prevents a tight loop of connections, even if the server asks for no wait.
        let delay = max(asked ?? delay, Self.shortest)
        guard failures > 1 else { return delay }
        let once = min(delay, Self.longest)
        return max(delay, min(once * (1 << min(failures - 1, 10)), Self.longest))
    }
}
