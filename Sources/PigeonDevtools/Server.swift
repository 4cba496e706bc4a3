#if Devtools
    internal import Foundation
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix
    internal import NIOWebSocket

    /// Serves the page and its connections.
    final class Server: Sendable {
        let address: URL
        private let group: MultiThreadedEventLoopGroup
        private let listener: any Channel

        /// Everything that a connection may send at once, in bytes.
        private static let frameLimit = 1 << 20
        /// The most connections at a time. A page needs one, and a few while it loads.
        private static let connectionLimit = 64

        private init(_ group: MultiThreadedEventLoopGroup, _ listener: any Channel, _ address: URL) {
            (self.group, self.listener, self.address) = (group, listener, address)
        }

        static func start(_ hub: Hub, _ options: Devtools.Options) async throws -> Server {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let token = Token()
            let connections = ConnectionCount(limit: connectionLimit)
            let host = options.reach == .loopback ? "127.0.0.1" : "0.0.0.0"
            let bootstrap = ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 128)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.writeBufferWaterMark, value: .init(low: 256 << 10, high: 1 << 20))
                .childChannelInitializer { channel in
                    guard connections.add(channel) else {
                        return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
                    }
                    return configure(channel, Gate(token, options.reach, channel.localAddress?.port ?? 0), hub)
                }
            do {
                let listener = try await bootstrap.bind(host: host, port: options.port).get()
                let port = listener.localAddress?.port ?? options.port
                let name = options.reach == .loopback ? host : Machine.address
                guard let address = URL(string: "http://\(name):\(port)/?token=\(token.text)") else {
                    throw DevtoolsError.cannotListen(port: port, reason: "\(name) is no address")
                }
                return Server(group, listener, address)
            } catch {
                try? await group.shutdownGracefully()
                throw error as? DevtoolsError ?? .cannotListen(port: options.port, reason: "\(error)")
            }
        }

        private static func configure(_ channel: any Channel, _ gate: Gate, _ hub: Hub) -> EventLoopFuture<Void> {
            let page = NIOLoopBound(PageHandler(gate), eventLoop: channel.eventLoop)
            let upgrader = NIOWebSocketServerUpgrader(
                maxFrameSize: frameLimit,
                shouldUpgrade: { channel, head in
                    channel.eventLoop.makeSucceededFuture(gate.admitsSocket(head) ? HTTPHeaders() : nil)
                },
                upgradePipelineHandler: { channel, _ in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers(
                            NIOWebSocketFrameAggregator(
                                minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 1024,
                                maxAccumulatedFrameSize: frameLimit),
                            SocketHandler(hub))
                    }
                })
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                    withServerUpgrade: (
                        upgraders: [upgrader],
                        completionHandler: { context in _ = context.pipeline.syncOperations.removeHandler(page.value) }
                    ))
                try channel.pipeline.syncOperations.addHandlers(
                    IdleStateHandler(allTimeout: .seconds(60)), page.value)
            }
        }

        func close() {
            listener.close(promise: nil)
            group.shutdownGracefully { _ in }
        }

        func stop() async {
            try? await listener.close()
            try? await group.shutdownGracefully()
        }
    }

    /// Counts open connections, and refuses those beyond a limit.
    private final class ConnectionCount: @unchecked Sendable {  // used on the one event loop only
        private let limit: Int
        private var count = 0

        init(limit: Int) {
            self.limit = limit
        }

        func add(_ channel: any Channel) -> Bool {
            guard count < limit else { return false }
            count += 1
            channel.closeFuture.whenComplete { _ in self.count -= 1 }
            return true
        }
    }

    /// This machine, as others name it.
    private enum Machine {
        /// The address that another machine can reach. The loopback address if there is none.
        static var address: String {
            let devices = (try? System.enumerateDevices()) ?? []
            let addresses = devices.compactMap(\.address).filter { $0.protocol == .inet }
            return addresses.compactMap(\.ipAddress).first { !$0.hasPrefix("127.") } ?? "127.0.0.1"
        }
    }
#endif
