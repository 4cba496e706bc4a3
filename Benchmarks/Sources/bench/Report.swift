internal import Foundation

/// The figures of one run as a Markdown file.
struct Report {
    let figures: [Figure]

    init(_ figures: [Figure]) {
        self.figures = figures
    }

    func write(to url: URL) throws {
        try text.write(to: url, atomically: true, encoding: .utf8)
    }

    private var text: String {
        """
        # Results

        Written by `make bench` on \(Self.today).

        \(Machine.current.lines)

        Each figure is the median of several runs. The floor is the same work without the engine (a dictionary or a value
        under a mutex, plain closures, an array, one GRDB transaction, the bare HTTP client), measured in the same run. Other
        programs on the machine make all figures worse. "told" marks a figure without a target.

        | figure | what | measured | floor | target | |
        |---|---|---|---|---|---|
        \(figures.map(Self.row).joined(separator: "\n"))

        \(misses)

        ## How the figures were taken

        The bench runs off the main actor. Keys and definitions are made at the call, within the measured time, unless the
        figure says otherwise. The first of several runs does not count. The allocator keeps freed memory for all figures, so
        that none includes the system's work of clearing pages. [COUNTS.md](COUNTS.md) has numbers of calls, which do not depend
        on the machine.

        \(taken)
        """ + "\n"
    }

    private var misses: String {
        let missed = figures.filter(\.isMissed)
        guard !missed.isEmpty else { return "Every target is reached." }
        let reasons = missed.map { figure in
            "- **\(figure.name)**: \(Notes.reasons[figure.name] ?? "not looked into yet.")"
        }
        return "## Missed targets, and where the time goes\n\n" + reasons.joined(separator: "\n")
    }

    private var taken: String {
        let names = Set(figures.map { $0.name.prefix { $0 != "." } }.map(String.init))
        let workloads = Workload.all.map(\.name).filter(names.contains)
        return workloads.map { "- **\($0)**: \(Notes.taken[$0] ?? "")" }.joined(separator: "\n")
    }

    private static func row(_ figure: Figure) -> String {
        let unit = figure.unit.rawValue
        let cells = [
            figure.name, figure.subject, "\(Figure.text(figure.value)) \(unit)",
            figure.floor.map(Figure.text) ?? "", figure.target.map(Figure.text) ?? "", figure.verdict,
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private static var today: String {
        let parts = Calendar(identifier: .gregorian).dateComponents([.year, .month, .day], from: Date())
        return String(format: "%04d-%02d-%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0)
    }
}
