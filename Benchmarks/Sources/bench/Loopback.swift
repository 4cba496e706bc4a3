internal import ArgumentParser
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// A server in a process of its own, which answers each request with the same kilobyte of JSON, over HTTP on loopback.
final class Loopback: Sendable {
    let url: URL
    private let process: Process
    private let input: Pipe

    private init(url: URL, process: Process, input: Pipe) {
        self.url = url
        self.process = process
        self.input = input
    }

    /// Starts this program again as the server.
    static func start() async throws -> Loopback {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["serve"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(answer.trimmingCharacters(in: .whitespacesAndNewlines)),
            let url = URL(string: "http://127.0.0.1:\(port)")
        else { throw URLError(.cannotFindHost) }
        return Loopback(url: url, process: process, input: input)
    }

    func stop() async throws {
        try input.fileHandleForWriting.close()
        process.terminate()
        process.waitUntilExit()
    }
}

/// The server's program: prints its port, and ends when its input does, even if that is because the bench has crashed.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answers requests until its input ends. The bench starts it.", shouldDisplay: false)

    func run() async throws {
        let body = ByteBuffer(bytes: try JSONEncoder().encode(Article(1)).prefix(1024))
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 256)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Answering(body))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let port = listener.localAddress?.port else { throw URLError(.cannotFindHost) }
        print(port)
        fflush(nil)
        while readLine() != nil {}
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
