import Foundation
import PigeonUI
import SwiftUI
import Testing

@testable import Cards

@MainActor
@Suite("The cards app", .timeLimit(.minutes(2)))
struct CardsTests {
    // MARK: Feed

    @Test func `the feed grows to its end, with a picture in each row`() async {
        let visit = Visit(rows: 4)
        #expect(await visit.settles { $0.contains("(progress)") && $0.contains("{Feed}") })
        #expect(await visit.shows("Bea", "<picture"))
        #expect(visit.requests("/feed") == 1)
        visit.screen.scrollDown(by: 200)
        #expect(await visit.shows("You have seen everything."))
        #expect(visit.text.split(separator: "\n").count { $0.hasSuffix(" >") } == 25)
        #expect(await visit.passes { $0.components(separatedBy: "<picture").count == 26 })
    }

    @Test func `a page that fails leaves the others, and can be retried`() async {
        let visit = Visit(rows: 4)
        #expect(await visit.shows("Look what I found!"))
        visit.shop.isFailing = true
        visit.screen.scrollDown(by: 200)
        #expect(await visit.shows("Look what I found!", "  The server is being repaired.\n  [Try Again]"))
        visit.shop.isFailing = false
        visit.screen.tap("Try Again")
        #expect(await visit.shows("You have seen everything."))
    }

    @Test func `a feed that fails can be retried, and a refresh that fails keeps the posts`() async {
        let visit = Visit(isFailing: true)
        #expect(await visit.shows("The server is being repaired.\n[Try Again]"))
        visit.shop.isFailing = false
        visit.screen.tap("Try Again")
        #expect(await visit.shows("Look what I found!"))
        visit.shop.isFailing = true
        #expect(await visit.pullsDown())
        #expect(visit.text.contains("Look what I found!") && visit.text.contains("The server is being repaired."))
    }

    // MARK: Search

    @Test func `the search waits until the user has paused`() async {
        let visit = Visit()
        visit.screen.tap("Search")
        #expect(visit.text.contains("Type a part of a name"))
        for text in ["f", "fr", "fro"] {
            visit.screen.type(text, into: "Name of a card")
            visit.lab.advance(by: .milliseconds(200))
        }
        #expect(visit.requests("/search") == 0)
        #expect(await visit.shows("Frost Otter"))
        #expect(visit.requests("/search") == 1)
    }

    @Test func `the results of the last text stay until the next ones are there`() async {
        let visit = Visit()
        visit.screen.tap("Search")
        visit.screen.type("frost", into: "Name of a card")
        #expect(await visit.shows("Frost Otter"))
        visit.screen.type("lynx", into: "Name of a card")
        #expect(await visit.settles { $0.contains("Searching for “lynx”") && $0.contains("Frost Otter") })
        #expect(await visit.passes { $0.contains("Lynx") && !$0.contains("Searching") })
        #expect(!visit.text.contains("Frost Otter"))
        visit.screen.type("unicorn", into: "Name of a card")
        #expect(await visit.shows("No card has “unicorn” in its name."))
        visit.screen.type("", into: "Name of a card")
        #expect(visit.text.contains("Type a part of a name"))
    }

    // MARK: Cards

    @Test func `a new name is shown on all screens at once, and sent once`() async {
        let visit = Visit()
        #expect(await visit.shows("Look what I found!"))
        visit.screen.tap("Cards")
        #expect(await visit.shows("Stone Lynx"))
        visit.screen.tap("Stone Lynx")
        visit.rename(to: "Rock Lynx")
        #expect(visit.text.contains("Rock Lynx\nNumber 2 of 70") && visit.text.contains("Not yet saved"))
        #expect(await visit.passes { !$0.contains("Not yet saved") && !$0.contains("Saving") })
        #expect(visit.text.contains("Rock Lynx\nNumber 2 of 70"))
        visit.screen.goBack()
        #expect(visit.text.contains("Rock Lynx >") && !visit.text.contains("Stone Lynx >"))
        #expect(visit.server.transport.requests.count { $0.method == .patch } == 1)
    }

    @Test func `a name that the server refuses goes back, and the screen says why`() async {
        let visit = Visit()
        visit.screen.tap("Cards")
        #expect(await visit.shows("Dusk Toad"))
        visit.screen.tap("Dusk Toad")
        visit.rename(to: "Dawn Toad")
        #expect(visit.text.contains("Dawn Toad\n"))
        #expect(await visit.shows("This card is signed by its artist", "Dusk Toad\n"))
    }

    @Test func `without a network, changes are shown, counted and sent later`() async {
        let visit = Visit()
        visit.screen.tap("Cards")
        #expect(await visit.shows("Stone Lynx", "Frost Otter"))
        await visit.switchNetwork(thenOpen: "Cards")
        for (old, new) in [("Stone Lynx", "Rock Lynx"), ("Frost Otter", "Ice Otter")] {
            visit.screen.tap(old)
            visit.rename(to: new)
            #expect(await visit.shows("\(new)\nNumber", "Not yet saved"))
            visit.screen.goBack()
        }
        #expect(await visit.shows("Rock Lynx >", "Ice Otter >", "Offline. 2 changes are sent later.", "{Cards (2)}"))
        #expect(visit.server.transport.requests.allSatisfy { $0.method == .get })
        await visit.switchNetwork(thenOpen: "Cards")
        #expect(await visit.passes { !$0.contains("Cards (") && !$0.contains("Offline") && !$0.contains("Saving") })
        #expect(visit.server.transport.requests.count { $0.method == .patch } == 2)
        #expect(visit.text.contains("Rock Lynx >") && visit.text.contains("Ice Otter >"))
    }

