internal import ArgumentParser
internal import CCounts
internal import Foundation

/// Compares what the library's operations cost with a file, and fails if a cost grew.
///
/// The costs are numbers of calls and exponents of growth, which hardly depend on the machine and on what else it does.
/// `make bench-guard` builds the counting library and runs this.
struct Guard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fails if an operation makes more calls than the file says, or if its cost grows faster.")

    @Option(help: "The library that counts, built from Benchmarks/Counting.")
    var counting: String

    @Option(help: "The file with the numbers to compare.")
    var file = "Benchmarks/COUNTS.md"

    @Flag(help: "Write the numbers to the file instead.")
    var write = false

    @Option(parsing: .upToNextOption, help: "The parts to run. All by default.")
    var only: [String] = []

    func validate() throws {
        let unknown = only.filter { name in !GuardPart.all.contains { $0.name == name } }
        guard unknown.isEmpty else { throw ValidationError("no part is named \(unknown.joined(separator: ", "))") }
        guard !write || only.isEmpty else { throw ValidationError("--write needs all parts") }
    }

    func run() async throws {
        try restartIfNeeded()
        let parts = GuardPart.all.filter { only.isEmpty || only.contains($0.name) }
        let meter = Meter()
        let wanted = write ? nil : try CountsFile(contentsOf: URL(fileURLWithPath: file))
        let grown = try await Self.measure(parts, meter, wanted)
        guard let wanted else {
            try CountsFile.text(meter).write(to: URL(fileURLWithPath: file), atomically: true, encoding: .utf8)
            return print("guard: \(file) is written")
        }
        for line in wanted.notes(on: meter, isWhole: only.isEmpty) { print(line) }
        guard grown.isEmpty else {
            grown.forEach { print($0) }
            print("guard: \(grown.count) costs grew. If that is intended, `make bench-guard WRITE=1` accepts them.")
            throw ExitCode.failure
        }
        print("guard: no cost of \(meter.flows.count) operations and \(meter.growths.count) growths grew")
    }

    /// The counting library has to be loaded before all others.
    private func restartIfNeeded() throws {
        var calls = counts()
        guard !counts_read(&calls) else { return }
        let variable = "PIGEON_GUARD_RESTARTED"
        if ProcessInfo.processInfo.environment[variable] == nil {
            setenv(variable, "1", 1)
            fflush(nil)
            counts_restart(URL(fileURLWithPath: counting).path, CommandLine.unsafeArgv)
        }
        throw ValidationError("the counting library cannot be loaded from \(counting)")
    }

    /// Off the main actor, as a server or a background task would use the engine. Measures the parts in which a cost
    /// grew twice more, because the machine may have been busy.
    ///
    /// - Returns: A line for each cost that grew.
    @concurrent
    private static func measure(_ parts: [GuardPart], _ meter: Meter, _ wanted: CountsFile?) async throws -> [String] {
        unsetenv("LD_PRELOAD")
        for part in parts {
            let time = try await nanoseconds { try await part.run(meter) } / 1e9
            print("guard: \(part.name) measured in \(String(format: "%.1f", time)) s")
            fflush(nil)
        }
        guard let wanted else { return [] }
        for _ in 0..<2 where !wanted.grown(in: meter).isEmpty {
            let names = wanted.grown(in: meter).map(\.part)
            for part in parts where names.contains(part.name) { try await part.run(meter) }
        }
        return wanted.grown(in: meter).map(\.line)
    }
}

/// The file of the numbers: two Markdown tables.
struct CountsFile {
    private let numbers: [String: [Double]]

    init(contentsOf url: URL) throws {
        var numbers: [String: [Double]] = [:]
        for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let values = cells.dropFirst(2).compactMap(Double.init)
            if cells.count > 2, values.count == cells.count - 2 { numbers[cells[0]] = values }
        }
        self.numbers = numbers
    }

    /// The costs that are larger than in the file, each with the part that measures it.
    func grown(in meter: Meter) -> [(part: String, line: String)] {
        changes(in: meter, isGrowth: true).map { (String($0.name.prefix { $0 != "." }), $0.text) }
    }

    /// Notes for the developer: costs that became smaller, and rows that do not match.
    func notes(on meter: Meter, isWhole: Bool) -> [String] {
        let cheaper = changes(in: meter, isGrowth: false).map { $0.text + " (cheaper)" }
        let measured = Set((meter.flows + meter.growths).map(\.name))
        let gone = isWhole ? numbers.keys.filter { !measured.contains($0) }.sorted() : []
        let outdated = !cheaper.isEmpty || !gone.isEmpty
        return cheaper + gone.map { "guard: \($0) is in the file, but is not measured" }
            + (outdated ? ["guard: `make bench-guard WRITE=1` brings the file up to date"] : [])
    }

    private func changes(in meter: Meter, isGrowth: Bool) -> [(name: String, text: String)] {
        let sign = isGrowth ? 1.0 : -1.0
        let flows = meter.flows.flatMap { row in
            guard let old = numbers[row.name], old.count == row.numbers.count else {
                return isGrowth ? [(row.name, "guard: \(row.name) is not in the file")] : []
            }
            return zip(Meter.columns, zip(old, row.numbers)).compactMap { column, pair -> (String, String)? in
                let (old, new) = pair
                guard sign * (new - old) > max(old * 0.01, 0.5) else { return nil }
                return (row.name, "guard: \(row.name): \(column) \(Self.text(old)) → \(Self.text(new))")
            }
        }
        let growths = meter.growths.compactMap { row -> (String, String)? in
            guard let old = numbers[row.name]?.first else {
                return isGrowth ? (row.name, "guard: \(row.name) is not in the file") : nil
            }
            // A cost that falls with the number of elements is too small to repeat: it counts as constant.
            guard sign * (max(row.numbers[0], 0) - max(old, 0)) > 0.35 else { return nil }
            return (row.name, "guard: \(row.name): exponent \(Self.text(old)) → \(Self.text(row.numbers[0]))")
        }
        return flows + growths
    }

    static func text(_ meter: Meter) -> String {
        """
        # Counts

        Written by `make bench-guard WRITE=1` with Swift \(Machine.current.swift), release build, on Linux. `make bench-guard`
        compares it with what it measures, and fails if a number grew: calls by more than 1 % and by more than half a call,
        exponents by more than 0.35. [How they are taken](README.md#the-guard).

        ## Calls for one operation

        | flow | operation | \(Meter.columns.joined(separator: " | ")) |
        |---|---|\(Meter.columns.map { _ in "---:" }.joined(separator: "|"))|
        \(meter.flows.map(row).joined(separator: "\n"))

        ## Growth

        The exponent by which the processor time of one operation grows with the number of elements: 0 if it does not depend
        on it, 1 if it is proportional to it. Cold memory alone gives 0.1 to 0.3.

        | growth | operation | exponent |
        |---|---|---:|
        \(meter.growths.map(row).joined(separator: "\n"))
        """ + "\n"
    }

    private static func row(_ row: Meter.Row) -> String {
        "| \(row.name) | \(row.subject) | \(row.numbers.map(text).joined(separator: " | ")) |"
    }

    private static func text(_ number: Double) -> String {
        let text = String(format: "%.2f", number)
        return text == "-0.00" ? "0" : text.hasSuffix(".00") ? String(text.dropLast(3)) : text
    }
}
