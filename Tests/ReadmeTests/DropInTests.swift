import Foundation
import Testing

/// The lists in `Tests/DropIn` hold the code of old programs. Where one writes something else than the old program did, or tests
/// a claim of the guide, a comment or a test's name says `guide:` and the words of the guide.
@Suite("Drop-in lists")
struct DropInTests {
    private static let guide = Page(Page.root.appendingPathComponent("Documentation/MigratingFromSiesta.md"))

    /// What the list of Siesta names of its guide.
    private static let named = Result {
        try Page.files(in: "Tests/DropIn/Siesta", withExtension: "swift")
            .flatMap { try String(contentsOf: $0, encoding: .utf8).split(separator: "\n") }
            .compactMap { $0.firstMatch(of: /guide: (.+?)(?:"\))?$/).map { String($0.output.1) } }
    }

    @Test func `what a list names of its guide stands there`() throws {
        let text = try #require(Self.guide).text
        let named = try Self.named.get()
        #expect(named.count > 30)
        for words in named { #expect(text.contains(words), "not in the guide: \(words)") }
    }

    @Test func `each row of the guide that says "the same" is tested by the list`() throws {
        let named = try Self.named.get()
        let rows = try #require(Self.guide).text.split(separator: "\n").filter { $0.hasPrefix("|") }
        let claims = rows.filter { row in
            let answer = row.split(separator: "|").last ?? ""
            return ["the same", "as before", "as they stand"].contains { answer.contains($0) }
        }
        #expect(claims.count > 10)
        // What needs UIKit is tested with the stand-ins.
        for row in claims where !row.contains("PigeonUI") && !row.contains("UIImage") {
            #expect(named.contains { row.contains($0) }, "tested by no list: \(row)")
        }
    }
}
