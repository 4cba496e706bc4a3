#if Redis && (os(Linux) || os(macOS))
    import Foundation
    import PigeonBase
    import PigeonCore
    import PigeonFleet
    import TestSupport
    import Testing

    @testable import PigeonRedis

    @Suite("A connection with an odd server", .timeLimit(.minutes(2)))
    struct RedisConnectionTests {
        private func connect(_ server: OddServer) -> HiredisConnection {
            HiredisConnection(host: "127.0.0.1", port: server.port, name: "127.0.0.1", nil)
        }

        @Test("more replies than commands end the connection, and not the process", .rule("A76"))
        func moreReplies() async throws {
            let server = try OddServer(replying: "+PONG\r\n*1\r\n:7\r\n+PONG\r\n")
            let connection = connect(server)
            let reply = try await connection.send(["PING"])
            #expect(reply == .string(Array("PONG".utf8)))
            await #expect(throws: FleetError.unreachable) { try await connection.send(["PING"]) }
            await until { server.isClosed }
        }

        @Test("a reply while nobody waits for one ends the connection, and not the process", .rule("A76"))
        func lateReply() async throws {
            let server = try OddServer(replying: "+PONG\r\n")
            let connection = connect(server)
            let reply = try await connection.send(["PING"])
            #expect(reply == .string(Array("PONG".utf8)))
            server.say(":7\r\n")
            await until { server.isClosed }
            await #expect(throws: FleetError.unreachable) { try await connection.send(["PING"]) }
        }

        @Test("several commands that wait each have their own reply", .rule("A76"))
        func manyCommands() async throws {
            let server = try OddServer(replying: "")
            let connection = connect(server)
            async let first = connection.send(["GET", "a"])
            await until { server.received.contains("\r\na\r\n") }
            async let second = connection.send(["GET", "b"])
            await until { server.received.contains("\r\nb\r\n") }
            server.say(":1\r\n")
            #expect(try await first == .integer(1))
            server.say(":2\r\n")
            #expect(try await second == .integer(2))
            connection.close()
            await until { server.isClosed }
        }
    }

    /// A server on loopback with one connection, on which it sends what a test says.
    private final class OddServer: Sendable {
        private struct State {
            var descriptor: Int32 = -1
            var received = ""
            var isClosed = false
        }

        struct Failure: Error {}

        let port: Int
        private let state = Locked(State())

        /// True once the client has ended the connection.
        var isClosed: Bool { state.withLock { $0.isClosed } }
        var received: String { state.withLock { $0.received } }

        /// - Parameter reply: The bytes that it sends when the first ones arrive.
        init(replying reply: String) throws {
            let listener = socket(AF_INET, RedisServer.streamSocket, 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let isListening = withUnsafeMutableBytes(of: &address) { bytes in
                var length = socklen_t(bytes.count)
                guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
                return bind(listener, start, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, start, &length) == 0
            }
            guard isListening else { throw Failure() }
            port = Int(UInt16(bigEndian: address.sin_port))
            Thread.detachNewThread { self.serve(listener, reply) }
        }

        func say(_ text: String) {
            let bytes = Array(text.utf8)
            guard !bytes.isEmpty else { return }
            _ = send(state.withLock { $0.descriptor }, bytes, bytes.count, 0)
        }

        private func serve(_ listener: Int32, _ reply: String) {
            let descriptor = accept(listener, nil, nil)
            close(listener)
            state.withLock { $0.descriptor = descriptor }
            var bytes = [UInt8](repeating: 0, count: 1024)
            while true {
                let count = recv(descriptor, &bytes, bytes.count, 0)
                guard count > 0 else { break }
                let text = String(decoding: bytes.prefix(count), as: UTF8.self)
                let isFirst = state.withLock { state in
                    defer { state.received += text }
                    return state.received.isEmpty
                }
                if isFirst { say(reply) }
            }
            close(descriptor)
            state.withLock { $0.isClosed = true }
        }
    }
#endif
