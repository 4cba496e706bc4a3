internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// A way to a server on loopback that can be slow or interrupted.
final class SlowWire: Sendable {
    private struct State {
        var delay = TimeAmount.zero
        var isCut = false
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let listener: any Channel
    private let state: Shared

    private final class Shared: Sendable {
        let state = Mutex(State())
    }

    init(to port: Int) async throws {
        let shared = Shared()
        state = shared
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { client in
                guard !shared.state.withLock({ $0.isCut }) else { return client.close() }
                return ClientBootstrap(group: client.eventLoop)
                    .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .connect(host: "127.0.0.1", port: port)
                    .flatMap { server in
                        client.eventLoop.makeCompletedFuture {
                            try client.pipeline.syncOperations.addHandler(End(other: server, shared))
                            try server.pipeline.syncOperations.addHandler(End(other: client, shared))
                        }
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { listener.localAddress?.port ?? 0 }

    /// The time that each message takes longer.
    func delay(by time: TimeAmount) {
        state.state.withLock { $0.delay = time }
    }

    /// Passes nothing on, and closes nothing, as a network that is interrupted.
    func cut() {
        state.state.withLock { $0.isCut = true }
    }

    /// Works again. What was sent in the meantime is lost, so its connections end.
    func mend() {
        let channels = state.state.withLock { state in
            let wasCut = state.isCut
            (state.delay, state.isCut) = (.zero, false)
            return wasCut ? Array(state.channels.values) : []
        }
        for channel in channels { channel.close(promise: nil) }
    }

    func stop() async {
        for channel in state.state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
        try? await listener.close().get()
    }

    /// Passes on what it receives.
    private final class End: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any Channel
        private let shared: Shared

        init(other: any Channel, _ shared: Shared) {
            (self.other, self.shared) = (other, shared)
        }

        func handlerAdded(context: ChannelHandlerContext) {
            shared.state.withLock { [channel = context.channel] in $0.channels[ObjectIdentifier(channel)] = channel }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            let (delay, isCut) = shared.state.withLock { ($0.delay, $0.isCut) }
            guard !isCut else { return }
            let other = other
            guard delay > .zero else { return other.writeAndFlush(bytes, promise: nil) }
            context.eventLoop.scheduleTask(in: delay) { other.writeAndFlush(bytes, promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) {
            shared.state.withLock { [channel = context.channel] in $0.channels[ObjectIdentifier(channel)] = nil }
            other.close(promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
