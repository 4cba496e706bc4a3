import DemoHTTP
public import Foundation

/// Serves invented users, posts and comments as JSON over real HTTP on loopback, with latency and faults on demand.
///
/// The routes and field names are those of JSONPlaceholder; unlike it, writes change what is read afterwards. A write that
/// is repeated with its `Idempotency-Key` is answered as before, and not carried out again; one with the tag of an older
/// version in `If-Match` is refused with 412, and a post whose title has more than 80 characters with 422.
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

    let listener: Listener<BlogSite>

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
        let site = BlogSite(blog: .invented(seed: seed))
        guard let listener = try await Listener.open(host: host, port: port, site: site) else {
            throw DemoServerError.invalidHost(host)
        }
        return DemoServer(listener: listener)
    }

    private init(listener: Listener<BlogSite>) {
        url = listener.url
        self.listener = listener
    }

    /// Closes the port and every connection, and returns when they are closed. Requests under way are not answered.
    ///
    /// A server that is stopped already stays so.
    public func stop() async throws {
        try await listener.close()
    }

    /// Returns when the server has been stopped. Who waits for a server keeps it.
    public func waitUntilStopped() async throws {
        defer { withExtendedLifetime(self) {} }
        try await listener.waitUntilClosed()
    }
}
