import DemoHTTP
import Foundation
import GitHubAPI
import GitHubBrowser
import GitHubServer
import PigeonREST
import PigeonTesting
import TerminalKit
import Testing

@testable import GitHubBrowserCommand

@Suite("The browser, seen from outside", .timeLimit(.minutes(1)))
@MainActor
struct BlackBoxTests {
    @Test("(a) Typing A, AB, A never shows what AB has under A, whatever order the answers come in")
    func outOfOrder() async throws {
        let browsing = try await Browsing()
        let server = browsing.server
        try await browsing.run("wait")
        server.hold("/users/a", "/users/an")
        try await browsing.run("type a", "type n", "erase")
        try await server.requests { $0.count(path: "/users/an") > 0 && $0.count(path: "/users/a") > 0 }
        server.release("/users/an")
        // Nobody looks at it any more, but it comes all the same.
        _ = try await browsing.browser.api.user("an").loadedIfNeeded()
        #expect(browsing.state.rows.isEmpty && browsing.state.card == nil)
        server.release("/users/a")
        try await browsing.run("wait")
        #expect(browsing.state.card?.login == "a")
        #expect(browsing.state.rows.count == 1)
        try await browsing.run("type n", "wait", "erase", "type n", "erase", "wait")
        #expect(browsing.states.contains { $0.card?.login == "an" && $0.rows.count == 3 })
        for state in browsing.states where !state.text.isEmpty {
            #expect(state.card.map { $0.login == state.text } ?? true)
            #expect(state.rows.allSatisfy { $0.owner == state.text })
        }
    }

    @Test("(b) Names that are typed again while they are fresh cost no request")
    func retyped() async throws {
        let browsing = try await Browsing(debounce: .milliseconds(300))
        func search(_ name: String) async throws {
            try await browsing.run("search \(name)")
            #expect(browsing.state.status == .loading && browsing.rows.isEmpty)
            browsing.clock.advance(by: .milliseconds(300))
            try await browsing.run("wait")
        }
        try await search("ann")
        try await search("bob")
        let (count, rows) = (browsing.server.requests.count, browsing.rows)
        #expect(rows.count == 12)
        try await search("ann")
        try await search("BOB")
        #expect(browsing.rows == rows)
        #expect(browsing.server.requests.count == count)
        #expect(browsing.server.requests.count(path: "/users") == 4)
        browsing.clock.advance(by: .seconds(31))
        try await search("ann")
        #expect(browsing.server.requests.count == count + 2)
    }

    @Test("A name is looked for once nothing was typed for 300 ms, and never in part")
    func debounced() async throws {
        let browsing = try await Browsing(debounce: .milliseconds(300))
        try await browsing.run("type b")
        browsing.clock.advance(by: .milliseconds(299))
        try await browsing.run("type o")
        browsing.clock.advance(by: .milliseconds(299))
        try await browsing.run("type b")
        browsing.clock.advance(by: .milliseconds(300))
        try await browsing.run("wait")
        #expect(browsing.rows.count == 12)
        let asked = browsing.server.requests.records.filter { $0.target.hasPrefix("/users") }.map(\.target)
        #expect(asked == ["/users/bob", "/users/bob/repos?sort=updated"])
    }

    @Test("(c) Back and forth to a repository costs no request, and later none that brings anything")
    func backAndForth() async throws {
        let browsing = try await Browsing()
        let server = browsing.server
        try await browsing.run("login ann", "search ann", "wait", "open 1", "wait")
        let screen = browsing.screen
        server.resetRequests()
        try await browsing.run("back", "open 1", "wait", "back", "open 1", "wait")
        #expect(server.requests.count == 0)
        #expect(browsing.screen == screen)
        browsing.clock.advance(by: .seconds(31))
        try await browsing.run("back", "open 1", "wait")
        let asked = server.requests.records.filter { !$0.target.hasPrefix("/user/starred") }
        #expect(asked.count >= 3)
        #expect(asked.allSatisfy { $0.isConditional && $0.status == 304 })
        #expect(browsing.screen == screen)
    }

