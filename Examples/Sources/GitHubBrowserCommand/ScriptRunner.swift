import DemoHTTP
import GitHubAPI
import GitHubBrowser
import GitHubServer
import TerminalKit

/// Does what a script says, and prints the screen after each command that changed it.
@MainActor
final class ScriptRunner {
    let browser: Browser
    private let backend: Backend
    private let size: TerminalSize
    private let holdsAnswers: Bool
    private let output: (String) -> Void
    private var printed = ""

    /// - Parameter holdsAnswers: True if the program's own server holds its answers, and gives them only while the script
    ///   waits. The screens are then the same each time, however fast the machine is.
    init(
        browser: Browser, backend: Backend, size: TerminalSize, holdsAnswers: Bool = false,
        output: @escaping (String) -> Void
    ) {
        self.holdsAnswers = holdsAnswers
        self.browser = browser
        self.backend = backend
        self.size = size
        self.output = output
    }

    /// The screen as a script sees it: without colours, keys and empty lines.
    var screen: String {
        let frame = ScreenView(state: browser.state, size: size, hasHints: false).frame
        return frame.plain.split(separator: "\n").joined(separator: "\n")
    }

    func run(_ script: Script) async throws(ScriptError) {
        defer { if holdsAnswers { backend.server?.release("/") } }
        for step in script.steps {
            output("> \(echo(of: step))")
            guard step.command != .quit else { break }
            do {
                try await carryOut(step.command)
            } catch {
                throw ScriptError(error.problem, line: step.line)
            }
            // Without a network there is no answer to hold: loads fail at once.
            if holdsAnswers, !browser.isOnline { await browser.settle() }
            showChanges()
        }
        await browser.api.settleCaches()
    }

    /// The line as it was written, without secrets.
    private func echo(of step: Script.Step) -> String {
        guard case .logIn(let name) = step.command, !backend.accounts.contains(name) else { return step.text }
        return "login •••"
    }

    private func showChanges() {
        let screen = screen
        guard screen != printed else { return }
        printed = screen
        output(screen)
    }

    private func settle() async {
        if holdsAnswers { backend.server?.release("/") }
        await browser.settle()
        if holdsAnswers { backend.server?.hold("/") }
    }

    private func carryOut(_ command: ScriptCommand) async throws(ScriptError) {
        switch command {
        case .search(let text):
            if text.isEmpty { browser.setText("") }
            for end in text.indices { browser.setText(String(text[...end])) }
        case .type(let text): for character in text { browser.setText(browser.search.text + String(character)) }
        case .erase: browser.setText(String(browser.search.text.dropLast()))
        case .open(let number):
            guard browser.open(number - 1) else { throw ScriptError("there is no row \(number)") }
        case .back: browser.close()
        case .next: browser.loadNextPage()
        case .logIn(let name): browser.logIn(token: backend.token(of: name))
        case .logOut: browser.logOut()
        case .star: await browser.setStarred(true)
        case .unstar: await browser.setStarred(false)
        case .retry: browser.retry()
        case .reload: browser.reload()
        case .offline: browser.isOnline = false
        case .online: browser.isOnline = true
        case .latency(let milliseconds): try server.latency = Latency(.milliseconds(milliseconds))
        case .limit(let requests): try server.rateLimit.anonymous = requests
        case .wait: await settle()
        case .show: printed = ""
        case .requests: for line in try requests { output(line) }
        case .quit: break
        }
    }

    private var server: GitHubServer {
        get throws(ScriptError) {
            guard let server = backend.server else { throw ScriptError("only the program's own server can do this") }
            return server
        }
    }

    /// How often what was asked for: without queries, in alphabetical order.
    private var requests: [String] {
        get throws(ScriptError) {
            let records = try server.requests.records
            let groups = Dictionary(grouping: records) { "\($0.method) \($0.target.prefix { $0 != "?" })" }
            return groups.sorted { $0.key < $1.key }.map { name, records in
                let unchanged = records.count { $0.status == 304 }
                return "  \(records.count) × \(name)" + (unchanged > 0 ? " (\(unchanged) not modified)" : "")
            }
        }
    }
}
