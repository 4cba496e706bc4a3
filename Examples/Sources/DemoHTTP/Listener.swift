package import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Accepts connections on a port and has a site answer what they ask.
///
/// A listener that is let go closes its port and its connections.
package final class Listener<Content: Site>: Sendable {
    /// The address of the root, such as `http://127.0.0.1:49152`.
    package let url: URL
    package let site: Content

    private let channel: any Channel
    private let connections: Connections

    /// Opens a port, 0 for a free one, and returns once connections are accepted; `nil` for a host that makes no URL.
    package static func open(host: String, port: Int, site: Content) async throws -> Listener? {
        let connections = Connections()
        let channel = try await bootstrap(site: site, connections: connections).bind(host: host, port: port).get()
        guard let url = address(host: host, port: channel.localAddress?.port) else {
            try await channel.close()
            return nil
        }
        return Listener(url: url, site: site, channel: channel, connections: connections)
    }

    private init(url: URL, site: Content, channel: any Channel, connections: Connections) {
        self.url = url
        self.site = site
        self.channel = channel
        self.connections = connections
    }

    deinit {
        site.close()
        channel.close(promise: nil)
        _ = connections.closeAll()
    }

    /// Closes the port and every connection, and returns when they are closed. Requests under way are not answered.
    package func close() async throws {
        site.close()
        do { try await channel.close() } catch ChannelError.alreadyClosed {}
        for closed in connections.closeAll() { try await closed.get() }
    }

    package func waitUntilClosed() async throws {
        try await channel.closeFuture.get()
    }

    /// Closes the open connections, with what waits on them.
    package func dropConnections() {
        connections.drop()
    }

    private static func bootstrap(site: Content, connections: Connections) -> ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(IdleStateHandler(allTimeout: Limits.idleTime))
                    try pipeline.addHandler(BackPressureHandler())
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(ConnectionHandler(site: site, connections: connections))
                }
            }
            // Without it, an answer on a kept-alive connection waits for the client's delayed ACK: 40 ms.
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
    }

    private static func address(host: String, port: Int?) -> URL? {
        guard let port else { return nil }
        return URL(string: "http://\(host.contains(":") ? "[\(host)]" : host):\(port)")
    }
}