    @Test("(d) Logging out leaves nothing private, in any model or on disk")
    func logOut() async throws {
        let directory = TemporaryDirectory()
        let browsing = try await Browsing(cachingIn: directory.url)
        try await browsing.run("login ann", "search ann", "wait")
        let index = try #require(browsing.state.rows.firstIndex { $0.name == "secret-plans" })
        try await browsing.run("open \(index + 1)", "wait")
        #expect(browsing.screen.contains("ann/secret-plans"))
        #expect(browsing.models.contains("secret-plans"))
        #expect(try directory.contains("secret-plans"))
        try await browsing.run("logout")
        #expect(!browsing.screen.contains("secret-plans"))
        #expect(!browsing.models.contains("secret-plans"))
        try await browsing.run("wait")
        for text in ["secret-plans", "tax-2025", Account.ann.token] {
            #expect(!browsing.screen.contains(text))
            #expect(!browsing.models.contains(text))
            #expect(try !directory.contains(text))
        }
        #expect(browsing.state.account == .nobody)
        #expect(!browsing.rows.isEmpty)
        // The list of those who are not logged in is kept as before.
        #expect(try directory.contains("gentle-index"))
    }

    @Test("(e) A star shows in both views, at once and for good")
    func star() async throws {
        let browsing = try await Browsing()
        try await browsing.run("login ann", "search ann", "wait", "open 1", "wait")
        let before = try #require(browsing.state.detail?.stars)
        let row = "★ \(before + 1) │ ★ \(before + 1)"
        browsing.server.hold("/user/starred")
        let starring = try await browsing.run("star")
        #expect(starring.contains("\(row)  starring…"), "\(starring)")
        // Another word before the server has answered the first is not heard.
        #expect(try await browsing.run("unstar", "star") == "> unstar\n> star\n")
        browsing.server.release()
        #expect(try await browsing.run("wait").contains("\(row)  starred by you"))
        #expect(browsing.server.requests.count(method: "DELETE", path: "/user/starred") == 0)
        try await browsing.run("back")
        #expect(browsing.state.rows.first?.stars == before + 1)
        try await browsing.run("open 1", "unstar", "back", "wait")
        #expect(browsing.state.rows.first?.stars == before)
        try await browsing.run("reload", "wait", "open 1", "wait")
        #expect(browsing.state.rows.first?.stars == before)
        #expect(browsing.state.detail?.isStarred == false)
    }

    @Test("A star that the server refuses is put back, and it is said why")
    func refusedStar() async throws {
        let browsing = try await Browsing()
        try await browsing.run("login ann", "search ann", "wait", "open 1", "wait")
        let before = browsing.screen
        browsing.server.hold("/user/starred")
        browsing.server.faults = .failing(["/user/starred"], status: 403)
        #expect(try await browsing.run("star") != before)
        browsing.server.release()
        await browsing.until { $0.notice != nil }
        try await browsing.run("wait")
        #expect(browsing.screen == before + "\n" + browsing.lastLine)
        #expect(browsing.lastLine.hasPrefix(" ! "))
        #expect(browsing.browser.api.client.outbox.snapshot.isEmpty)
    }

    @Test("Stars are given and taken back offline, shown as not sent, and sent once when there is a network")
    func offlineStars() async throws {
        let browsing = try await Browsing()
        try await browsing.run("login ann", "search ann", "wait", "open 1", "wait")
        let before = try #require(browsing.state.detail?.stars)
        #expect(try await browsing.run("offline", "star").contains("★ \(before + 1)  starred, not sent yet"))
        try await browsing.run("unstar", "wait")
        #expect(browsing.state.detail?.stars == before)
        #expect(browsing.state.detail?.starring == nil)
        try await browsing.run("star", "wait")
        #expect(browsing.server.requests.count(path: "/user/starred") == 1)
        let online = try await browsing.run("online", "wait")
        #expect(online.contains("★ \(before + 1)  starred by you"), "\(online)")
        #expect(browsing.server.requests.count(method: "PUT", path: "/user/starred") == 1)
        #expect(browsing.server.requests.count(method: "DELETE", path: "/user/starred") == 0)
    }

