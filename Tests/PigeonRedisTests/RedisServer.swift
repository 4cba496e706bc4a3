#if os(Linux) || os(macOS)
    import Foundation

    /// A Redis server of a program's own, on a free port of loopback. It keeps nothing on disk, and ends with its owner.
    /// Links make it a part of the rigs and of the benchmarks, too.
    final class RedisServer: @unchecked Sendable {  // each function is called by one task at a time
        static let program = ["/usr/bin/redis-server", "/usr/local/bin/redis-server", "/opt/homebrew/bin/redis-server"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }

        struct Failure: Error, CustomStringConvertible {
            let description: String
        }

        let port: Int
        private let arguments: [String]
        private var process: Process?
        private var life: Pipe?

        init(_ arguments: [String] = []) async throws {
            port = try Self.freePort()
            #if RedisTLS
                securePort = try Self.freePort()
                let file = Self.certificate?.file ?? ""
                let files = ["--tls-cert-file", file, "--tls-key-file", file, "--tls-ca-cert-file", file]
                self.arguments = ["--tls-port", "\(securePort)", "--tls-auth-clients", "no"] + files + arguments
            #else
                self.arguments = arguments
            #endif
            try await start()
        }

        deinit {
            kill()
        }

        #if RedisTLS
            /// Valid for the address, and trusted as if the system did. Its file is removed when the program ends.
            static let certificate: Certificate? = {
                let certificate = try? Certificate(for: "IP:127.0.0.1")
                setenv("SSL_CERT_FILE", certificate?.file ?? "", 1)
                atexit { RedisServer.certificate?.remove() }
                return certificate
            }()

            let securePort: Int
            var address: String { "rediss://127.0.0.1:\(securePort)" }
        #else
            var address: String { "redis://127.0.0.1:\(port)" }
        #endif

        /// Returns when the server accepts connections.
        func start() async throws {
            let program = Self.program ?? "redis-server"
            let options = ["--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
            // The shell becomes the server. Before, it starts a watch that kills it at the end of the pipe, which ends with this
            // program, also if that is killed.
            let watch = #"exec 3<&0; (read -r _ <&3; kill -9 $$) & exec "$@" 3<&-"#
            let life = Pipe()
            process = try Self.run(["sh", "-c", watch, "sh", program] + options + arguments, input: life)
            self.life = life
            for _ in 0..<500 {
                if try answers() { return }
                try await Task.sleep(for: .milliseconds(10))
            }
            throw Failure(description: "\(program) does not accept connections")
        }

        func kill() {
            guard let process, process.isRunning else { return }
            signal(SIGKILL)
            try? life?.fileHandleForWriting.close()
            process.waitUntilExit()
        }

        func signal(_ number: Int32) {
            if let process { Foundation.kill(process.processIdentifier, number) }
        }

        /// Runs a command of `redis-cli`.
        func run(_ command: String...) throws {
            try Self.run(["redis-cli", "-p", "\(port)"] + command).waitUntilExit()
        }

        fileprivate static func run(_ words: [String], input: Pipe? = nil) throws -> Process {
            let process = Process()
            if let input { process.standardInput = input }
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = words
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            return process
        }

        private func answers() throws -> Bool {
            #if RedisTLS
                guard try Self.withSocket(securePort, { connect($0, $1, $2) == 0 }) else { return false }
            #endif
            return try Self.withSocket(port) { connect($0, $1, $2) == 0 }
        }

        /// Ports that a server has or had.
        nonisolated(unsafe) private static var givenPorts: Set<Int> = []
        private static let lock = NSLock()

        static func freePort() throws -> Int {
            while true {
                let port = try portOfSystem()
                // The system gives a port again until the server uses it.
                if lock.withLock({ givenPorts.insert(port).inserted }) { return port }
            }
        }

        private static func portOfSystem() throws -> Int {
            try withSocket(0) { descriptor, address, length in
                var (new, length) = (sockaddr_in(), length)
                return try withUnsafeMutableBytes(of: &new) { bytes in
                    guard bind(descriptor, address, length) == 0,
                        let found = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                        getsockname(descriptor, found, &length) == 0
                    else { throw Failure(description: "no port of loopback is free") }
                    return Int(UInt16(bigEndian: bytes.load(as: sockaddr_in.self).sin_port))
                }
            }
        }

        /// `SOCK_STREAM`, which is of another type on each system.
        static let streamSocket: Int32 = 1

        /// Calls a function with a new socket and the address of a port of loopback.
        private static func withSocket<Result>(
            _ port: Int, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) throws -> Result
        ) throws -> Result {
            let descriptor = socket(AF_INET, RedisServer.streamSocket, 0)
            guard descriptor >= 0 else { throw Failure(description: "there is no socket left") }
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return try withUnsafeBytes(of: &address) { bytes in
                guard let start = bytes.baseAddress else { throw Failure(description: "there is no address") }
                return try body(descriptor, start.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            }
        }
    }

    /// A certificate that is its own authority, with its key, in one file.
    struct Certificate {
        let file: String

        /// - Parameter host: `DNS:name` or `IP:address`.
        init(for host: String) throws {
            file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).pem").path
            let made = try RedisServer.run(
                [
                    "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", "/CN=pigeon", "-addext", "subjectAltName=\(host)",
                ] + ["-keyout", "\(file).key", "-out", file])
            made.waitUntilExit()
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let key = try String(contentsOfFile: "\(file).key", encoding: .utf8)
            try (text + key).write(toFile: file, atomically: true, encoding: .utf8)
            try FileManager.default.removeItem(atPath: "\(file).key")
        }

        func remove() {
            try? FileManager.default.removeItem(atPath: file)
        }
    }
#endif
