internal import ArgumentParser
internal import Foundation

/// Runs every rig in a process of its own, one after the other, and shares the time out between them.
struct All: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs all rigs.")

    /// The share of the time that each rig has, in percent.
    private static let shares: [(name: String, percent: Double)] = [
        ("crash", 13), ("outbox", 13), ("damage", 11), ("hostile", 20), ("tls", 6), ("fuzz", 9), ("signout", 5),
        ("faults", 5), ("fleet", 12), ("soak", 6),
    ]

    @Option(help: "Minutes for all of them together.")
    var minutes = 4.0

    @Option(help: "The seed of all random choices. By default a new one each time.")
    var seed = UInt64.random(in: 1...999_999)

    func validate() throws {
        guard minutes > 0 else { throw ValidationError("--minutes must be more than 0") }
    }

    func run() async throws {
        var broken: [String] = []
        for (name, percent) in Self.shares {
            let seconds = max(1, Int(minutes * 60 * percent / 100))
            if try Self.run(name, seconds: seconds, seed: seed) != 0 { broken.append(name) }
        }
        guard broken.isEmpty else {
            say("broken: \(broken.joined(separator: ", "))")
            throw ExitCode.failure
        }
    }

    private static func run(_ name: String, seconds: Int, seed: UInt64) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = [name, "--seconds", "\(seconds)", "--seed", "\(seed)"]
        try process.run()
        process.waitUntilExit()
        guard process.terminationReason == .exit else {
            say("\(name): ended by signal \(process.terminationStatus) (seed \(seed))")
            return -1
        }
        return process.terminationStatus
    }
}
