internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// A server that answers with bytes as they are, and keeps the heads of what it was asked.
final class RawServer: Sendable {
    typealias Script = @Sendable (_ request: RawRequest, _ wire: RawWire) async throws -> Void

    private let listener: any Channel
    private let heads: Heads

    final class Heads: Sendable {
        fileprivate let all = Mutex<[String]>([])
        private let isKept: Bool

        fileprivate init(isKept: Bool) {
            self.isKept = isKept
        }

        fileprivate func add(_ head: String) {
            if isKept { all.withLock { $0.append(head) } }
        }
    }

    /// - Parameters:
    ///   - tls: The identity to speak TLS with. `nil` for plain text.
    ///   - keepsHeads: False for a server that runs for long, whose memory must not grow.
    ///   - script: Answers a request. It may write what and as long as it likes; once it returns, the connection waits for
    ///     the next request.
    init(tls: NIOSSLContext? = nil, keepsHeads: Bool = true, _ script: @escaping Script) async throws {
        let heads = Heads(isKept: keepsHeads)
        self.heads = heads
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(RawConnection(heads: heads, script: script))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { listener.localAddress?.port ?? 0 }

    /// The heads of all requests so far.
    var requests: [String] { heads.all.withLock { $0 } }

    func stop() async { try? await listener.close().get() }

    /// One connection. Lives on its event loop.
    private final class RawConnection: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let heads: Heads
        private let script: Script
        private var received: [UInt8] = []
        private var answering: Task<Void, Never>?

        init(heads: Heads, script: @escaping Script) {
            self.heads = heads
            self.script = script
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += unwrapInboundIn(data).readableBytesView
            // A client that begins with TLS where there is none is told, as most servers do.
            guard received.first != 0x16 else {
                context.writeAndFlush(
                    NIOAny(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")), promise: nil)
                return context.close(promise: nil)
            }
            guard let end = received.indices.first(where: { received[$0...].starts(with: Array("\r\n\r\n".utf8)) })
            else { return }
            let head = String(decoding: received[..<end], as: UTF8.self)
            received = []
            heads.add(head)
            let wire = RawWire(channel: context.channel)
            answering = Task { [script] in
                do { try await script(RawRequest(head: head), wire) } catch { wire.close() }
            }
        }

        func channelInactive(context: ChannelHandlerContext) { answering?.cancel() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}

/// The head of a request as it reached the server.
struct RawRequest: Sendable {
    let head: String

    /// The path, without its query.
    var path: String {
        let target = head.split(separator: " ", maxSplits: 2).dropFirst().first ?? "/"
        return String(target.prefix { $0 != "?" })
    }
}

/// The server's end of a connection.
struct RawWire: Sendable {
    fileprivate let channel: any Channel

    /// Writes bytes, and waits until the system has taken them.
    func send(_ bytes: some Sequence<UInt8> & Sendable) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    /// Writes the same bytes again and again, until the other side has had enough.
    func sendForEver(_ text: String) async throws {
        let buffer = ByteBuffer(string: text)
        while true { try await channel.writeAndFlush(buffer) }
    }

    func close() { channel.close(promise: nil) }

    /// Ends the connection by a TCP reset.
    func reset() async throws {
        if let sockets = channel as? any SocketOptionProvider {
            try await sockets.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        close()
    }

    /// Says nothing until the connection ends.
    func beSilent() async throws { try await Task.sleep(for: .seconds(3600)) }
}
