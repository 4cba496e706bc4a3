import Foundation
import Testing

/// Every Swift snippet of the documentation must be compiled: it stands, line by line, in a file of this folder, or in one
/// of `DocumentationStandInTests` if it needs SwiftUI. Pages are found by themselves: one that is new has nothing to be
/// added to.
@Suite("Snippets")
struct SnippetTests {
    @Test(arguments: Page.all)
    func `each Swift snippet of a page is compiled`(page: Page) throws {
        for snippet in page.snippets {
            let lines = Self.lines(of: snippet)
            let isCompiled = try Self.compiled.get().contains { $0.contains(lines) }
            #expect(isCompiled, "not compiled, in \(page):\n\(snippet)")
        }
    }

    @Test func `there are pages, with snippets`() {
        #expect(Page.all.contains { $0.path.hasSuffix("Pigeon.docc/Pigeon.md") })
        #expect(Page.all.contains { $0.path == "README.md" })
        #expect(Page.all.contains { $0.path.hasPrefix("Documentation/") })
        #expect(Page.all.flatMap(\.snippets).count > 50)
    }

    @Test func `each file of code in a tutorial is a file that Examples builds`() throws {
        let built = Set(try Page.files(in: "Examples", withExtension: "swift").map { try Data(contentsOf: $0) })
        let files = Page.files(in: "Sources", withExtension: "swift").filter { $0.path.contains(".docc/") }
        #expect(files.count > 10)
        // A manifest is tried by the reader's first build; it names a folder that is not there for us.
        for file in files where !file.lastPathComponent.hasSuffix("-Package.swift") {
            let isBuilt = built.contains(try Data(contentsOf: file))
            #expect(isBuilt, "no copy of a file in Examples: \(file.lastPathComponent)")
        }
    }

    @Test func `code that says nothing of its language is not Swift`() {
        for page in Page.all {
            let bare = page.blocks.filter { $0.language.isEmpty && $0.code.contains("let ") }
            #expect(bare.isEmpty, "a block in \(page) looks like Swift and does not say so")
        }
    }

    /// The files that are compiled, each as one text, with a line break before and after.
    private static let compiled = Result {
        try ["Tests/ReadmeTests", "Tests/DocumentationStandInTests"]
            .flatMap { Page.files(in: $0, withExtension: "swift") }
            .map { lines(of: try String(contentsOf: $0, encoding: .utf8)) }
    }

    /// The lines with their white space folded, blank ones left out.
    private static func lines(of text: String) -> String {
        "\n"
            + text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
            .filter { !$0.isEmpty }.joined(separator: "\n") + "\n"
    }
}
