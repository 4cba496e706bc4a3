internal import Foundation

/// One run of wrk, which sends requests over 500 connections as fast as they are answered.
struct Wrk {
    /// Answers in a second.
    let rate: Double
    /// The time in milliseconds in which 99 of 100 answers arrived.
    let p99: Double
    /// Answers that are no success, and requests without one.
    let failures: Int

    /// - Parameters:
    ///   - path: The path of all requests; `nil` for that of an article that is chosen at random for each.
    ///   - articles: The number of articles.
    init(_ servers: [Child], path: String? = nil, articles: Int = 1, seconds: Int) throws {
        let script = FileManager.default.temporaryDirectory.appendingPathComponent("load-\(UUID().uuidString).lua")
        defer { try? FileManager.default.removeItem(at: script) }
        let lines = """
            init = function(arguments) math.randomseed(tonumber(arguments[1])) end
            request = function() return wrk.format('GET', '/articles/' .. math.random(0, \(articles - 1))) end
            """
        try lines.write(to: script, atomically: true, encoding: .utf8)
        let processes = try servers.map { server in
            let (options, address) = (
                path == nil ? ["-s", script.path] : [], "http://127.0.0.1:\(server.port)\(path ?? "/")"
            )
            return try Self.start(
                ["wrk", "-t1", "-c\(500 / servers.count)", "-d\(seconds)s", "--latency"] + options
                    + [address, "--", "\(server.port)"])
        }
        // One after the other, while all run. Their texts are short.
        let runs = try processes.map { try Wrk(Self.output(of: $0)) }
        (rate, failures) = (runs.map(\.rate).reduce(0, +), runs.map(\.failures).reduce(0, +))
        p99 = runs.map(\.p99).max() ?? 0
    }

    private init(_ output: String) throws {
        guard let rate = output.firstMatch(of: #/Requests/sec:\s+([\d.]+)/#).flatMap({ Double($0.1) }),
            let time = output.firstMatch(of: #/99%\s+([\d.]+)(us|ms|s)/#), let number = Double(time.1)
        else { throw RedisServer.Failure(description: "wrk did not run: \(output)") }
        self.rate = rate
        p99 = number * ["us": 0.001, "ms": 1, "s": 1000][time.2, default: 1]
        failures =
            (output.firstMatch(of: #/Non-2xx or 3xx responses: (\d+)/#).flatMap { Int($0.1) } ?? 0)
            + (output.firstMatch(of: #/connect (\d+), read (\d+), write (\d+), timeout (\d+)/#)
                .map { [$0.1, $0.2, $0.3, $0.4].compactMap { Int($0) }.reduce(0, +) } ?? 0)
    }

    private static func start(_ words: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        (process.standardOutput, process.standardError) = (Pipe(), FileHandle.nullDevice)
        try process.run()
        return process
    }

    private static func output(of process: Process) -> String {
        let data = (process.standardOutput as? Pipe)?.fileHandleForReading.readDataToEndOfFile() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
