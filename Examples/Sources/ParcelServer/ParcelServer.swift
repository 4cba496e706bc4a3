package import DemoHTTP
package import Foundation

/// Serves a few invented parcels over real HTTP on loopback, so that the tool needs no set-up to be tried.
///
/// Each request for parcel 1 moves it one step on its way. A parcel cannot get a name that another one has.
package final class ParcelServer: Sendable {
    private struct NoAddress: Error {}

    /// The address of the server's root.
    package let url: URL
    /// A file for the cache of a client, in a folder that is removed with the server.
    package let cache: URL
    private let listener: Listener<ParcelSite>

    /// Starts a server at a free port, and returns once it accepts connections.
    package static func start() async throws -> ParcelServer {
        guard let listener = try await Listener.open(host: "127.0.0.1", port: 0, site: ParcelSite()) else {
            throw NoAddress()
        }
        return ParcelServer(listener)
    }

    private init(_ listener: Listener<ParcelSite>) {
        url = listener.url
        cache = FileManager.default.temporaryDirectory.appendingPathComponent("parcels-\(UUID())/parcels.sqlite")
        self.listener = listener
    }

    deinit { try? FileManager.default.removeItem(at: cache.deletingLastPathComponent()) }

    /// The requests that have reached the server.
    package var requests: RequestLog { listener.site.requests }

    /// Closes the port and every connection.
    package func stop() async throws { try await listener.close() }
}
