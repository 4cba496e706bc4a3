public import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves invented users, posts and comments as JSON over real HTTP on loopback, with latency and faults on demand.
///
/// The routes and field names are those of JSONPlaceholder; unlike it, writes change what is read afterwards.
///
/// ```swift
/// let server = try await DemoServer.start()
/// let posts = server.url.appendingPathComponent("posts")
/// server.latency = .milliseconds(120)
/// server.faults = .failing(["/posts"], status: 503, retryAfter: 1)
/// try await server.stop()
/// ```
///
/// A server that is let go closes its port and its connections.
public final class DemoServer: Sendable {
    /// The address of the server's root, such as `http://127.0.0.1:49152`.
    public let url: URL

    let site: Site
    private let listener: any Channel
    let connections: Connections

    /// Starts a server and returns once it accepts connections.
    ///
    /// - Parameters:
    ///   - host: The address to listen on.
    ///   - port: The port to listen on, 0 for a free one.
    ///   - seed: Decides the invented content: the same seed gives the same records.
    /// - Throws: ``DemoServerError`` for a host that makes no URL; NIO's error where the port cannot be opened.
    public static func start(
        host: String = "127.0.0.1", port: Int = 0, seed: UInt64 = 1
    ) async throws -> DemoServer {
        guard (0...Int(UInt16.max)).contains(port) else { throw DemoServerError.invalidPort(port) }
        let site = Site(blog: .invented(seed: seed))
        let connections = Connections()
        let listener = try await bootstrap(site: site, connections: connections).bind(host: host, port: port).get()
        guard let url = address(host: host, port: listener.localAddress?.port) else {
            try await listener.close()
            throw DemoServerError.invalidHost(host)
        }
        return DemoServer(url: url, site: site, listener: listener, connections: connections)
    }

    private init(url: URL, site: Site, listener: any Channel, connections: Connections) {
        self.url = url
        self.site = site
        self.listener = listener
        self.connections = connections
    }

    deinit {
        listener.close(promise: nil)
        _ = connections.closeAll()
    }

    /// Closes the port and every connection, and returns when they are closed. Requests under way are not answered.
    ///
    /// A server that is stopped already stays so.
    public func stop() async throws {
        site.close()
        do { try await listener.close() } catch ChannelError.alreadyClosed {}
        for closed in connections.closeAll() { try await closed.get() }
    }

    /// Returns when the server has been stopped. Who waits for a server keeps it.
    public func waitUntilStopped() async throws {
        defer { withExtendedLifetime(self) {} }
        try await listener.closeFuture.get()
    }

    private static func bootstrap(site: Site, connections: Connections) -> ServerBootstrap {
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
