public import Foundation

/// Carries one request to a server and its answer back. It decides nothing: redirects are not followed, nothing is
/// retried, stored or decoded.
///
/// ``URLSessionTransport`` is the default. A transport of your own needs ``stream(_:report:)`` alone.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns when the whole answer has arrived.
    ///
    /// - Parameters:
    ///   - request: What to send, to where.
    ///   - limit: The most bytes of body, or `nil` for no limit. What is longer is not read.
    ///   - report: Told how far the transfer has come, on any thread.
    /// - Throws: ``HTTPError/transport(_:)`` when there is no whole answer, ``HTTPError/bodyTooLarge(limit:)``,
    ///   ``HTTPError/cancelled`` when the task is, which ends the transfer, ``HTTPError/defect(_:)`` when the
    ///   request cannot be sent as it is.
    func send(
        _ request: TransportRequest, limit: Int?, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<Data>

    /// Sends a request and returns when the head of the answer has arrived.
    ///
    /// A body that ends too early ends with an ``HTTPError/transport(_:)``. A stream that is let go ends the transfer.
    func stream(
        _ request: TransportRequest, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<HTTPChunks>
}

/// Told how far a transfer has come, in the task that waits for it, as long as that does; some steps may be told as one.
public typealias TransferReport = @Sendable (TransferProgress) -> Void

/// The pieces of a body, as they arrive. Each is read once, by one reader. For a task that is cancelled they end as if they were
/// whole, as each `AsyncThrowingStream` does: ask `Task.isCancelled` after the last one.
public typealias HTTPChunks = AsyncThrowingStream<Data, any Error>

/// What a transport sends.
public struct TransportRequest: Sendable {
    /// What the server is asked to do.
    public var method: HTTPMethod
    /// The whole address.
    public var url: URL
    /// The header fields.
    public var headers: HTTPHeaders
    /// What is sent along.
    public var body: HTTPBody?
    /// The longest time until the answer is there: all of it for ``HTTPTransport/send(_:limit:report:)``; its head for
    /// ``HTTPTransport/stream(_:report:)``, and after that the next piece, whenever somebody waits for one. What takes
    /// longer ends with `URLError.timedOut`.
    public var timeout: Duration?

    /// Creates a request.
    public init(
        method: HTTPMethod, url: URL, headers: HTTPHeaders = [:], body: HTTPBody? = nil, timeout: Duration? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

/// What a transport brings back.
public struct TransportResponse<Body: Sendable>: Sendable {
    /// The status, 100 to 599 from a server that keeps to the standard.
    public var status: Int
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body, or the pieces it will come in.
    public var body: Body

    /// Creates an answer.
    public init(status: Int, headers: HTTPHeaders, body: Body) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// How far a transfer has come, in bytes.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes of body sent.
    public var sent: Int64
    /// Bytes of body to send, where known.
    public var expectedToSend: Int64?
    /// Bytes of body received.
    public var received: Int64
    /// Bytes of body to receive, where the server said so.
    public var expectedToReceive: Int64?

    /// Creates a progress.
    public init(
        sent: Int64 = 0, expectedToSend: Int64? = nil, received: Int64 = 0, expectedToReceive: Int64? = nil
    ) {
        self.sent = sent
        self.expectedToSend = expectedToSend
        self.received = received
        self.expectedToReceive = expectedToReceive
    }
}

extension HTTPTransport {
    /// Reads the stream to its end.
    public func send(
        _ request: TransportRequest, limit: Int?, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<Data> {
        let answer = try await stream(request, report: report)
        let body = try await answer.body.collected(limit: limit)
        return TransportResponse(status: answer.status, headers: answer.headers, body: body)
    }
}
