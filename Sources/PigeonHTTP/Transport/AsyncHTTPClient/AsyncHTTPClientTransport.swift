#if AsyncHTTPClient
    public import AsyncHTTPClient
    public import Foundation
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOHTTPCompression
    internal import PigeonBase

    /// Sends requests by AsyncHTTPClient. On Linux, it sends several times as many requests per second as `URLSession`.
    /// Part of the module if the package's trait `AsyncHTTPClient` is enabled.
    ///
    /// ```swift
    /// let dispatcher = NetworkDispatcher(baseURL: url, transport: AsyncHTTPClientTransport())
    /// ```
    ///
    /// Header fields of one name stay separate, and a server that is faster than the reader of ``stream(_:report:)``
    /// waits.
    ///
    /// Unlike `URLSession`, the transport keeps no cookies: on a server, one dispatcher serves many users, and a cookie
    /// that one of them received must not be sent for another. For a login by a cookie, a pair of adapters sends it back:
    /// see <doc:PigeonHTTP>.
    ///
    /// Bodies in gzip, and in deflate with zlib's header, are decompressed. A body in another coding, in several, or in
    /// several parts of gzip is `URLError.cannotDecodeContentData`, and the error's description names the coding. Send
    /// `Accept-Encoding: identity` to a server that responds with such bodies.
    public final class AsyncHTTPClientTransport: HTTPTransport {
        private let client: HTTPClient
        private let isOwner: Bool

        /// Creates a transport with a client of its own, which is shut down when the transport and its requests have
        /// ended.
        ///
        /// The client runs on the event loops that the process shares. It follows no redirect, decompresses bodies as
        /// `URLSession` does, and reports at once if a server cannot be reached.
        public init() {
            var pool = HTTPClient.Configuration.ConnectionPool()
            pool.retryConnectionEstablishment = false
            var configuration = HTTPClient.Configuration(
                redirectConfiguration: .disallow, connectionPool: pool, decompression: .enabled(limit: .none))
            configuration.guardResponses()
            client = HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
            isOwner = true
        }

        /// Creates a transport over a client that its owner shuts down, after the last request.
        ///
        /// - Parameter client: The client. It should be configured with `redirectConfiguration: .disallow` and with
        ///   decompression: without it, bodies in gzip and deflate arrive as the server sent them. A client
        ///   that follows redirects, as `HTTPClient.shared` does, follows them without the dispatcher's policy.
        ///   AsyncHTTPClient up to 1.37 ends the process for a response with a body and a status below 100. Only a
        ///   client of the transport's own is protected from that.
        public init(client: HTTPClient) {
            self.client = client
            isOwner = false
        }

        deinit {
            if isOwner { client.shutdown { _ in } }
        }

        /// Sends a request and returns when the whole response has arrived.
        public func send(
            _ request: TransportRequest, limit: Int?, report: TransferReport?
        ) async throws(HTTPError) -> TransportResponse<Data> {
            try await begin(request, as: .whole(limit: limit), report: report).whole()
        }

        /// Sends a request and returns when the head of the response has arrived.
        public func stream(
            _ request: TransportRequest, report: TransferReport?
        ) async throws(HTTPError) -> TransportResponse<HTTPChunks> {
            try await begin(request, as: .stream, report: report).stream()
        }

        private func begin(
            _ request: TransportRequest, as kind: Exchange.Kind, report: TransferReport?
        ) async throws(HTTPError) -> Exchange {
            guard !Task.isCancelled else { throw .cancelled }
            let exchange = Exchange(
                for: request, as: kind, sending: try request.bodyLength(), report: report,
                decoding: isOwner ? ["gzip", "x-gzip", "deflate"] : ["gzip", "deflate"])
            let clock = exchange.clock
            let start = clock.now()
            let response: HTTPClientResponse
            do {
                let timeout = min(request.timeout ?? Self.forever, Self.forever)
                response = try await client.execute(
                    HTTPClientRequest(request, for: exchange), timeout: .nanoseconds(timeout.clampedNanoseconds))
            } catch {
                throw HTTPError(error, of: request)
            }
            exchange.didReceive(response)
            exchange.attach(AsyncHTTPClientBody(of: response, for: exchange, keeping: self))
            if let timeout = request.timeout, case .whole = kind, !exchange.hasEnded {
                exchange.expire(after: timeout - start.duration(to: clock.now()))
            }
            return exchange
        }

        private static let forever = Duration.seconds(31_536_000)
    }

    /// Reads the body of a client's response for an exchange. Bytes that have already arrived are read before the
    /// initializer returns. Retains the transport, and with it the client, until the end.
    final class AsyncHTTPClientBody: Carrier {
        private let reading: Task<Void, Never>

        init(of response: HTTPClientResponse, for exchange: Exchange, keeping transport: AsyncHTTPClientTransport) {
            let body = response.body
            reading = launchImmediately {
                do {
                    for try await part in body {
                        exchange.didReceive(part)
                        if exchange.isPaused { await exchange.waitForRoom() }
                        guard !exchange.hasEnded else { break }
                    }
                    exchange.didEnd(with: nil)
                } catch {
                    exchange.didEnd(with: HTTPError(error, of: exchange.request, codedAs: exchange.codings))
                }
                withExtendedLifetime(transport) {}
            }
        }

        func cancel() {
            reading.cancel()
        }

        func pause() {}  // the reading task waits by itself

        func proceed() {}
    }

    extension Exchange {
        func didReceive(_ response: HTTPClientResponse) {
            didReceive(
                Int(response.status.code),
                HTTPHeaders(response.headers.map { HTTPHeaders.Field(name: $0.name, value: $0.value) }))
        }

        fileprivate func didReceive(_ part: ByteBuffer) {
            didReceive(part.readableBytes) { body in
                part.withUnsafeReadableBytes { body.append(contentsOf: $0) }
            }
        }
    }
#endif
