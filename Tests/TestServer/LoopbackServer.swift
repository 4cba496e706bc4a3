package import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import TestSupport

/// Serves one test on 127.0.0.1 and any free port. Sends the handler's replies byte for byte.
package final class LoopbackServer: Sendable {
    package typealias Handler = @Sendable (LoopbackRequest) async -> LoopbackReply

    struct State {
        var requests: [LoopbackRequest] = []
        var open: [Int: any Channel] = [:]
        var connectionCount = 0
        var isStopped = false
    }

    private let state: Watched<State>
    private let listener: any Channel

    /// - Parameter stopsAfterHead: True if the server answers as soon as a head has arrived, and reads no body.
    package init(stopsAfterHead: Bool = false, _ handler: @escaping Handler) async throws {
        let state = Watched(State())
        self.state = state
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
                        LoopbackConnection(state: state, stopsAfterHead: stopsAfterHead, handler: handler),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    /// The server's address with a path.
    package func url(_ target: String = "/") -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(listener.localAddress?.port ?? 0)\(target)") else {
            preconditionFailure("\(target) is no path")
        }
        return url
    }

    /// The requests so far.
    package var requests: [LoopbackRequest] { state.value.requests }
    /// Number of open connections.
    package var openConnections: Int { state.value.open.count }
    /// Number of connections so far.
    package var connectionCount: Int { state.value.connectionCount }

    /// Waits until so many requests have arrived.
    package func received(_ count: Int) async {
        await state.wait { $0.requests.count >= count }
    }

    /// Waits until so many connections are open.
    package func connectionsBecome(_ count: Int) async {
        await state.wait { $0.open.count == count }
    }

    /// Ends: nothing is accepted, read or answered any more, on no connection.
    package func stop() async {
        let channels = state.update { state in
            state.isStopped = true
            return Array(state.open.values)
        }
        try? await listener.close().get()
        for channel in channels { channel.close(promise: nil) }
        await state.wait { $0.open.isEmpty }
    }
}

/// Runs a test against a server with a handler, and stops the server.
package func withLoopback<Result>(
    stopsAfterHead: Bool = false, _ handler: @escaping LoopbackServer.Handler,
    test: (LoopbackServer) async throws -> Result
) async throws -> Result {
    let server = try await LoopbackServer(stopsAfterHead: stopsAfterHead, handler)
    do {
        let result = try await test(server)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}
