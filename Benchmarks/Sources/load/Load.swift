internal import ArgumentParser
internal import Foundation

/// Measures a service under load: processes of a server that uses Pigeon, with an origin, a Redis and wrk as processes beside
/// them, all on loopback. They share the processors.
@main
struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Measures a service under load.",
        subcommands: [ServeCommand.self, OriginCommand.self])

    @Option(help: "How long each load lasts, in seconds.")
    var seconds = 8

    @Option(help: "How long memory is watched under load, in minutes.")
    var minutes = 1

    func run() async throws {
        try await measureHotKey()
        try await measureDeadOrigin()
        try await measureExpiry(members: 1)
        try await measureExpiry(members: 4)
        try await measureMemory()
    }

    /// One key that all ask for, beside a handler that returns a constant.
    private func measureHotKey() async throws {
        let origin = try await Child("origin")
        let server = try await server(of: origin, freshFor: 1)
        var (constants, hots): ([Wrk], [Wrk]) = ([], [])
        for turn in 0..<4 {
            let constant = try Wrk([server], path: "/constant", seconds: seconds / 2)
            let hot = try Wrk([server], path: "/articles/7", seconds: seconds / 2)
            guard turn > 0 else { continue }
            constants.append(constant)
            hots.append(hot)
        }
        let (constant, hot) = (constants.map(\.rate).sorted()[1], hots.map(\.rate).sorted()[1])
        let failed = (constants + hots).map(\.failures).reduce(0, +)
        report("a constant", "\(number(constant)) answers a second")
        report("a hot key", "\(number(hot)) answers a second, \(failed) failed", ratio: hot / constant, atLeast: 0.7)
    }

    /// A thousand keys, which are stale after a second, before and after the origin is killed.
    private func measureDeadOrigin() async throws {
        let origin = try await Child("origin")
        let server = try await server(of: origin, freshFor: 1)
        _ = try Wrk([server], articles: 1000, seconds: seconds / 2)
        let healthy = try Wrk([server], articles: 1000, seconds: seconds)
        origin.kill()
        let dead = try Wrk([server], articles: 1000, seconds: seconds)
        for (title, run) in [("with the origin", healthy), ("without it", dead)] {
            let text = "99 % in \(run.p99) ms, \(number(run.rate)) answers a second, \(run.failures) failed"
            report(title, text, ratio: run.p99 / healthy.p99, atMost: 2)
        }
    }

    /// Ten thousand keys that become stale in about the second in which they were fetched.
    private func measureExpiry(members: Int) async throws {
        let (origin, redis, keys) = (try await Child("origin"), try await RedisServer(), 10_000)
        var servers: [Child] = []
        for _ in 0..<members { servers.append(try await server(of: origin, freshFor: 20, redis: redis)) }
        let start = ContinuousClock.now
        _ = try Wrk(servers, articles: keys, seconds: 8)
        let before = Int(try await origin.get("requests")) ?? 0
        // Asks for all keys again and again, from before they are stale until long after.
        try await Task.sleep(until: start + .seconds(16))
        let load = try Wrk(servers, articles: keys, seconds: 16)
        let asked = (Int(try await origin.get("requests")) ?? 0) - before
        report(
            members == 1 ? "a process" : "\(members) processes",
            "\(keys) keys that became stale took \(asked) requests, in \(number(load.rate * 16)) answers",
            ratio: Double(asked) / Double(keys), atMost: 1.1)
        redis.kill()
    }

    private func measureMemory() async throws {
        let origin = try await Child("origin")
        let server = try await server(of: origin, freshFor: 1)
        var sizes: [Int] = []
        for _ in 0..<minutes * 6 {
            _ = try Wrk([server], articles: 5000, seconds: 10)
            sizes.append(server.memory >> 20)
        }
        report("memory", "MiB each ten seconds: " + sizes.map(String.init).joined(separator: " "))
    }

    private func server(of origin: Child, freshFor: Int, redis: RedisServer? = nil) async throws -> Child {
        let redis = redis.map { ["--redis", $0.address] } ?? []
        return try await Child(
            "serve", ["--origin", "http://127.0.0.1:\(origin.port)", "--fresh-for", "\(freshFor)"] + redis)
    }

    private func report(_ title: String, _ text: String) {
        print(title.padding(toLength: 17, withPad: " ", startingAt: 0), text)
        fflush(nil)
    }

    private func report(
        _ title: String, _ text: String, ratio: Double, atMost most: Double = .infinity, atLeast least: Double = 0
    ) {
        let target = least > 0 ? "at least \(least)" : "at most \(most)"
        report(title, text + String(format: ", %.2f (%@)", ratio, target))
    }

    private func number(_ value: Double) -> String { String(format: "%.0f", value) }
}
