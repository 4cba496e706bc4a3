/// The table at the end: a line for each scene, and one for all.
struct ClosingTable {
    let rows: [(title: String, tally: Tally?)]
    let total: Tally
    /// Who counted the requests.
    let counter: String

    func lines(_ style: Style) -> [String] {
        let head = line("", ["reads", "requests", "saved", "304s", "failed"])
        let body = rows.map { row in
            guard let tally = row.tally else { return style(.dim, line(row.title, ["skipped"])) }
            return line(row.title, cells(tally))
        }
        let sum = line("all", cells(total))
        let percent = Int((total.savedFraction * 100).rounded())
        return [style(.dim, head)] + body + [style(.bold, sum), ""] + [
            "\(total.reads) reads served with \(total.requests) requests, as \(counter) counted: "
                + "\(total.saved) saved, \(percent) %.",
            "304s, answers without a body: \(total.notModified). "
                + "Failures survived, with data on screen: \(total.failures).",
        ]
    }

    private func cells(_ tally: Tally) -> [String] {
        [tally.reads, tally.requests, tally.saved, tally.notModified, tally.failures].map(String.init)
    }

    private func line(_ title: String, _ cells: [String]) -> String {
        "  " + title.padded(to: 46) + cells.map { $0.padded(to: 10, alignment: .right) }.joined()
    }
}
