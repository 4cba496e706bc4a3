import DemoHTTP
import Foundation
import GitHubAPI
import GitHubBrowser
import GitHubServer
import PigeonREST
import PigeonTesting
import TerminalKit

@testable import GitHubBrowserCommand

/// A run of the browser by scripts, with a server of its own. Time passes only when told, and unless told otherwise a
/// name is looked for with each key.
@MainActor
final class Browsing {
    let server: GitHubServer
    let clock = ManualClock()
    let browser: Browser
    /// All states since the last look, those that came of themselves too.
    private(set) var states: [BrowserState] = []
    private let runner: ScriptRunner
    private let output: Output

    private final class Output {
        var text = ""
    }

    /// - Parameters:
    ///   - directory: Where answers are kept between runs.
    ///   - login: The account of who is logged in from the start.
    ///   - debounce: How long nothing must be typed before a name is looked for.
    ///   - later: How much later than now the run takes place, by the calendar.
    init(
        _ server: GitHubServer? = nil, cachingIn directory: URL? = nil, login: String? = nil, later: TimeInterval = 0,
        debounce: Duration = .zero,
        size: TerminalSize = TerminalSize(columns: 72, rows: 70)
    ) async throws {
        let server = if let server { server } else { try await GitHubServer.start() }
        self.server = server
        let start = Date(timeIntervalSinceNow: later)
        let environment = QueryEnvironment(
            clock: clock,
            wallClock: { [clock] in start.addingTimeInterval(Double(clock.now().nanoseconds) / 1e9) })
        let backend = try Backend(server: server, cachingIn: directory, login: login, environment: environment)
        browser = Browser(api: backend.api, debounce: debounce)
        let output = Output()
        self.output = output
        runner = ScriptRunner(browser: browser, backend: backend, size: size) { output.text += $0 + "\n" }
        browser.onChange = { [weak self] in self?.note() }
    }

    private func note() {
        states.append(browser.state)
    }

    /// Carries out a script, one command after the other, and returns what it printed.
    @discardableResult
    func run(_ lines: String...) async throws -> String {
        output.text = ""
        for line in lines {
            try await runner.run(Script(line))
            note()
        }
        return output.text
    }

    var screen: String { runner.screen }
    var state: BrowserState { browser.state }

    /// The line of the screen that is for messages.
    var lastLine: String { screen.split(separator: "\n").last.map(String.init) ?? "" }

    /// The rows of the list, as `name stars`.
    var rows: [String] { state.rows.map { "\($0.name) \($0.stars)" } }

    /// Returns once the browser is as wanted.
    func until(_ isWanted: (BrowserState) -> Bool) async {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        browser.onChange = { [weak self] in
            self?.note()
            continuation.yield()
        }
        defer { browser.onChange = { [weak self] in self?.note() } }
        continuation.yield()
        for await _ in changes where isWanted(state) { return }
    }
}

/// A directory that is gone when the test is over.
final class TemporaryDirectory {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("github-browser-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Whether a text is in any file, in clear or in base64, as the bytes of records are.
    func contains(_ text: String) throws -> Bool {
        let files = try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
        return try files.contains { file in
            let data = try Data(contentsOf: file)
            return Self.spellings(of: text).contains { data.range(of: Data($0.utf8)) != nil }
        }
    }

    /// The text, and what stays the same of it in base64 wherever it begins.
    private static func spellings(of text: String) -> [String] {
        let encoded = (0..<3).map { offset in
            let bytes = Data(repeating: 0x20, count: offset) + Data(text.utf8)
            let whole = bytes.prefix(bytes.count / 3 * 3).base64EncodedString()
            return String(whole.dropFirst(offset == 0 ? 0 : 4))
        }
        return [text] + encoded
    }
}
