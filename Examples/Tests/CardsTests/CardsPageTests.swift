import Foundation
import SwiftUI
import Testing

@testable import Cards

/// `Documentation/Cards.md` shows each screen as a user sees it, in blocks of text that this test makes. After a change of the
/// app, run it once with `PIGEON_WRITE_PAGES=1`, which writes them anew.
@MainActor
@Suite("The page about the cards app", .timeLimit(.minutes(2)))
struct CardsPageTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Documentation/Cards.md").standardized

    @Test func `each block of the page is what the app shows`() async throws {
        let screens = await signIn().merging(feed()) { $1 }.merging(search()) { $1 }.merging(cards()) { $1 }
            .merging(settings()) { $1 }
        let page = try String(contentsOf: Self.file, encoding: .utf8)
        let (current, names) = Self.page(page, showing: screens)
        try #require(names.sorted() == screens.keys.sorted(), "each screen has one place in the page")
        if ProcessInfo.processInfo.environment["PIGEON_WRITE_PAGES"] != nil {
            try current.write(to: Self.file, atomically: true, encoding: .utf8)
        } else {
            #expect(page == current)
        }
    }

    // MARK: The screens

    private func signIn() async -> [String: String] {
        var screens: [String: String] = [:]
        let visit = Visit(nil)
        visit.screen.type("A", into: "Your name")
        visit.screen.tap("Sign In")
        #expect(await visit.shows("A name has two letters or more."))
        screens["sign in, refused"] = visit.text
        return screens
    }

    private func feed() async -> [String: String] {
        var screens: [String: String] = [:]
        let visit = Visit(rows: 3)
        #expect(await visit.settles { $0.contains("(progress)") })
        screens["feed, loading"] = visit.text
        #expect(await visit.showsPictures(3))
        screens["feed"] = visit.text
        screens["feed, spoken"] = visit.screen.spoken.prefix(3).joined(separator: "\n")
        visit.shop.isFailing = true
        #expect(await visit.pullsDown())
        screens["feed, not refreshed"] = visit.text

        let large = Visit(rows: 2, type: .accessibility3)
        #expect(await large.showsPictures(2))
        screens["feed, large text"] = large.text

        let end = Visit(rows: .max)
        #expect(await end.passes { $0.hasPictures(25) && $0.contains("everything") })
        screens["feed, end"] = end.text.lines.suffix(4).joined(separator: "\n")

        let failing = Visit(isFailing: true)
        #expect(await failing.shows("[Try Again]"))
        screens["feed, failed"] = failing.text
        return screens
    }

    private func search() async -> [String: String] {
        var screens: [String: String] = [:]
        let visit = Visit(rows: 3)
        visit.screen.tap("Search")
        screens["search, no text"] = visit.text
        visit.screen.type("frost", into: "Name of a card")
        #expect(await visit.passes { $0.hasPictures(3) })
        screens["search, results"] = visit.text
        visit.screen.type("lynx", into: "Name of a card")
        #expect(await visit.settles { $0.contains("Searching") })
        screens["search, next text"] = visit.text
        visit.screen.type("unicorn", into: "Name of a card")
        #expect(await visit.shows("No card"))
        screens["search, none"] = visit.text
        return screens
    }

    private func cards() async -> [String: String] {
        var screens: [String: String] = [:]
        let visit = Visit(rows: 4)
        visit.screen.tap("Cards")
        #expect(await visit.showsPictures(4))
        screens["cards"] = visit.text
        await visit.switchNetwork(thenOpen: "Cards")
        visit.screen.tap("Stone Lynx")
        #expect(await visit.shows("picture", "Offline"), "\(visit.text)")
        visit.screen.tap("Rename")
        visit.screen.type("Rock Lynx", into: "Name")
        screens["rename"] = visit.text
        visit.screen.tap("Save")
        #expect(await visit.shows("Offline. One change is sent later.", "(1)"))
        screens["card, offline"] = visit.text
        visit.screen.goBack()
        #expect(await visit.shows("Rock Lynx >"))
        screens["cards, offline"] = visit.text

        let refused = Visit(rows: 4)
        refused.screen.tap("Cards")
        #expect(await refused.showsPictures(4))
        refused.screen.tap("Dusk Toad")
        refused.rename(to: "Dawn Toad")
        #expect(await refused.shows("signed by its artist", "picture"))
        screens["card, refused"] = refused.text
        return screens
    }

    private func settings() async -> [String: String] {
        let visit = Visit()
        visit.screen.tap("Settings")
        var screens = ["settings": visit.text]
        visit.screen.tap("Sign Out")
        screens["sign out"] = visit.text.lines.suffix(4).joined(separator: "\n")
        visit.screen.tap("Sign Out")
        #expect(await visit.shows("[Sign In]"))
        screens["signed out"] = visit.text
        return screens
    }

    // MARK: The page

    /// The page with new blocks: each follows a line `<!-- name -->`.
    ///
    /// - Returns: The page, and the names of its blocks.
    private static func page(_ page: String, showing screens: [String: String]) -> (String, [String]) {
        var (result, names): ([String], [String]) = ([], [])
        var isOld = false
        for line in page.lines {
            if isOld || (line == "```text" && result.last == "```") {
                isOld = line != "```"
            } else if let name = line.wholeMatch(of: /<!-- (.+) -->/)?.output.1 {
                names.append(String(name))
                result += [line, "```text", screens[String(name)] ?? "no such screen", "```"]
            } else {
                result.append(line)
            }
        }
        return (result.joined(separator: "\n"), names)
    }
}

extension Visit {
    /// Lets time pass until the screen has as many pictures.
    fileprivate func showsPictures(_ count: Int) async -> Bool { await passes { $0.hasPictures(count) } }
}

extension String {
    fileprivate var lines: [String] { components(separatedBy: "\n") }

    fileprivate func hasPictures(_ count: Int) -> Bool { components(separatedBy: "<picture").count > count }
}
