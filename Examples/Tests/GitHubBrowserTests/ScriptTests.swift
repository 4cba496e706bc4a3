import DemoHTTP
import Foundation
import GitHubBrowser
import GitHubServer
import TerminalKit
import Testing

@testable import GitHubBrowserCommand

@Suite("Scripts of the browser", .timeLimit(.minutes(1)))
@MainActor
struct ScriptTests {
    @Test("Comments and empty lines say nothing, however lines end")
    func comments() throws {
        let script = try Script("# first\n\n  wait  \r\nsearch  Ann L \n#wait\nopen 3")
        #expect(script.steps.map(\.command) == [.wait, .search("Ann L"), .open(3)])
        #expect(script.steps.map(\.line) == [3, 4, 6])
    }

    @Test(
        "A wrong line is named by its number, before anything is done",
        arguments: [
            ("wait\nfly", "line 2: unknown command 'fly'"), ("open", "line 1: 'open' needs a number from 1 on, not ''"),
            ("open 0", "line 1: 'open' needs a number from 1 on, not '0'"),
            ("latency soon", "line 1: 'latency' needs a number from 0 on, not 'soon'"),
            ("# x\nback now", "line 2: 'back' stands alone, without 'now'"),
            ("login", "line 1: 'login' needs an account or a token"),
            ("type", "line 1: 'type' needs something to type"),
        ])
    func wrong(text: String, description: String) {
        let error = #expect(throws: ScriptError.self) { try Script(text) }
        #expect(error?.description == description)
    }

    @Test("A row that is not there is named with the line that asks for it")
    func noRow() async throws {
        let browsing = try await Browsing()
        await #expect(throws: ScriptError("there is no row 99", line: 1)) { try await browsing.run("open 99") }
    }

    @Test("The screen is printed after what changed it, and only then; tokens never")
    func printing() async throws {
        let browsing = try await Browsing()
        try await browsing.run("search ann", "wait")
        #expect(try await browsing.run("wait", "back", "erase").hasPrefix("> wait\n> back\n> erase\n GitHub"))
        #expect(try await browsing.run("show") == "> show\n\(browsing.screen)\n")
        #expect(try await browsing.run("login token-of-bob").hasPrefix("> login •••\n"))
        #expect(try await browsing.run("wait").contains("@bob"))
    }

    @Test("Offline it says so, keeps what is there, and goes on by itself once online")
    func offline() async throws {
        let browsing = try await Browsing()
        try await browsing.run("search ann", "wait", "offline", "search bob", "wait")
        #expect(browsing.screen.contains("offline"))
        #expect(browsing.lastLine == " ! The Internet connection appears to be offline. · r to retry")
        try await browsing.run("search ann", "wait")
        #expect(browsing.rows.count == 24)
        try await browsing.run("search bob", "wait", "online", "wait")
        #expect(browsing.state.card?.login == "bob")
        #expect(browsing.rows.count == 12)
    }

    @Test("Going offline ends what is under way, and a retry works once online")
    func cut() async throws {
        let browsing = try await Browsing()
        browsing.server.hold("/users/bob")
        try await browsing.run("type bob")
        try await browsing.server.requests { $0.count(path: "/users/bob") == 1 }
        try await browsing.run("offline", "wait")
        #expect(browsing.lastLine.hasPrefix(" ! The network connection was lost."))
        browsing.server.release()
        try await browsing.run("retry", "wait")
        #expect(browsing.lastLine.hasPrefix(" ! The Internet connection appears to be offline."))
        try await browsing.run("online", "retry", "wait")
        #expect(browsing.rows.count == 12)
    }

    @Test("The next page comes when the selection reaches the end, and its failure is told there")
    func paging() async throws {
        let browsing = try await Browsing()
        try await browsing.run("search lumen", "wait")
        #expect(browsing.state.more == .available)
        browsing.browser.select(28)
        try await browsing.run("wait")
        #expect(browsing.rows.count == 30)
        browsing.server.faults = .failing(["/users/lumen"], status: 503, times: 1)
        browsing.browser.select(29)
        #expect(browsing.state.more == .loading)
        try await browsing.run("wait")
        #expect(browsing.state.more == .failed("Service unavailable, try again later"))
        #expect(browsing.rows.count == 30)
        try await browsing.run("retry", "wait")
        #expect(browsing.rows.count == 60)
        try await browsing.run("next", "wait", "next", "wait", "next", "wait")
        #expect(browsing.rows.count == 110)
        #expect(browsing.state.more == .nothing)
    }

    @Test("What is hostile sends no escape sequences, what is wide keeps to its columns")
    func hostile() async throws {
        let browsing = try await Browsing(size: TerminalSize(columns: 40, rows: 30))
        try await browsing.run("search edge-cases", "wait")
        for name in browsing.state.rows.map(\.name) {
            let index = try #require(browsing.state.rows.firstIndex { $0.name == name })
            let output = try await browsing.run("open \(index + 1)", "wait", "back")
            #expect(
                output.unicodeScalars.allSatisfy {
                    $0 == "\n" || !CharacterSet.controlCharacters.contains($0) || $0 == "\u{200B}" || $0 == "\u{200D}"
                })
            #expect(output.split(separator: "\n").allSatisfy { $0.columns <= 40 })
        }
        try await browsing.run("search \u{1B}[31m", "wait")
        #expect(!browsing.screen.contains("\u{1B}"))
    }

    @Test("A repository without contributors, languages and description is shown as such")
    func empty() async throws {
        let browsing = try await Browsing()
        try await browsing.run("search edge-cases", "wait")
        let index = try #require(browsing.state.rows.firstIndex { $0.name == "nothing-at-all" })
        let output = try await browsing.run("open \(index + 1)", "wait")
        #expect(output.contains("languages: none") && output.contains("written by: none"))
        #expect(browsing.state.detail?.status == .nothing)
    }

    @Test("A token that is none is told of in GitHub's words, and can be taken back")
    func badToken() async throws {
        let browsing = try await Browsing()
        try await browsing.run("login nobody", "wait")
        #expect(browsing.lastLine.contains("Bad credentials"))
        try await browsing.run("logout", "wait")
        #expect(browsing.rows.count == 30)
    }

    @Test("Every size from 40 by 12 on shows header, list and status within its bounds", arguments: [40, 67, 68, 200])
    func sizes(columns: Int) async throws {
        let browsing = try await Browsing()
        try await browsing.run("search ann", "wait", "open 2", "wait", "limit 0")
        for state in [browsing.state, BrowserState()] {
            for rows in [12, 40] {
                let view = ScreenView(state: state, size: TerminalSize(columns: columns, rows: rows))
                #expect(view.frame.lines.count == rows)
                #expect(view.frame.lines.allSatisfy { $0.columns <= columns })
                #expect(view.frame.plain.contains("GitHub"))
            }
        }
    }
}
