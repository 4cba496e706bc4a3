internal import Foundation
#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A process of this program that is a server. It ends with its owner.
final class Child {
    let port: Int
    private let process = Process()
    private let life = Pipe()

    /// Returns when the server accepts connections.
    init(_ command: String, _ arguments: [String] = []) async throws {
        port = try RedisServer.freePort()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = [command, "--port", "\(port)"] + arguments
        process.standardInput = life
        try process.run()
        for _ in 0..<500 {
            if (try? await get("requests")) != nil { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw RedisServer.Failure(description: "\(command) does not accept connections")
    }

    deinit {
        kill()
    }

    func kill() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// The text that the server answers with, whatever its status.
    func get(_ path: String) async throws -> String {
        guard let url = URL(string: "http://127.0.0.1:\(port)/\(path)") else { return "" }
        return String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self)
    }

    /// The bytes of memory that the process has.
    var memory: Int {
        let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return (line?.split(separator: " ").compactMap { Int($0) }.first ?? 0) * 1024
    }
}
