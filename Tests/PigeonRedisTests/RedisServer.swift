#if Redis && (os(Linux) || os(macOS))
    import Foundation
    import PigeonCore
    import PigeonRedis

    /// A Redis server of a test's own, on a free port of loopback. It keeps nothing on disk, and ends with the test.
    final class RedisServer: @unchecked Sendable {  // each function is called by one test at a time
        static let program = ["/usr/bin/redis-server", "/usr/local/bin/redis-server", "/opt/homebrew/bin/redis-server"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }

        let port: Int
        private let arguments: [String]
        private var process: Process?

        init(_ arguments: [String] = []) async throws {
            port = try Self.freePort()
            self.arguments = arguments
            try await start()
        }

        deinit {
            kill()
        }

        var address: String { "redis://127.0.0.1:\(port)" }

        func start() async throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: Self.program ?? "/usr/bin/redis-server")
            process.arguments =
                ["--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"] + arguments
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            self.process = process
            let store = try RedisStore(address)
            for _ in 0..<500 {
                do {
                    _ = try await store.value(for: "ping")
                    return
                } catch FleetError.refused {
                    return  // a password is needed
                } catch {
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            throw FleetError.unreachable
        }

        func kill() {
            guard let process, process.isRunning else { return }
            signal(SIGCONT)
            signal(SIGKILL)
            process.waitUntilExit()
        }

        /// Runs a command of `redis-cli`.
        func run(_ command: String...) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["redis-cli", "-p", "\(port)"] + command
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
        }

        func signal(_ number: Int32) {
            if let process { Foundation.kill(process.processIdentifier, number) }
        }

        private static func freePort() throws -> Int {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    bind(descriptor, pointer, length) == 0 ? getsockname(descriptor, pointer, &length) : -1
                }
            }
            guard status == 0 else { throw FleetError.unreachable }
            return Int(UInt16(bigEndian: address.sin_port))
        }
    }
#endif
