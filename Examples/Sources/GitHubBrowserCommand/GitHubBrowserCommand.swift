import ArgumentParser
import Foundation
import GitHubBrowser
import GitHubServer
import TerminalKit

/// The command: reads its arguments, and browses at a terminal or by a script.
@main
struct GitHubBrowserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "github-browser",
        abstract: "Browses GitHub: users and their repositories, searched for as you type.",
        discussion: Self.help)

    @Flag(help: "Browse GitHub itself, with the token in GITHUB_TOKEN if there is one.")
    var live = false

    @Option(help: ArgumentHelp("Do what a script says, - for standard input.", valueName: "file"))
    var script: String?

    @Option(
        help: ArgumentHelp("Keep answers in a directory, for the next run to show at once.", valueName: "directory"))
    var cache: String?

    @Option(
        help: ArgumentHelp(
            "Begin logged in, as an account of the program's own server: ann or bob.", valueName: "account"))
    var login: String?

    @Option(
        help: ArgumentHelp(
            "How long each answer of the program's own server waits. By default 150 ms, in scripts 0.",
            valueName: "ms"))
    var latency: Int?

    @Option(help: ArgumentHelp("How long after the last key a name is looked for.", valueName: "ms"))
    var debounce = 300

    @Option(
        help: ArgumentHelp("The screen of scripts.", valueName: "columns>x<rows"), transform: TerminalSize.init(option:)
    )
    var size = TerminalSize(columns: 72, rows: 24)

    func validate() throws {
        guard (0...30_000).contains(latency ?? 0), (0...30_000).contains(debounce) else {
            throw ValidationError("times are 0 to 30000 milliseconds")
        }
        guard !live || latency == nil else { throw ValidationError("GitHub itself is as fast as it is") }
        guard !live || login == nil else { throw ValidationError("with --live, set GITHUB_TOKEN to be logged in") }
    }

    @MainActor
    func run() async throws {
        let script = try readScript()
        let server = live ? nil : try await GitHubServer.start()
        let wait = latency ?? (script == nil ? 150 : 0)
        server?.latency = Latency(.milliseconds(wait))
        if script != nil { server?.hold("/") }
        let token = ProcessInfo.processInfo.environment["GITHUB_TOKEN"].flatMap { live && !$0.isEmpty ? $0 : nil }
        let backend = try Backend(
            server: server, cachingIn: cache.map { URL(fileURLWithPath: $0) }, login: token ?? login)
        let browser = Browser(api: backend.api, debounce: .milliseconds(debounce))
        if let script {
            try await play(script, browser, backend)
        } else {
            guard let terminal = Terminal.open() else {
                throw ValidationError("this is no terminal: give --script, or run it in one")
            }
            await InteractiveBrowser(browser: browser, backend: backend, terminal: terminal).run()
        }
    }

    private func readScript() throws -> Script? {
        guard let script else { return nil }
        let file =
            script == "-"
            ? FileHandle.standardInput.readDataToEndOfFile()
            : try FileManager.default.contents(atPath: script).orThrow("cannot read '\(script)'")
        do {
            return try Script(String(decoding: file, as: UTF8.self))
        } catch {
            throw Self.complaint(of: error)
        }
    }

    @MainActor
    private func play(_ script: Script, _ browser: Browser, _ backend: Backend) async throws {
        let runner = ScriptRunner(browser: browser, backend: backend, size: size, holdsAnswers: true) { line in
            // Who closes the pipe, as `head` does, has seen enough.
            try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
        }
        do {
            try await runner.run(script)
        } catch {
            throw Self.complaint(of: error)
        }
    }

    /// Says what is wrong with a script. The exit code is that of wrong usage.
    private static func complaint(of error: ScriptError) -> ExitCode {
        try? FileHandle.standardError.write(contentsOf: Data("github-browser: \(error)\n".utf8))
        return .validationFailure
    }
}

extension Optional {
    fileprivate func orThrow(_ problem: String) throws -> Wrapped {
        guard let self else { throw ValidationError(problem) }
        return self
    }
}

extension TerminalSize {
    fileprivate init(option: String) throws {
        let numbers = option.split(separator: "x").compactMap { Int($0) }
        guard numbers.count == 2, numbers.allSatisfy({ (10...500).contains($0) }) else {
            throw ValidationError("'\(option)' is no size: give one such as 72x24")
        }
        self.init(columns: numbers[0], rows: numbers[1])
    }
}
