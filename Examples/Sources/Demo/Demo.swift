import ArgumentParser
import Foundation

/// The command: reads its arguments, runs the scenes, and says by its exit code whether all went as told.
@main
struct Demo: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Shows what Pigeon does with real HTTP: sharing, caching, polling, paging, changing, failing.")

    @Option(
        help: "A server with the API of JSONPlaceholder. By default the demo starts one of its own.",
        transform: URL.ofServer)
    var url: URL?

    @Option(help: "The seed of what the demo's own server invents.")
    var seed: UInt64 = 1

    @Flag(name: .customLong("no-color"), help: "Print no colours, also on a terminal.")
    var isPlain = false

    @Option(help: .hidden)
    var secondStart: String?

    @Option(help: .hidden)
    var offlineChanges: String?

    @Option(help: .hidden)
    var spawnedAt: Double?

    func run() async throws {
        if let secondStart, let url { return try await reportSecondStart(from: secondStart, url) }
        if let offlineChanges, let url { try await changeAndDie(in: offlineChanges, url) }
        Deadline.start(after: .seconds(20))
        let style = isPlain ? Style.plain : .ofTerminal(environment: ProcessInfo.processInfo.environment)
        let timeline = Timeline(style: style) { line in
            // Who closes the pipe, as `head` does, has seen enough: the rest is played for nobody.
            try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
        }
        let demo = DemoRun(url: url, seed: seed, program: Bundle.main.executableURL, timeline: timeline)
        do {
            guard try await demo.play().isAsTold else { throw ExitCode.failure }
        } catch  where !(error is ExitCode) {
            complain("could not go on: \(error)")
            throw ExitCode.failure
        }
    }

    /// What the program does when scene 7 runs it a second time: one line of JSON, for the first process to show.
    private func reportSecondStart(from file: String, _ url: URL) async throws {
        let report = try await SecondStart.run(on: URL(fileURLWithPath: file), url, startedAt: start)
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(report))
    }

    /// Makes the changes of scene 8, reports them, and ends as if the system had killed the program.
    private func changeAndDie(in folder: String, _ url: URL) async throws {
        try await OfflineChanges.makeChanges(in: URL(fileURLWithPath: folder), url, startedAt: start) { report in
            try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(report))
            kill(getpid(), SIGKILL)
        }
    }

    private var start: Date { spawnedAt.map { Date(timeIntervalSince1970: $0) } ?? Date() }
}

/// Says on standard error what is wrong.
private func complain(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data("demo: \(text)\n".utf8))
}

/// Ends the program when it takes too long, whatever it waits for.
enum Deadline {
    static func start(after limit: Duration) {
        Task.detached {
            try await Task.sleep(for: limit)
            complain("not done after \(limit): giving up")
            exit(1)
        }
    }
}

extension URL {
    /// Reads the address of a server.
    static func ofServer(_ argument: String) throws -> URL {
        guard let url = URL(string: argument), ["http", "https"].contains(url.scheme), url.host != nil else {
            throw ValidationError("'\(argument)' is no address: give one such as https://jsonplaceholder.typicode.com")
        }
        return url
    }
}
