#if Devtools
    import Foundation
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import NIOWebSocket
    import TestSupport

    /// A browser's end of a connection, for tests.
    final class SocketClient: @unchecked Sendable {  // the inbox has a lock
        struct Refused: Error {
            let status: Int
        }

        typealias Message = [String: Any]

        private let channel: any Channel
        private let inbox: Inbox

        private init(_ channel: any Channel, _ inbox: Inbox) {
            (self.channel, self.inbox) = (channel, inbox)
        }

        /// Connects as the page does.
        ///
        /// - Parameters:
        ///   - query: What the address has behind the token.
        ///   - headers: In place of those that a browser sends.
        /// - Throws: ``Refused`` if the server does not agree.
        static func connect(
            _ address: URL, token: String?? = .none, query: String = "", headers: [String: String] = [:],
            readsAtOnce: Bool = true
        ) async throws -> SocketClient {
            let port = address.port ?? 0
            let given = URLComponents(url: address, resolvingAgainstBaseURL: false)?.queryItems?.first?.value
            let token = token ?? given
            var fields = HTTPHeaders([("Host", "127.0.0.1:\(port)"), ("Origin", "http://127.0.0.1:\(port)")])
            for (name, value) in headers { fields.replaceOrAdd(name: name, value: value) }
            let inbox = Inbox()
            let refusal = MultiThreadedEventLoopGroup.singleton.next().makePromise(of: (any Channel).self)
            let head = HTTPRequestHead(
                version: .http1_1, method: .GET, uri: "/socket" + (token.map { "?token=\($0)\(query)" } ?? ""),
                headers: fields)
            _ = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelOption(.autoRead, value: true)
                .channelInitializer { channel in
                    let upgrader = NIOWebSocketClientUpgrader(
                        maxFrameSize: 64 << 20,
                        upgradePipelineHandler: { channel, _ in
                            channel.eventLoop.makeCompletedFuture {
                                try channel.pipeline.syncOperations.addHandler(Receiver(inbox))
                            }
                        })
                    let greeter = NIOLoopBound(Greeter(head, refusal), eventLoop: channel.eventLoop)
                    return channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHTTPClientHandlers(
                            leftOverBytesStrategy: .forwardBytes,
                            withClientUpgrade: (
                                upgraders: [upgrader],
                                completionHandler: { context in
                                    _ = context.pipeline.syncOperations.removeHandler(greeter.value)
                                    refusal.succeed(context.channel)
                                }
                            ))
                        try channel.pipeline.syncOperations.addHandler(greeter.value)
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
            let channel = try await refusal.futureResult.get()
            if !readsAtOnce { try await channel.setOption(.autoRead, value: false).get() }
            return SocketClient(channel, inbox)
        }

        func send(_ message: Message) throws {
            try send(bytes: JSONSerialization.data(withJSONObject: message))
        }

        func send(bytes: Data) {
            let buffer = channel.allocator.buffer(bytes: bytes)
            channel.writeAndFlush(
                WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: buffer), promise: nil)
        }

        func stopReading() async throws {
            try await channel.setOption(.autoRead, value: false).get()
        }

        func read() {
            channel.setOption(.autoRead, value: true).whenComplete { _ in self.channel.read() }
        }

        /// Returns the first message from now on, or that has arrived and was not returned, that is wanted.
        func next(_ type: String, where isWanted: (Message) -> Bool = { _ in true }) async throws -> Message {
            while true {
                if let found = inbox.take({ $0["type"] as? String == type && isWanted($0) }) { return found }
                if inbox.isClosed { throw Refused(status: 0) }
                try await Task.sleep(for: .milliseconds(5))
            }
        }

        /// All messages that have arrived and were not returned.
        var messages: [Message] { inbox.all }

        /// Waits for a message that has not arrived yet, and leaves it there.
        func arrival(of type: String) async throws {
            func count() -> Int { inbox.all.count { $0["type"] as? String == type } }
            let before = count()
            while count() == before {
                if inbox.isClosed { throw Refused(status: 0) }
                try await Task.sleep(for: .milliseconds(5))
            }
        }

        /// Returns all messages that have arrived and were not returned.
        func takeAll() -> [Message] { inbox.takeAll() }

        func closed() async {
            try? await channel.closeFuture.get()
        }

        func close() async {
            try? await channel.close()
        }

        private final class Inbox: @unchecked Sendable {  // guarded by the lock
            private let lock = NSLock()
            private var messages: [Message] = []
            private var isOver = false

            var all: [Message] { lock.withLock { messages } }
            var isClosed: Bool { lock.withLock { isOver } }

            func put(_ message: Message) {
                lock.withLock { messages.append(message) }
            }

            func takeAll() -> [Message] {
                lock.withLock {
                    defer { messages = [] }
                    return messages
                }
            }

            func close() {
                lock.withLock { isOver = true }
            }

            func take(_ isWanted: (Message) -> Bool) -> Message? {
                lock.withLock { messages.firstIndex(where: isWanted).map { messages.remove(at: $0) } }
            }
        }

        private final class Receiver: ChannelInboundHandler {
            typealias InboundIn = WebSocketFrame
            private let inbox: Inbox

            init(_ inbox: Inbox) {
                self.inbox = inbox
            }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                let frame = unwrapInboundIn(data)
                if frame.opcode == .connectionClose { return context.close(promise: nil) }
                guard frame.opcode == .text,
                    let message = try? JSONSerialization.jsonObject(with: Data(frame.data.readableBytesView))
                else { return }
                if let message = message as? Message { inbox.put(message) }
            }

            func channelInactive(context: ChannelHandlerContext) {
                inbox.close()
            }
        }

        /// Sends the request to upgrade, and reports the answer that refuses it.
        private final class Greeter: ChannelInboundHandler, RemovableChannelHandler {
            typealias InboundIn = HTTPClientResponsePart
            typealias OutboundOut = HTTPClientRequestPart
            private let head: HTTPRequestHead
            private let refusal: EventLoopPromise<any Channel>

            init(_ head: HTTPRequestHead, _ refusal: EventLoopPromise<any Channel>) {
                (self.head, self.refusal) = (head, refusal)
            }

            func channelActive(context: ChannelHandlerContext) {
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                if case .head(let head) = unwrapInboundIn(data) { refusal.fail(Refused(status: Int(head.status.code))) }
            }

            func channelInactive(context: ChannelHandlerContext) {
                refusal.fail(Refused(status: 0))
            }

            func errorCaught(context: ChannelHandlerContext, error: any Error) {
                refusal.fail(error)
            }
        }
    }
#endif
