import Testing

@testable import Demo

@Suite("What the demo prints")
struct OutputTests {
    @Test func `colours set text off, and plain style leaves it`() {
        #expect(Style(isColored: true)(.green, "yes") == "\u{1B}[32myes\u{1B}[0m")
        #expect(Style.plain(.green, "yes") == "yes")
    }

    @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"]])
    func `a terminal that refuses colours gets none`(_ environment: [String: String]) {
        #expect(!Style.ofTerminal(environment: environment).isColored)
    }

    @Test func `the table adds up what was saved`() {
        let rows = [("1  First", Tally(reads: 4, requests: 1)), ("2  Second", nil)]
        let table = ClosingTable(rows: rows, total: Tally(reads: 4, requests: 1), counter: "the server")
        let lines = table.lines(.plain)
        #expect(lines[1].split(separator: " ") == ["1", "First", "4", "1", "3", "0", "0"])
        #expect(lines[2].split(separator: " ") == ["2", "Second", "skipped"])
        #expect(lines.contains("4 reads served with 1 requests, as the server counted: 3 saved, 75 %."))
    }

    @Test func `long text loses its end, short text none`() {
        #expect("pigeons".shortened(to: 5) == "pige…")
        #expect("pigeons".shortened(to: 7) == "pigeons")
    }
}
