import Foundation

/// Repositories that a program may stumble over.
enum EdgeCases {
    static let owner = "edge-cases"

    static var repositories: [Repository] {
        [
            make("empty") { $0.description = "" },
            make("nothing-at-all") { _ in },
            make("hostile") { repository in
                repository.description =
                    "Red \u{1B}[31malert\u{1B}[0m\u{7}, a title \u{1B}]0;owned\u{7} and\r\nlines\u{202E}"
                repository.stars = 3
            },
            make("wide") { $0.description = "全角文字と絵文字 👩‍👩‍👧‍👦🇩🇰 e\u{301}, zero\u{200B}width" },
            make("long") { $0.description = String(repeating: "A description without an end. ", count: 40) },
            make("dotted.name.js") { $0.homepage = "not a web address" },
            make(".github") { $0.homepage = "" },
        ]
    }

    private static func make(_ name: String, _ fill: (inout Repository) -> Void) -> Repository {
        let date = Date(timeIntervalSince1970: 1_500_000_000)
        var repository = Repository(owner: owner, name: name, createdAt: date, updatedAt: date)
        fill(&repository)
        return repository
    }
}
