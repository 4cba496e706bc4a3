#if Devtools
    import Foundation
    import NIOCore
    import NIOPosix

    /// A connection that sends bytes as they are.
    final class RawConnection: Sendable {
        private let channel: any Channel
        private let collector: Collector

        init(_ address: URL) async throws {
            let collector = Collector()
            self.collector = collector
            channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { channel in channel.pipeline.addHandler(collector) }
                .connect(host: "127.0.0.1", port: address.port ?? 0).get()
        }

        /// Sends a text, and returns all that is answered until the other end closes the connection.
        func answer(to text: String) async throws -> String {
            try await channel.writeAndFlush(channel.allocator.buffer(string: text))
            try await channel.closeFuture.get()
            return collector.text
        }

        func close() async {
            try? await channel.close()
        }

        private final class Collector: ChannelInboundHandler, @unchecked Sendable {  // guarded by the lock
            typealias InboundIn = ByteBuffer
            private let lock = NSLock()
            private var received = ByteBuffer()

            var text: String { lock.withLock { String(buffer: received) } }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                var buffer = unwrapInboundIn(data)
                lock.withLock { _ = received.writeBuffer(&buffer) }
            }
        }
    }

    /// A request, and the answer as text. Names of headers are in small letters.
    struct RawRequest {
        let head: String
        let body: String

        init(_ line: String, host: String? = nil, to address: URL) async throws {
            let host = host ?? "127.0.0.1:\(address.port ?? 0)"
            let answer = try await RawConnection(address).answer(
                to: "\(line)\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
            let parts = answer.components(separatedBy: "\r\n\r\n")
            let lines = (parts.first ?? "").components(separatedBy: "\r\n")
            head = lines.enumerated().map { index, line in
                guard index > 0, let colon = line.firstIndex(of: ":") else { return line }
                return line[..<colon].lowercased() + line[colon...]
            }.joined(separator: "\n")
            body = parts.dropFirst().joined(separator: "\r\n\r\n")
        }
    }
#endif