    @Test("A star given offline is there in the next run, before anything is asked of the server, and is sent then")
    func starsOfTheLastRun() async throws {
        let directory = TemporaryDirectory()
        let server = try await GitHubServer.start()
        let first = try await Browsing(server, cachingIn: directory.url, login: "ann")
        try await first.run("search ann", "wait", "open 1", "wait", "offline", "star")
        let stars = try #require(first.state.detail?.stars)
        #expect(try !directory.contains(Account.ann.token))
        // Another person's stars are not ann's.
        let other = try await Browsing(server, cachingIn: directory.url, login: "bob")
        try await other.run("search ann", "wait", "open 1", "wait")
        #expect(other.state.detail?.isStarred == false)
        #expect(server.requests.count(method: "PUT", path: "/user/starred") == 0)
        server.hold("/")
        let second = try await Browsing(server, cachingIn: directory.url, login: "ann")
        try await second.run("search ann")
        await second.until { !$0.rows.isEmpty }
        try await second.run("open 1")
        await second.until { $0.detail?.stars != nil && $0.detail?.isStarred != nil }
        #expect(second.state.detail?.stars == stars)
        #expect(second.state.detail?.isStarred == true)
        server.release()
        await second.until { $0.detail?.starring == nil }
        try await second.run("wait")
        #expect(second.state.detail?.stars == stars)
        #expect(server.requests.count(method: "PUT", path: "/user/starred") == 1)
    }

    @Test("(d) What a user has starred and not sent is gone once they have logged out")
    func unsentStarsOfWhoLoggedOut() async throws {
        let directory = TemporaryDirectory()
        let browsing = try await Browsing(cachingIn: directory.url)
        try await browsing.run("login ann", "search ann", "wait", "open 1", "wait", "offline", "star", "logout")
        try await browsing.run("login bob", "online", "wait", "logout", "login ann", "wait")
        #expect(browsing.server.requests.count(method: "PUT", path: "/user/starred") == 0)
        #expect(browsing.browser.api.client.outbox.snapshot.isEmpty)
    }

    @Test("(f) Where the rate limit is reached, the server says so")
    func rateLimit() async throws {
        let browsing = try await Browsing()
        try await browsing.run("limit 0", "search ann", "wait")
        #expect(browsing.lastLine.hasPrefix(" ! API rate limit exceeded"))
        #expect(browsing.lastLine.hasSuffix("· r to retry"))
    }

    @Test("(g) What failed is asked for again once somebody has logged in")
    func logInAfterFailure() async throws {
        let browsing = try await Browsing()
        try await browsing.run("limit 0", "search ann", "wait")
        #expect(browsing.state.rows.isEmpty)
        try await browsing.run("login ann", "wait")
        #expect(browsing.state.card?.login == "ann")
        #expect(browsing.rows.count == 26)
        #expect(browsing.state.account == .signedIn("ann"))
    }

    @Test("The active repositories are there again after logging in and out with an empty field")
    func activeList() async throws {
        let browsing = try await Browsing()
        try await browsing.run("wait")
        let rows = browsing.rows
        #expect(rows.count == 30)
        for (command, count) in [("login bob", 2), ("logout", 3)] {
            try await browsing.run(command)
            #expect(browsing.rows.isEmpty)
            try await browsing.run("wait")
            #expect(browsing.rows == rows)
            #expect(browsing.server.requests.count(path: "/search/repositories") == count)
        }
    }

    @Test("A query and the resource of its address share one request, and what came of it")
    func sharedRequest() async throws {
        let browsing = try await Browsing()
        try await browsing.run("wait")
        let (api, server) = (browsing.browser.api, browsing.server)
        server.hold("/users/bob")
        let bob = api.user("bob")
        bob.load()
        async let fetched = api.client.fetch(.user("bob", of: api))
        try await server.requests { $0.count(path: "/users/bob") == 1 }
        server.release("/users/bob")
        let user = try await fetched
        #expect(user.login == "bob")
        #expect(bob.content == user)
        #expect(try await bob.loadedIfNeeded() == user)
        #expect(try await api.client.fetch(.user("BOB", of: api)) == user)
        #expect(server.requests.count(path: "/users/bob") == 1)
    }

    @Test("Who is signed in is a query, which shows the content of the resource")
    func account() async throws {
        let browsing = try await Browsing()
        let (api, server) = (browsing.browser.api, browsing.server)
        try await browsing.run("login ann", "wait")
        #expect(browsing.state.account == .signedIn("ann"))
        #expect(api.currentUser.content?.login == "ann")
        #expect(try await api.currentUser.loadedIfNeeded().login == "ann")
        #expect(server.requests.count(path: "/user") == 1)
        try await browsing.run("login bob", "wait")
        #expect(browsing.state.account == .signedIn("bob"))
        #expect(server.requests.count(path: "/user") == 2)
    }

