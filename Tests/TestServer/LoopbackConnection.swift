import Foundation
import NIOCore
import NIOHTTP1
import TestSupport

/// One connection of a ``LoopbackServer``. Used only on its event loop.
final class LoopbackConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart

    private let state: Watched<LoopbackServer.State>
    private let stopsAfterHead: Bool
    private let handler: LoopbackServer.Handler
    private var number = 0
    private var request: LoopbackRequest?
    private var answering: Task<Void, Never>?

    init(state: Watched<LoopbackServer.State>, stopsAfterHead: Bool, handler: @escaping LoopbackServer.Handler) {
        self.state = state
        self.stopsAfterHead = stopsAfterHead
        self.handler = handler
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        let (number, isStopped) = state.update { state in
            state.connectionCount += 1
            state.open[state.connectionCount] = channel
            return (state.connectionCount, state.isStopped)
        }
        self.number = number
        if isStopped { channel.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        answering?.cancel()
        let number = number
        state.update { $0.open[number] = nil }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            request = LoopbackRequest(head, connection: number)
            guard stopsAfterHead else { return }
            _ = context.channel.setOption(.autoRead, value: false)
            answer(on: context.channel)
        case .body(let bytes): request?.body.append(contentsOf: bytes.readableBytesView)
        case .end: answer(on: context.channel)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(on channel: any Channel) {
        guard let request else { return }
        self.request = nil
        let isStopped = state.update { state in
            if !state.isStopped { state.requests.append(request) }
            return state.isStopped
        }
        guard !isStopped else { return }
        answering = Task { [handler, state] in
            for step in await handler(request).steps {
                guard !Task.isCancelled, !state.value.isStopped else { return }
                do {
                    try await channel.perform(step)
                } catch {
                    return
                }
            }
        }
    }
}

extension Channel {
    fileprivate func perform(_ step: LoopbackReply.Step) async throws {
        switch step {
        case .bytes(let data):
            guard !data.isEmpty else { return }
            try await writeAndFlush(ByteBuffer(bytes: data))
        case .wait(let gate): await gate.wait()
        case .pause: try await Task.sleep(for: .milliseconds(5))
        case .note(let progress, let number): progress.update { $0 = number }
        case .close: try await close()
        case .reset:
            if let sockets = self as? any SocketOptionProvider {
                try await sockets.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            }
            try await close()
        }
    }
}
