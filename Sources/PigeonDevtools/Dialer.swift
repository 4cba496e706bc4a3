#if Devtools
    internal import Foundation
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix
    internal import NIOWebSocket
    internal import PigeonBase

    /// The address at which a desk waits for programs, such as `ws://192.168.1.5:4775/?token=…`.
    struct DeskAddress: Sendable {
        let host: String
        let port: Int
        let token: String

        init(_ url: URL) throws(DevtoolsError) {
            guard url.scheme?.lowercased() == "ws" else { throw .badDesk(reason: "its scheme is not ws") }
            guard let host = url.host, !host.isEmpty else { throw .badDesk(reason: "it names no machine") }
            let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems
            guard let token = items?.first(where: { $0.name == "token" })?.value, !token.isEmpty else {
                throw .badDesk(reason: "it has no token")
            }
            (self.host, port, self.token) = (host, url.port ?? Desk.Options.programPort, token)
        }

        /// The address without its secret.
        var name: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

        func path(_ items: [URLQueryItem] = []) -> String {
            var path = URLComponents()
            path.path = "/socket"
            path.queryItems = [URLQueryItem(name: "token", value: token)] + items
            return path.string ?? path.path
        }
    }

    /// Connects a program with a desk, which shows its clients in browsers. Tries again while the desk cannot be reached.
    ///
    /// One connection tells the desk of the program. For each browser, the desk asks for one more, over which the program
    /// talks as it does with a browser that connects by itself.
    final class Dialer: SocketEnd, @unchecked Sendable {  // used on its event loop only, but for `isOver`
        private let desk: DeskAddress
        private let hub: Hub
        private let loop: any EventLoop
        private let isOver = Locked(false)
        /// The last announcement, which is not repeated with each attempt.
        private var announced = ""

        /// The time between two attempts to reach the desk.
        private static let pause = TimeAmount.seconds(1)
        /// The timeout of an attempt, for both the connection and the answer.
        private static let timeout = TimeAmount.seconds(5)

        init(_ desk: DeskAddress, _ hub: Hub, on loop: any EventLoop) {
            (self.desk, self.hub, self.loop) = (desk, hub, loop)
        }

        func start() { loop.execute { self.dial() } }

        /// Called before the event loop is shut down.
        func stop() { isOver.withLock { $0 = true } }

        // MARK: On the event loop

        private func dial() {
            let connection = connect(desk.path()) { socket in
                self.opened(socket)
                return self
            }
            connection.whenFailure { error in
                guard !self.isOver.withLock({ $0 }) else { return }
                self.announce("cannot be reached (\(error)). Trying again")
                self.dialLater()
            }
        }

        private func dialLater() {
            _ = loop.scheduleTask(in: Self.pause) { self.dial() }
        }

        private func opened(_ socket: Socket) {
            announce("shows this program")
            var program = JSONText()
            program.object { $0.writeProgram() }
            socket.send(program)
        }

        var hasPulse: Bool { true }

        /// Called when a browser of the desk shows this program.
        func received(_ text: ByteBuffer) {
            struct Request: Decodable {
                let browser: String
            }
            guard let request = try? JSONDecoder().decode(Request.self, from: Data(text.readableBytesView)) else {
                return
            }
            let path = desk.path([URLQueryItem(name: "browser", value: request.browser)])
            _ = connect(path) { Browser($0, self.hub) }
        }

        func closed() {
            guard !isOver.withLock({ $0 }) else { return }
            announce("has closed the connection. Trying again")
            dialLater()
        }

        private func announce(_ text: String) {
            guard announced != text else { return }
            announced = text
            hub.options.announce("Pigeon devtools: the desk at \(desk.name) \(text)")
        }

        /// Opens a WebSocket. `makeEnd` is called on the event loop.
        private func connect(
            _ path: String, _ makeEnd: @escaping @Sendable (Socket) -> any SocketEnd
        ) -> EventLoopFuture<Void> {
            let head = HTTPRequestHead(
                version: .http1_1, method: .GET, uri: path, headers: ["Host": desk.name, "Content-Length": "0"])
            let upgrader = NIOTypedWebSocketClientUpgrader<any Channel>(maxFrameSize: Server.messageLimit) {
                channel, _ in
                channel.eventLoop.makeSucceededFuture(channel)
            }
            var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
                upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                    upgradeRequestHead: head, upgraders: [upgrader],
                    notUpgradingCompletionHandler: { channel in
                        channel.close(promise: nil)
                        return channel.eventLoop.makeFailedFuture(Refusal())
                    }))
            configuration.leftOverBytesStrategy = .forwardBytes
            let bootstrap = ClientBootstrap(group: loop).connectTimeout(Self.timeout)
                .channelOption(.writeBufferWaterMark, value: Server.waterMark)
            return bootstrap.connect(host: desk.host, port: desk.port).flatMap { [configuration] channel in
                let upgraded = channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    return try pipeline.configureUpgradableHTTPClientPipeline(configuration: configuration)
                }.flatMap { $0 }.flatMapThrowing { channel in
                    // Nothing can be sent before the upgrade has ended. The desk sends nothing before it has received
                    // something.
                    try SocketHandler.add(to: channel, isClient: true, messageLimit: Server.messageLimit, makeEnd)
                }
                let limit = channel.eventLoop.scheduleTask(in: Self.timeout) { channel.close(promise: nil) }
                upgraded.whenComplete { _ in limit.cancel() }
                upgraded.whenFailure { _ in channel.close(promise: nil) }
                return upgraded
            }
        }

        private struct Refusal: Error, CustomStringConvertible {
            var description: String { "the token is wrong" }
        }
    }
#endif
