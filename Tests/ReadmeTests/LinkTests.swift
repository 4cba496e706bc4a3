import Foundation
import Testing

/// What is linked to exists. DocC knows better, and is asked by `make docs`; this is quick, and a part of every test run.
@Suite("Links")
struct LinkTests {
    @Test(arguments: Page.all)
    func `each link of a page names a file, a page or a symbol`(page: Page) throws {
        for target in page.prose.matches(of: /\]\(([^)\s]+)\)/).map({ String($0.output.1) }) {
            guard !target.contains("://"), !target.hasPrefix("doc:") else { continue }
            let parts = target.split(separator: "#", omittingEmptySubsequences: false).map(String.init)
            let folder = Page.root.appendingPathComponent(page.path).deletingLastPathComponent()
            let file = folder.appendingPathComponent(parts[0])
            let exists = parts[0].isEmpty || FileManager.default.fileExists(atPath: file.path)
            #expect(exists, "no file: \(target) in \(page)")
            guard parts.count > 1 else { continue }
            let there = parts[0].isEmpty ? page : try #require(Page(file), "no page: \(target) in \(page)")
            #expect(there.anchors.contains(parts[1]), "no heading: \(target) in \(page)")
        }
        for target in page.prose.matches(of: /doc:([\w\/]+)/).map({ String($0.output.1) }) {
            let name = target.split(separator: "/").last.map(String.init) ?? target
            #expect(Self.pages.contains(name), "no page: \(target) in \(page)")
        }
        for target in page.prose.matches(of: /``([^`]+)``/).map({ String($0.output.1) }) {
            for name in Self.names(in: target) {
                #expect(Self.declared.contains(name), "no symbol \(name): \(target) in \(page)")
            }
        }
    }

    @Test func `there are links of each kind`() {
        let prose = Page.all.map(\.prose).joined()
        #expect(prose.contains("](Documentation/") && prose.contains("<doc:") && prose.contains("``/PigeonCore/"))
        #expect(Self.declared.count > 500)
    }

    /// The names of what a link to a symbol goes through: `/PigeonCore/QueryClient/clear()` gives three.
    private static func names(in target: String) -> [String] {
        let parts = target.split(separator: "/").map { $0.prefix { $0 != "(" && $0 != "-" } }
        return parts.map { $0.split(separator: ".").last.map(String.init) ?? "" }.filter { !$0.isEmpty }
    }

    private static let pages = Set(
        Page.all.map { ($0.path as NSString).lastPathComponent.components(separatedBy: ".")[0] })

    /// Every name that is declared in the library, and the names of its modules.
    private static let declared: Set<String> = {
        let files = Page.files(in: "Sources", withExtension: "swift")
        let texts = files.compactMap { try? String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
        let keywords = /\b(?:class|struct|enum|protocol|actor|func|typealias|let|var|case|macro)\s+`?(\w+)`?/
        let cases = /\bcase\s+[^:\n]*?,\s*(\w+)/
        let names =
            texts.matches(of: keywords).map { String($0.output.1) }
            + texts.matches(of: cases).map { String($0.output.1) }
        let modules =
            (try? FileManager.default.contentsOfDirectory(atPath: Page.root.appendingPathComponent("Sources").path))
            ?? []
        return Set(names + modules + ["init"])
    }()
}
