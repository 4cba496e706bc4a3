#if AsyncHTTPClient
    internal import AsyncHTTPClient
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOHTTPCompression

    /// Refuses responses with a status below 100. AsyncHTTPClient up to 1.37 takes these for interim responses, and
    /// ends the process if a body follows.
    final class StatusGuard: ChannelInboundHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = HTTPClientResponsePart

        private var hasRefused = false

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !hasRefused else { return }
            if case .head(let head) = unwrapInboundIn(data), head.status.code < 100 {
                hasRefused = true
                context.fireErrorCaught(HTTPParserError.invalidStatus)
                context.close(promise: nil)
                return
            }
            context.fireChannelRead(data)
        }
    }

    extension HTTPClient.Configuration {
        /// Adds a ``StatusGuard`` before the client's own handlers, on each connection of HTTP/1.1 and each stream of
        /// HTTP/2. The client must decompress.
        mutating func guardStatus() {
            let addGuard: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    let next = try pipeline.handler(type: NIOHTTPResponseDecompressor.self)
                    try pipeline.addHandler(StatusGuard(), position: .before(next))
                }
            }
            http1_1ConnectionDebugInitializer = addGuard
            http2StreamChannelDebugInitializer = addGuard
        }
    }
#endif
