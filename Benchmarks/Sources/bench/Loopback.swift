internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Answers each request with the same kilobyte of JSON, over real HTTP on loopback.
final class Loopback: Sendable {
    let url: URL
    private let listener: any Channel

    private init(url: URL, listener: any Channel) {
        self.url = url
        self.listener = listener
    }

    static func start() async throws -> Loopback {
        let body = ByteBuffer(bytes: try JSONEncoder().encode(Article(1)).prefix(1024))
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Answering(body))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = listener.localAddress?.port, let url = URL(string: "http://127.0.0.1:\(port)") else {
            throw URLError(.cannotFindHost)
        }
        return Loopback(url: url, listener: listener)
    }

    func stop() async throws {
        try await listener.close()
    }

    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let body: ByteBuffer
        private let head: HTTPResponseHead

        init(_ body: ByteBuffer) {
            self.body = body
            head = HTTPResponseHead(
                version: .http1_1, status: .ok,
                headers: ["Content-Type": "application/json", "Content-Length": String(body.readableBytes)])
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .end = unwrapInboundIn(data) else { return }
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
