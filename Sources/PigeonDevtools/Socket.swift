#if Devtools
    internal import NIOCore
    internal import NIOWebSocket

    /// A WebSocket text channel. Its end receives the texts of the other side.
    struct Socket: Sendable {
        let channel: any Channel
        /// True on the side that opened the connection. It has to mask what it sends.
        let isClient: Bool

        /// False while the other side is too slow to read the texts.
        var isWritable: Bool { channel.isWritable }

        func read(_ isRead: Bool) { channel.setOption(.autoRead, value: isRead).whenFailure { _ in } }

        func send(_ text: ByteBuffer) { send(.text, text) }

        func send(_ message: JSONText) { send(.text, channel.allocator.buffer(bytes: message.bytes)) }

        func ping() { send(.ping, channel.allocator.buffer(capacity: 0)) }

        func close() { channel.close(promise: nil) }

        @discardableResult
        func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer) -> EventLoopFuture<Void> {
            let key = isClient ? WebSocketMaskingKey.random() : nil
            return channel.writeAndFlush(WebSocketFrame(fin: true, opcode: opcode, maskKey: key, data: data))
        }
    }

    /// Receives the texts of a WebSocket. Called on the event loop of its channel.
    protocol SocketEnd: AnyObject {
        /// True to send pings, and to close the connection if there is no answer.
        var hasPulse: Bool { get }
        func received(_ text: ByteBuffer)
        /// Called when the other side has become too slow to read the texts, or has caught up.
        func writabilityChanged()
        func closed()
    }

    extension SocketEnd {
        var hasPulse: Bool { false }
        func writabilityChanged() {}
    }

    final class SocketHandler: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame

        private let isClient: Bool
        private let end: any SocketEnd

        private init(isClient: Bool, _ end: any SocketEnd) {
            (self.isClient, self.end) = (isClient, end)
        }

        /// Adds the handlers of a WebSocket to a channel whose connection has been upgraded to one.
        static func add(
            to channel: any Channel, isClient: Bool, messageLimit: Int, _ makeEnd: (Socket) -> any SocketEnd
        ) throws {
            let pipeline = channel.pipeline.syncOperations
            let end = makeEnd(Socket(channel: channel, isClient: isClient))
            if end.hasPulse { try pipeline.addHandler(PulseHandler(isClient: isClient)) }
            try pipeline.addHandler(
                NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 1024, maxAccumulatedFrameSize: messageLimit))
            try pipeline.addHandler(SocketHandler(isClient: isClient, end))
        }

        func channelInactive(context: ChannelHandlerContext) {
            end.closed()
            context.fireChannelInactive()
        }

        func channelWritabilityChanged(context: ChannelHandlerContext) {
            end.writabilityChanged()
            context.fireChannelWritabilityChanged()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var frame = unwrapInboundIn(data)
            if let key = frame.maskKey { frame.data.webSocketUnmask(key) }
            switch frame.opcode {
            case .text: end.received(frame.data)
            case .ping: Socket(channel: context.channel, isClient: isClient).send(.pong, frame.data)
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
            let channel = context.channel
            Socket(channel: channel, isClient: isClient).send(.connectionClose, data).whenComplete { _ in
                channel.close(promise: nil)
            }
        }
    }

    /// Closes a connection that receives nothing any more, as after a computer went to sleep.
    final class PulseHandler: ChannelInboundHandler {
        typealias InboundIn = WebSocketFrame
        private let isClient: Bool
        private let interval: TimeAmount
        private var pulse: RepeatedTask?
        private var isQuiet = false

        init(isClient: Bool, interval: TimeAmount = .seconds(10)) {
            (self.isClient, self.interval) = (isClient, interval)
        }

        func handlerAdded(context: ChannelHandlerContext) {
            let socket = Socket(channel: context.channel, isClient: isClient)
            let this = NIOLoopBound(self, eventLoop: context.eventLoop)
            pulse = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
                guard !this.value.isQuiet else { return socket.close() }
                this.value.isQuiet = true
                socket.ping()
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            isQuiet = false
            context.fireChannelRead(data)
        }

        func channelInactive(context: ChannelHandlerContext) {
            pulse?.cancel()
            context.fireChannelInactive()
        }
    }
#endif