    @Test func `a second start without a network shows what the first one loaded`() async {
        let first = Visit()
        #expect(await first.shows("Look what I found!", "<picture"))
        first.screen.tap("Cards")
        #expect(await first.shows("Stone Lynx"))
        await first.shop.client.flush()
        // No time passes, so nothing is requested.
        let second = Visit(nil, cache: first.cache)
        #expect(second.text.contains("Look what I found!"))
        second.screen.tap("Cards")
        #expect(second.text.contains("  Stone Lynx >"))
    }

    // MARK: Settings

    @Test func `signing in asks the server, and shows why it refuses`() async {
        let visit = Visit(nil)
        #expect(visit.text.contains("[Sign In] (disabled)") && !visit.text.contains("{Feed}"))
        visit.screen.type("A", into: "Your name")
        visit.screen.tap("Sign In")
        #expect(await visit.shows("A name has two letters or more."))
        visit.screen.type("Ann", into: "Your name")
        visit.screen.submit("Your name")
        #expect(await visit.shows("{Feed}"))
        visit.screen.tap("Settings")
        #expect(visit.text.contains("Signed in as: Ann"))
    }

    @Test func `signing out leaves nothing, and sends nothing that waited`() async {
        let visit = Visit()
        visit.screen.tap("Cards")
        #expect(await visit.shows("Stone Lynx"))
        await visit.switchNetwork(thenOpen: "Cards")
        visit.screen.tap("Stone Lynx")
        visit.rename(to: "Rock Lynx")
        visit.screen.tap("Settings")
        visit.screen.tap("Sign Out")
        #expect(visit.text.contains("Changes that are not yet sent are lost."))
        visit.screen.tap("Sign Out")
        #expect(await visit.shows("[Sign In]"))
        #expect(await visit.passes { _ in !visit.shop.notes.lines.contains { $0.contains("cards/") } })
        visit.shop.restoreNetwork()
        visit.lab.advance(by: .seconds(60))
        #expect(visit.cache.count == 0)
        #expect(visit.shop.client.entries().allSatisfy { !$0.hasValue })
        #expect(visit.shop.notes.lines.filter { $0.contains("cards/") } == [])
        #expect(visit.server.transport.requests.allSatisfy { $0.method == .get })
        let next = Visit(nil, cache: visit.cache)
        #expect(next.text.contains("[Sign In]"))
    }

    @Test func `who signs in after a sign-out without a network has one`() async {
        let visit = Visit()
        #expect(await visit.shows("{Feed}"))
        await visit.switchNetwork(thenOpen: "Settings")
        visit.screen.tap("Sign Out")
        visit.screen.tap("Sign Out")
        #expect(await visit.shows("[Sign In]"))
        visit.screen.type("Bea", into: "Your name")
        visit.screen.submit("Your name")
        #expect(await visit.shows("{Feed}"))
        #expect(!visit.shop.isOffline)
    }

    @Test func `the cache can be cleared, and what is on screen is loaded again`() async {
        let visit = Visit()
        #expect(await visit.shows("Look what I found!"))
        let requests = visit.requests("/feed")
        visit.screen.tap("Settings")
        visit.screen.tap("Clear Cache")
        #expect(await visit.passes { _ in visit.requests("/feed") > requests })
        visit.screen.tap("Feed")
        #expect(await visit.shows("Look what I found!"))
        visit.screen.tap("Settings")
        #expect(visit.text.contains("Signed in as: Ann"))
    }

    @Test func `the appearance is chosen here, and stays`() async {
        let visit = Visit()
        defer { visit.removeSettings() }
        visit.screen.tap("Settings")
        #expect(visit.text.contains("(x) As the system") && visit.screen.colorScheme == .light)
        visit.screen.tap("Dark")
        #expect(visit.text.contains("(x) Dark") && visit.screen.colorScheme == .dark)
        visit.screen.tap("As the system")
        #expect(visit.screen.colorScheme == .light)
    }

    @Test func `a list tells what happened, and why`() async {
        let visit = Visit()
        #expect(await visit.shows("Look what I found!"))
        visit.screen.tap("Settings")
        visit.screen.tap("What happened")
        #expect(await visit.shows("Loading: 0", "Changing: 0"))
        #expect(visit.shop.notes.lines.contains("feed fetching (observed)"))
        #expect(visit.text.contains(visit.shop.notes.lines[0]))
    }

    // MARK: All screens

    @Test func `no colour is the same in the light and in the dark`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Cards.swiftpm/Cards/Screens")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.count > 8)
        for file in files {
            let code = try String(contentsOf: file, encoding: .utf8)
            let fixed = /Color\((red|white|hue|\.)|\.(white|black|gray)\b/
            #expect(code.firstMatch(of: fixed) == nil, "\(file.lastPathComponent)")
        }
    }

    @Test func `previews show each state, and fetch nothing`() {
        let feed = Screen { FeedPreviews.previews }.text.components(separatedBy: "# Feed\n").dropFirst()
        #expect(feed.count == 4 && feed.first == "(progress)\n")
        #expect(feed.dropFirst(2).first?.contains("You have seen everything.") == true)
        #expect(feed.last?.contains("[Try Again]") == true)
        let details = Screen { CardDetailPreviews.previews }.text.components(separatedBy: "# Card\n").dropFirst()
        #expect(details.count == 4)
        #expect(details.allSatisfy { $0.contains("Frost Otter\nWorth 3 points.") })
        #expect(details.count { $0.contains("[Try Again]") } == 1)
    }
}
