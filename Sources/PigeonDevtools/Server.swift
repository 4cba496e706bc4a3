#if Devtools
    internal import Foundation
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix
    internal import NIOWebSocket

    /// The files and WebSockets of a port.
    struct Site: Sendable {
        let gate: Gate
        /// Maximum size of an incoming message, in bytes.
        let messageLimit: Int
        /// Finds a file by the name in the address.
        let file: @Sendable (String, HTTPRequestHead) -> PageFile?
        /// Creates the end of a WebSocket. `nil` if the request is refused.
        let end: @Sendable (HTTPRequestHead) -> (@Sendable (Socket) -> any SocketEnd)?
    }

    enum Server {
        /// Maximum size of a message from a browser or a desk, in bytes.
        static let messageLimit = 1 << 20
        /// Number of unsent bytes above which a socket counts as slow, and below which it no longer does.
        static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 256 << 10, high: 1 << 20)
        /// Maximum number of connections. A page needs one, and a few while it loads. A program needs one, and one for
        /// each browser that shows it.
        private static let connectionLimit = 64

        /// Listens until the group is shut down.
        ///
        /// - Returns: The port.
        static func listen(
            on group: any EventLoopGroup, _ reach: Devtools.Reach, port: Int, _ site: Site
        ) async throws(DevtoolsError) -> Int {
            let connections = ConnectionCount(limit: connectionLimit)
            let bootstrap = ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 128)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.writeBufferWaterMark, value: waterMark)
                .childChannelInitializer { channel in
                    guard connections.add(channel) else {
                        return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
                    }
                    return channel.eventLoop.makeCompletedFuture { try configure(channel, site) }
                }
            do {
                let listener = try await bootstrap.bind(host: reach == .network ? "0.0.0.0" : "127.0.0.1", port: port)
                    .get()
                return listener.localAddress?.port ?? port
            } catch {
                throw .cannotListen(port: port, reason: "\(error)")
            }
        }

        private static func configure(_ channel: any Channel, _ site: Site) throws {
            let port = channel.localAddress?.port ?? 0
            let page = PageHandler(site, port)
            let bound = NIOLoopBound(page, eventLoop: channel.eventLoop)
            let upgrader = NIOWebSocketServerUpgrader(
                maxFrameSize: site.messageLimit,
                shouldUpgrade: { channel, head in
                    let isWelcome = site.gate.admitsSocket(head, at: port) && site.end(head) != nil
                    return channel.eventLoop.makeSucceededFuture(isWelcome ? HTTPHeaders() : nil)
                },
                upgradePipelineHandler: { channel, head in
                    channel.eventLoop.makeCompletedFuture {
                        guard let end = site.end(head) else { throw ChannelError.ioOnClosedChannel }
                        try SocketHandler.add(
                            to: channel, isClient: false, messageLimit: site.messageLimit, end)
                    }
                })
            try channel.pipeline.syncOperations.configureHTTPServerPipeline(
                withServerUpgrade: (
                    upgraders: [upgrader],
                    completionHandler: { context in _ = context.pipeline.syncOperations.removeHandler(bound.value) }
                ))
            try channel.pipeline.syncOperations.addHandlers(IdleStateHandler(allTimeout: .seconds(60)), page)
        }
    }

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

    /// This machine, as seen from other machines.
    enum Machine {
        /// The address that another machine can reach. The loopback address if there is none.
        static var address: String {
            let devices = (try? System.enumerateDevices()) ?? []
            let addresses = devices.compactMap(\.address).filter { $0.protocol == .inet }
            return addresses.compactMap(\.ipAddress).first { !$0.hasPrefix("127.") } ?? "127.0.0.1"
        }
    }
#endif
