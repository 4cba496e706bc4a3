#if AsyncHTTPClient
    internal import AsyncHTTPClient
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOHTTPCompression

    /// Makes responses fit for the handlers of AsyncHTTPClient that follow.
    ///
    /// - AsyncHTTPClient up to 1.37 takes a status below 100 for an interim response, and ends the process if a body
    ///   follows. Such a response is refused.
    /// - The decompressor knows a coding only by the first of its names, and fails without a body, although a response to
    ///   HEAD, a 204, a 304 and one of no length end with their heads, whatever their fields say (RFC 9112, 6.3). It reads
    ///   a name that it knows, and the compressed form of nothing in place of no body.
    final class ResponseGuard: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = HTTPClientResponsePart

        private var hasRefused = false
        /// True while the decompressor waits for the first byte of a body.
        private var isWaiting = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !hasRefused else { return }
            switch unwrapInboundIn(data) {
            case .head(let head) where head.status.code < 100:
                hasRefused = true
                context.fireErrorCaught(HTTPParserError.invalidStatus)
                context.close(promise: nil)
                return
            case .head(var head):
                if let coding = head.headers.knownCoding {
                    head.headers.replaceOrAdd(name: "Content-Encoding", value: coding)
                }
                isWaiting = head.headers.isDecompressed
                context.fireChannelRead(wrapInboundOut(.head(head)))
                return
            case .body(let part) where part.readableBytes > 0: isWaiting = false
            case .body: break
            case .end:
                guard isWaiting else { break }
                isWaiting = false
                context.fireChannelRead(wrapInboundOut(.body(ByteBuffer(bytes: Self.compressedNothing))))
            }
            context.fireChannelRead(data)
        }

        /// A member of gzip without contents (RFC 1952, 2.3).
        private static let compressedNothing: [UInt8] = [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ]
    }

    extension NIOHTTP1.HTTPHeaders {
        /// True if the decompressor takes the body for a compressed one: it reads the first name only.
        fileprivate var isDecompressed: Bool {
            let first = self[canonicalForm: "Content-Encoding"].first?.lowercased()
            return first == "gzip" || first == "deflate"
        }

        /// The coding of the body by the name under which the decompressor knows it. `nil` if there is none, or another,
        /// or several.
        fileprivate var knownCoding: String? {
            guard contains(name: "Content-Encoding") else { return nil }
            let fields = self["Content-Encoding"].map {
                PigeonHTTP.HTTPHeaders.Field(name: "Content-Encoding", value: $0)
            }
            let codings = PigeonHTTP.HTTPHeaders(fields).contentCodings
            guard codings.count == 1 else { return nil }
            return switch codings[0] {
            case "gzip", "x-gzip": "gzip"
            case "deflate": "deflate"
            default: nil
            }
        }
    }

    extension HTTPClient.Configuration {
        /// Adds a ``ResponseGuard`` before the client's own handlers, on each connection of HTTP/1.1 and each stream of
        /// HTTP/2. The client must decompress.
        mutating func guardResponses() {
            let addGuard: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let next = try pipeline.handler(type: NIOHTTPResponseDecompressor.self)
                    try pipeline.addHandler(ResponseGuard(), position: .before(next))
                }
            }
            http1_1ConnectionDebugInitializer = addGuard
            http2StreamChannelDebugInitializer = addGuard
        }
    }
#endif
