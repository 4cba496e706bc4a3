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
