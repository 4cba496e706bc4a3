import DemoHTTP
package import Foundation

/// Serves invented users and repositories over real HTTP on loopback, the way GitHub's API does, with latency, faults
/// and answers out of order on demand.
///
/// ```swift
/// let server = try await GitHubServer.start()
/// let user = server.url.appendingPathComponent("users/ann")
/// server.latency = Latency(paths: ["/search": .milliseconds(300)])
/// server.isOffline = true
/// try await server.stop()
/// ```
///
/// Every property of ``Settings`` is one of the server too, and can be changed while it runs: a change applies to
/// requests that arrive after it. A server that is let go closes its port and its connections.
@dynamicMemberLookup
package final class GitHubServer: Sendable {
    /// The address of the server's root, such as `http://127.0.0.1:49152`.
    package let url: URL

    let listener: Listener<HubSite>

    /// Starts a server on loopback and returns once it accepts connections.
    ///
    /// - Parameters:
    ///   - settings: How the server behaves at first.
    ///   - content: What the server knows.
    ///   - port: The port to listen on, 0 for a free one.
    /// - Throws: ``GitHubServerError`` for a port that is none; NIO's error where it cannot be opened.
    package static func start(
        _ settings: Settings = Settings(), content: Content = .invented(), port: Int = 0
    ) async throws -> GitHubServer {
        guard (0...Int(UInt16.max)).contains(port) else { throw GitHubServerError.invalidPort(port) }
        let site = HubSite(content: content, settings: settings)
        guard let listener = try await Listener.open(host: "127.0.0.1", port: port, site: site) else {
            throw GitHubServerError.noAddress
        }
        return GitHubServer(listener: listener)
    }

    private init(listener: Listener<HubSite>) {
        url = listener.url
        self.listener = listener
    }

    /// Closes the port and every connection, and returns when they are closed. Requests under way are not answered.
    ///
    /// A server that is stopped already stays so.
    package func stop() async throws {
        try await listener.close()
    }

    /// Returns when the server has been stopped. Who waits for a server keeps it.
    package func waitUntilStopped() async throws {
        defer { withExtendedLifetime(self) {} }
        try await listener.waitUntilClosed()
    }
}
