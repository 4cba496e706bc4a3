internal import ArgumentParser
internal import CHeap
internal import Foundation

@main
struct Bench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Measures Pigeon beside what the same work costs without it.",
        subcommands: [Figures.self, Guard.self, Serve.self, Start.self], defaultSubcommand: Figures.self)
}

/// Measures the library, and prints and writes what it finds.
///
/// ```
/// swift run -c release --package-path Benchmarks bench --only W1 --write Benchmarks/RESULTS.md
/// ```
struct Figures: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Takes the figures of the workloads.")

    @Option(parsing: .upToNextOption, help: "The workloads to run, as in W1 W6. All by default.")
    var only: [String] = []

    @Option(help: "How often each figure is taken; the median counts.")
    var repetitions = 9

    @Option(help: "The Markdown file to write the figures to, with machine and date.")
    var write: String?

    @Flag(help: "Exit with 1 when a target is missed.")
    var strict = false

    func validate() throws {
        guard repetitions > 0 else { throw ValidationError("--repetitions must be 1 or more") }
        let unknown = only.filter { name in !Workload.all.contains { $0.name == name } }
        guard unknown.isEmpty else { throw ValidationError("no workload is named \(unknown.joined(separator: ", "))") }
    }

    func run() async throws {
        heap_keep_freed()
        let chosen = Workload.all.filter { only.isEmpty || only.contains($0.name) }
        let repetitions = repetitions
        let figures = try await Self.measure(chosen, repetitions)
        if let write { try Report(figures).write(to: URL(fileURLWithPath: write)) }
        if strict, figures.contains(where: { $0.isMissed }) { throw ExitCode.failure }
    }

    /// Off the main actor, as a server or a background task would use the engine.
    @concurrent
    private static func measure(_ workloads: [Workload], _ repetitions: Int) async throws -> [Figure] {
        var figures: [Figure] = []
        for workload in workloads {
            let recorder = Recorder(repetitions: repetitions)
            try await workload.run(recorder)
            figures += recorder.figures
        }
        return figures
    }
}
