import Foundation
import Testing

/// `Documentation/Rules.md` defines the numbers that tests and comments cite. Its head says how a citation is written.
@Suite("Rules")
struct RulesTests {
    struct Citation {
        let rule: String
        /// The file below the package's folder, and the line.
        let place: String
    }

    @Test func `each number that is cited has a rule`() throws {
        let rules = Set(try Self.rules.get())
        let citations = try Self.citations.get()
        #expect(citations.count > 1_000)
        for citation in citations where !rules.contains(citation.rule) {
            Issue.record("no rule \(citation.rule): \(citation.place)")
        }
    }

    @Test func `each rule is cited`() throws {
        let cited = Set(try Self.citations.get().map(\.rule))
        for rule in try Self.rules.get() where !cited.contains(rule) {
            Issue.record("no test or comment cites \(rule)")
        }
    }

    @Test func `each rule has one anchor, which is its number`() throws {
        let rules = try Self.rules.get()
        #expect(rules.count > 300)
        let twice = Dictionary(grouping: rules) { $0 }.filter { $0.value.count > 1 }.keys
        #expect(twice.isEmpty)
        for match in try Self.page.get().matches(of: /<a id="([^"]*)"><\/a>\*\*([^*]*)\*\*/) {
            #expect(Self.number(ofAnchor: match.output.1) == match.output.2)
        }
    }

    @Test(
        "citations are found, and what only looks like one is not",
        arguments: [
            (#"@Test("a retry waits", .rule("T36", "A14"))"#, ["T36", "A14"]),
            (#"@Test(.rule("H13")) func `a bit counts`()"#, ["H13"]),
            (#".rule("Siesta 28", "Siesta S19", "Pigeon P1b"),"#, ["Siesta 28", "Siesta S19", "Pigeon P1b"]),
            (#"@Suite("two rules in 1 place", .rule("PiuPiu P3", "D2"))"#, ["PiuPiu P3", "D2"]),
            (#"@Test("T36, A14: a retry waits")"#, ["T36", "A14"]), ("/// (T20–T22, E5).", ["T20", "T22", "E5"]),
            ("func `H13: a bit counts`()", ["H13"]), ("Siesta 28, S19: hooks", ["Siesta 28", "Siesta S19"]),
            ("D2, PiuPiu P3, P16: once", ["PiuPiu P3", "PiuPiu P16", "D2"]), ("Pigeon P1b: a miss", ["Pigeon P1b"]),
            ("Siesta 2 and 3: an address", ["Siesta 2", "Siesta 3"]), ("Siesta #245, Siesta 1.5, PiuPiu 1.11", []),
            (#""caf%C3%A9 caf\u{E9}" <A, B, P2: Publisher>"#, []),
        ])
    func grammar(_ line: String, _ rules: [String]) {
        #expect(Self.rules(citedIn: line, ofLibrary: nil) == rules)
    }

    @Test func `a list of a library's names leaves the name out`() {
        #expect(Self.rules(citedIn: "// guide: P18 (U12)", ofLibrary: "PiuPiu") == ["PiuPiu P18", "U12"])
        #expect(Self.rules(citedIn: "// guide: P18 (U12)", ofLibrary: nil) == ["U12"])
    }

    // MARK: The page

    private static let page = Result {
        try String(contentsOf: Page.root.appendingPathComponent("Documentation/Rules.md"), encoding: .utf8)
    }

    private static let rules = page.map { page in
        page.matches(of: /<a id="([^"]*)">/).map { number(ofAnchor: $0.output.1) }
    }

    /// `Siesta-S11` is the anchor of `Siesta S11`.
    private static func number(ofAnchor anchor: Substring) -> String {
        String(anchor.replacing("-", with: " "))
    }

    // MARK: What is cited

    private static let citations = Result {
        try ["Tests", "Sources"].flatMap { Page.files(in: $0, withExtension: "swift") }.flatMap(citations(in:))
    }

    private static func citations(in file: URL) throws -> [Citation] {
        let path = String(file.path.dropFirst(Page.root.path.count + 1))
        let library = path.firstMatch(of: /^Tests\/DropIn\/(\w+)\//).map { String($0.output.1) }
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { index, line in
            rules(citedIn: line, ofLibrary: library).map { Citation(rule: $0, place: "\(path):\(index + 1)") }
        }
    }

    private static func rules(citedIn line: some StringProtocol, ofLibrary library: String?) -> [String] {
        // Few lines have a letter before a digit, which is found out much faster than a match.
        guard zip(line.utf8, line.utf8.dropFirst()).contains(where: isNumber) || line.contains("Siesta ") else {
            return []
        }
        let line = String(line)
        let named = line.matches(of: ofLibraries).flatMap { match in
            match.output.2.matches(of: /[A-Z]?\d+[a-z]?/).map { "\(match.output.1) \($0.output)" }
        }
        let plain = line.replacing(ofLibraries, with: " ").matches(of: withoutName).compactMap { match in
            let number = String(match.output.1)
            guard "PFNSC".contains(number.prefix(1)) else { return number }
            return library.map { "\($0) \(number)" } ?? (number.hasPrefix("C") ? number : nil)
        }
        return named + plain
    }

    private static func isNumber(_ letter: UInt8, _ digit: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter)
            && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit)
    }

    /// A library's name and its numbers: `Siesta 28, S19`. A number with a point is a version.
    private static var ofLibraries: Regex<(Substring, Substring, Substring)> {
        #/
        (Pigeon(?=\ P) | StoreFlowable(?=\ F) | PiuPiu(?=\ [PN]) | Siesta) \ # The name.
        ([PFNSC]?\d+[a-z]? (?:(?: , | \ and) \ [PFNSC]?\d+[a-z]?)*) # Its numbers.
        (?!\w | \.\d)
        /#
    }

    /// A number of Pigeon's own: `T28`. That of a library counts in the list of that library's names.
    private static var withoutName: Regex<(Substring, Substring)> {
        /(?:^|[\s"`(\-–])([ABCDEHORTUVXPFNS]\d+)(?!\w)/
    }
}
