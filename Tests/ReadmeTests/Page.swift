import Foundation
import Testing

/// A page of the documentation: README, the pages beside it, those of the catalogues, and the guides in `Documentation`.
struct Page: CustomTestStringConvertible, CustomStringConvertible, Sendable {
    struct Block {
        let language: String
        let code: String
    }

    /// The path below the package's folder.
    let path: String
    let text: String

    var description: String { path }
    var testDescription: String { path }

    /// The folder of the package.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let all: [Page] = {
        let beside = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map { root.appendingPathComponent($0) }
        let below = ["Documentation", "Sources"].flatMap { folder in
            files(in: folder, withExtension: "md") + files(in: folder, withExtension: "tutorial")
        }
        return (beside + below).compactMap(Page.init).sorted { $0.path < $1.path }
    }()

    init?(_ file: URL) {
        guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
        self.text = text
        path = String(file.path.dropFirst(Page.root.path.count + 1))
    }

    /// The blocks of code, in order.
    var blocks: [Block] {
        var blocks: [Block] = []
        var open: (language: String, indentation: Substring, lines: [Substring])?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let content = line.drop { $0 == " " }
            guard content.hasPrefix("```") else {
                open?.lines.append(line)
                continue
            }
            if let block = open {
                blocks.append(Block(language: block.language, code: block.lines.joined(separator: "\n")))
                open = nil
            } else {
                open = (String(content.dropFirst(3)), line.prefix { $0 == " " }, [])
            }
        }
        return blocks
    }

    var snippets: [String] { blocks.filter { $0.language == "swift" }.map(\.code) }

    /// What links to the page's headings name them by, as GitHub does.
    var anchors: Set<String> {
        let headings = prose.split(separator: "\n").filter { $0.hasPrefix("#") }
        return Set(
            headings.map { heading in
                let text = heading.drop { $0 == "#" || $0 == " " }.lowercased()
                return String(
                    text.filter { $0.isLetter || $0.isNumber || " -_".contains($0) }.map { $0 == " " ? "-" : $0 })
            })
    }

    /// The text without its blocks of code.
    var prose: String {
        text.components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }
            .map(\.element).joined(separator: "\n")
    }

    static func files(in folder: String, withExtension ending: String) -> [URL] {
        let folder = root.appendingPathComponent(folder)
        let files = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == ending }
    }
}
