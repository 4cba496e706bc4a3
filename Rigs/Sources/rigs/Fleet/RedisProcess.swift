internal import Foundation
internal import PigeonRedis

/// A Redis server of a rig's own, on a free port of loopback. It keeps nothing on disk.
final class RedisProcess: @unchecked Sendable {  // used by one task at a time
    let port: Int
    private var process: Process?

    init() async throws {
        // The system gives out another port each time.
        let listener = try await RawServer(keepsHeads: false) { _, _ in }
        port = listener.port
        await listener.stop()
        try start()
    }

    deinit {
        kill()
    }

    var address: String { "redis://127.0.0.1:\(port)" }

    func start() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "setpriv", "--pdeathsig", "KILL", "redis-server", "--port", "\(port)", "--bind", "127.0.0.1", "--save", "",
            "--appendonly", "no",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
    }

    func kill() {
        guard let process, process.isRunning else { return }
        signal(SIGCONT)
        signal(SIGKILL)
        process.waitUntilExit()
    }

    func signal(_ number: Int32) {
        if let process { Foundation.kill(process.processIdentifier, number) }
    }

    /// Runs commands of `redis-cli`.
    func run(_ command: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["redis-cli", "-p", "\(port)"] + command
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
    }
}
