internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

/// A server of HTTP/2 over TLS, whose answers have the header fields that it is given, however wrong.
final class HTTP2Server: Sendable {
    private let listener: any Channel

    init(tls: NIOSSLContext) async throws {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.contentLengthValidation = .disabled
        connection.headerBlockValidation = .disabled
        let unchecked = connection
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
                    _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
                        mode: .server, connectionConfiguration: unchecked, streamConfiguration: .init()
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(Answerer())
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { listener.localAddress?.port ?? 0 }

    func stop() async { try? await listener.close().get() }

    /// Answers the one request of a stream as its path says: `/200`, `/099`, `/length`.
    private final class Answerer: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame.FramePayload
        typealias OutboundOut = HTTP2Frame.FramePayload

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .headers(let frame) = unwrapInboundIn(data) else { return }
            let path = frame.headers.first(name: ":path") ?? "/200"
            let fields: HPACKHeaders =
                path == "/length"
                ? [":status": "200", "content-length": "9223372036854775807"] : [":status": String(path.dropFirst())]
            context.write(wrapOutboundOut(.headers(.init(headers: fields))), promise: nil)
            let body = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(string: "hello")), endStream: true)
            context.writeAndFlush(wrapOutboundOut(.data(body)), promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
