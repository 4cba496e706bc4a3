public import Foundation

/// Sends one request to a server and returns its response. It makes no decisions: it follows no redirects, and retries,
/// stores and decodes nothing.
///
/// ``URLSessionTransport`` is the default. A transport of your own needs only ``stream(_:report:)``.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns when the whole response has arrived.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: The largest size of the body, in bytes, or `nil` for no limit. A longer body is not read to its end.
    ///   - report: Called with the progress, on any thread.
    /// - Throws: ``HTTPError/transport(_:)`` if there is no complete response, ``HTTPError/bodyTooLarge(limit:)``,
    ///   ``HTTPError/cancelled`` if the task is cancelled, which ends the transfer, and ``HTTPError/defect(_:)`` if the
    ///   request cannot be sent as it is.
    func send(
        _ request: TransportRequest, limit: Int?, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<Data>

    /// Sends a request and returns when the head of the response has arrived.
    ///
    /// A body that ends too early ends with an ``HTTPError/transport(_:)``. Releasing the stream ends the transfer.
    func stream(
        _ request: TransportRequest, report: TransferReport?
    ) async throws(HTTPError) -> TransportResponse<HTTPChunks>
}

/// Receives the progress of a transfer, in the task that waits for it and only while it waits. Several steps can be
/// reported as one.
public typealias TransferReport = @Sendable (TransferProgress) -> Void

/// The pieces of a body, as they arrive. Each is read once, by one reader. For a cancelled task they end as if they
/// were complete, as in each `AsyncThrowingStream`: check `Task.isCancelled` after the last one.
public typealias HTTPChunks = AsyncThrowingStream<Data, any Error>

/// A request for a transport.
public struct TransportRequest: Sendable {
    /// The method. For a name that is none of ``HTTPMethod``, it is ``HTTPMethod/options``.
    public var method: HTTPMethod {
        get { HTTPMethod(named: methodName) }
        set { methodName = newValue.rawValue }
    }
    /// The name of the method, which a transport sends: any token, such as `PROPFIND`.
    public var methodName: String
    /// The whole address.
    public var url: URL
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body.
    public var body: HTTPBody?
    /// The longest time until the response has arrived: all of it for ``HTTPTransport/send(_:limit:report:)``; its head
    /// for ``HTTPTransport/stream(_:report:)``, and after that the next piece, whenever a reader waits for one. A
    /// longer wait ends with `URLError.timedOut`.
    public var timeout: Duration?
    package var gauge: TransferGauge?

    /// Creates a request.
    public init(
        method: HTTPMethod, url: URL, headers: HTTPHeaders = [:], body: HTTPBody? = nil, timeout: Duration? = nil
    ) {
        methodName = method.rawValue
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

/// A transport's response.
public struct TransportResponse<Body: Sendable>: Sendable {
    /// The status: 100 to 599 from a server that follows the standard.
    public var status: Int
    /// The header fields.
    public var headers: HTTPHeaders
    /// The body, or the pieces in which it will arrive.
    public var body: Body

    /// Creates a response.
    public init(status: Int, headers: HTTPHeaders, body: Body) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The progress of a transfer, in bytes.
public struct TransferProgress: Sendable, Hashable {
    /// The number of bytes of the body that were sent.
    public var sent: Int64
    /// The number of bytes of the body to send, if known.
    public var expectedToSend: Int64?
    /// The number of bytes of the body that were received.
    public var received: Int64
    /// The number of bytes of the body to receive, if the server named it.
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

extension HTTPChunks {
    package init(piece: Data?) {
        self.init { continuation in
            if let piece { continuation.yield(piece) }
            continuation.finish()
        }
    }

    /// Returns the next piece, or `nil` after the last one.
    ///
    /// - Throws: The error that ends the pieces early, and ``HTTPError/cancelled`` for a cancelled reader, for whom the
    ///   stream itself ends as if it were complete.
    func next() async throws(HTTPError) -> Data? {
        var iterator = makeAsyncIterator()  // all iterators of a stream share its pieces
        do {
            let piece: Data?
            if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
                piece = try await iterator.next(isolation: #isolation)  // stays on the caller's actor
            } else {
                piece = try await iterator.next()
            }
            if piece == nil { try Task.checkCancellation() }
            return piece
        } catch {
            throw HTTPError(error)
        }
    }

    /// - Parameter limit: The largest size in bytes, or `nil` for no limit.
    /// - Throws: ``HTTPError/bodyTooLarge(limit:)``, ``HTTPError/cancelled``, and the error that ends the pieces early.
    package func collected(limit: Int?) async throws(HTTPError) -> Data {
        var all = Data()
        while let piece = try await next() {
            all.append(piece)
            if let limit, all.count > limit { throw .bodyTooLarge(limit: limit) }
        }
        return all
    }

    /// Returns up to a number of bytes from the beginning, and fewer if the pieces end early. Releases the rest.
    package func beginning(_ count: Int) async throws(HTTPError) -> Data {
        var all = Data()
        do {
            while all.count < count, let piece = try await next() { all.append(piece.prefix(count - all.count)) }
        } catch .cancelled where Task.isCancelled {
            throw .cancelled
        } catch {
            // The bytes that have arrived tell more than the error that ended them.
        }
        return all
    }
}

extension Response<HTTPChunks> {
    /// The response itself if it is a success. Any other status is thrown as an error with the beginning of the body.
    func orStatusError() async throws(HTTPError) -> Self {
        guard statusCode.type != .success else { return self }
        let beginning: Data? = try await data.beginning(1 << 16)
        _ = try withData(beginning).orStatusError()
        return self
    }
}