    @Test("(h) Forty cells with one picture make one request for it")
    func pictures() async throws {
        let browsing = try await Browsing()
        try await browsing.run("type kestrel-labs", "wait", "next", "wait")
        #expect(browsing.rows.count == 44)
        #expect(browsing.state.rows.allSatisfy { $0.avatar == browsing.state.card?.avatar && $0.avatar.isPicture })
        #expect(browsing.server.requests.count(path: "/avatars/kestrel-labs.png") == 1)
    }

    @Test("(i) A second run shows what the first one saw, and then asks what has changed")
    func secondRun() async throws {
        let directory = TemporaryDirectory()
        let first = try await Browsing(cachingIn: directory.url)
        try await first.run("search ann", "wait", "open 1", "wait")
        let (rows, detail) = (first.rows, first.state.detail)
        let server = try await GitHubServer.start()
        server.hold("/")
        let second = try await Browsing(server, cachingIn: directory.url, later: 3600)
        try await second.run("search ann")
        await second.until { $0.rows.count == rows.count }
        #expect(second.rows == rows)
        try await second.run("open 1")
        await second.until { $0.detail?.contributors != nil && $0.detail?.languages != nil }
        #expect(second.state.detail == detail)
        #expect(server.requests.answered == 0)
        server.release()
        try await second.run("wait")
        #expect(second.rows == rows)
        #expect(second.state.detail == detail)
        let asked = server.requests.records.filter {
            $0.target.hasPrefix("/repos") || $0.target.hasPrefix("/users/ann")
        }
        #expect(asked.count == 5)
        #expect(asked.allSatisfy { $0.status == 304 })
    }

    @Test("(j) Leaving a screen calls off what it was loading, unless it comes back within the delay")
    func leaving() async throws {
        let browsing = try await Browsing()
        let server = browsing.server
        try await browsing.run("search bob", "wait")
        server.hold("/repos", "/users/lumen", "/search")
        try await browsing.run("open 1")
        try await server.requests { $0.count(path: "/repos") == 1 }
        try await browsing.run("back")
        browsing.clock.advance(by: .milliseconds(99))
        try await browsing.run("open 1")
        browsing.clock.advance(by: .milliseconds(500))
        #expect(browsing.state.detail?.status == .loading)
        #expect(server.requests.count(path: "/repos") == 1)
        try await browsing.run("back")
        browsing.clock.advance(by: .milliseconds(101))
        try await server.requests { $0.abandoned("/repos") }
    }

    @Test("(j) A user and a list that nobody waits for any more are called off too")
    func leavingLists() async throws {
        let browsing = try await Browsing()
        let server = browsing.server
        try await browsing.run("wait")
        server.hold("/users/bob", "/users/lumen/repos")
        try await browsing.run("type bob")
        try await server.requests { $0.count(path: "/users/bob") == 1 }
        try await browsing.run("search lumen")
        browsing.clock.advance(by: .milliseconds(101))
        try await server.requests { $0.abandoned("/users/bob") }
        try await server.requests { $0.count(path: "/users/lumen/repos") == 1 }
        try await browsing.run("search")
        browsing.clock.advance(by: .milliseconds(101))
        try await server.requests { $0.abandoned("/users/lumen/repos") }
        server.release()
        try await browsing.run("search lumen", "wait")
        #expect(browsing.rows.count == 30)
        server.hold("/users/lumen/repos")
        try await browsing.run("next")
        try await server.requests { $0.count(path: "/users/lumen/repos") == 3 }
        try await browsing.run("search")
        browsing.clock.advance(by: .milliseconds(101))
        try await server.requests { $0.records.last { $0.target.contains("page=2") }?.isAbandoned == true }
    }
}

extension Browsing {
    /// All that the models hold, as text.
    fileprivate var models: String {
        var text = ""
        dump(browser.search, to: &text)
        dump(browser.state, to: &text)
        return text
    }
}

extension BrowserState.Avatar {
    fileprivate var isPicture: Bool {
        if case .picture = self { return true }
        return false
    }
}

extension RequestLog {
    fileprivate func abandoned(_ path: String) -> Bool {
        records.contains { $0.target.hasPrefix(path) && $0.isAbandoned }
    }
}
