#if Devtools
    internal import Foundation
    internal import NIOCore
    internal import NIOWebSocket

    /// Connects a browser's WebSocket with the hub.
    final class SocketHandler: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        typealias OutboundOut = WebSocketFrame

        private let hub: Hub
        private var browser: Browser?

        init(_ hub: Hub) {
            self.hub = hub
        }

        func handlerAdded(context: ChannelHandlerContext) {
            let browser = Browser(context.channel)
            self.browser = browser
            hub.connect(browser, on: context.eventLoop)
        }

        func channelInactive(context: ChannelHandlerContext) {
            if let browser { hub.disconnect(browser) }
            browser = nil
            context.fireChannelInactive()
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            if context.channel.isWritable { browser?.sendEntries() }
            context.fireChannelWritabilityChanged()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var frame = unwrapInboundIn(data)
            if let key = frame.maskKey { frame.data.webSocketUnmask(key) }
            switch frame.opcode {
            case .text:
                let bytes = frame.data.readBytes(length: frame.data.readableBytes) ?? []
                if let browser { hub.receive(Data(bytes), from: browser) }
            case .ping:
                let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.data)
                context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
            case .connectionClose: close(context, .normalClosure)
            case .pong: break
            default: close(context, .unacceptableData)
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            close(context, .protocolError)
        }

        private func close(_ context: ChannelHandlerContext, _ code: WebSocketErrorCode) {
            var data = context.channel.allocator.buffer(capacity: 2)
            data.write(webSocketErrorCode: code)
            let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(frame)).whenComplete { _ in bound.value.close(promise: nil) }
        }
    }
#endif
