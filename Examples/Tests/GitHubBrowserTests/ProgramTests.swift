import Foundation
import PseudoTerminals
import Testing

@testable import GitHubBrowserCommand

@Suite("The program github-browser", .timeLimit(.minutes(1)))
struct ProgramTests {
    /// Runs the program without a terminal, with a script as its standard input.
    private func run(_ arguments: [String], script: String = "") async throws -> EndedProgram {
        try await EndedProgram("github-browser", arguments, input: script)
    }

    @Test("A script from standard input is played to its end, the same each time")
    func script() async throws {
        let script = "wait\nsearch ann\nwait\nopen 1\nwait\nrequests\nquit\nsearch bob\n"
        let first = try await run(["--script", "-"], script: script)
        #expect(first.code == 0)
        #expect(first.errors == "")
        #expect(first.output.contains("Ann Lindqvist") && first.output.hasSuffix("> quit\n"))
        #expect(try await run(["--script", "-"], script: script).output == first.output)
    }

    @Test("A wrong script ends with 64, and nothing of it is done")
    func wrongScript() async throws {
        let ending = try await run(["--script", "-"], script: "wait\nsearhc ann\n")
        #expect(ending.code == 64)
        #expect(ending.errors == "github-browser: line 2: unknown command 'searhc'\n")
        #expect(ending.output == "")
    }

    @Test(
        "Wrong arguments end with 64",
        arguments: [
            ["--script", "/nowhere/at-all"], ["--latency", "-1"], ["--live", "--latency", "1"], ["--size", "1x"], [],
        ])
    func wrongArguments(arguments: [String]) async throws {
        let ending = try await run(arguments)
        #expect(ending.code == 64)
        #expect(ending.errors.contains("Error:"))
    }

    @Test("--help explains every command of scripts, and the keys")
    func help() async throws {
        let ending = try await run(["--help"])
        #expect(ending.code == 0)
        let commands = [
            "search", "type", "erase", "open", "back", "next", "login", "logout", "star, unstar", "retry", "reload",
            "offline, online", "latency", "limit", "wait", "show", "requests", "quit",
        ]
        for command in commands { #expect(ending.output.contains("\n  \(command)"), "\(command)") }
        let lines = ending.output.split(separator: "\n").drop { $0 != "KEYS" }.prefix { !$0.hasPrefix("USAGE") }
        #expect(lines.allSatisfy { $0.count <= 80 && ($0.hasPrefix("  ") || $0.first?.isUppercase == true) })
        for key in ["PgUp", "Ctrl-C", "Enter"] { #expect(ending.output.contains(key)) }
    }

    @Test("At a terminal it draws, reacts to keys, and leaves the terminal as it was")
    func terminal() async throws {
        let pseudo = try PseudoTerminal(columns: 80, rows: 20)
        let program = try TerminalProgram("github-browser", "--latency", "0", "--debounce", "0", at: pseudo)
        let start = try await pseudo.receive(through: "amber-compass")
        #expect(start.contains("\u{1B}[?1049h") && start.contains("not logged in"))
        #expect(pseudo.modes == [false, false, false])
        pseudo.type("bob")
        _ = try await pseudo.receive(through: "Bob Marlow", "jolly-parser")  // the user and a row, in either order
        pseudo.type("\u{1B}[B\r")
        _ = try await pseudo.receive(through: "written by")
        pseudo.type("l")
        _ = try await pseudo.receive(through: "account or token")
        pseudo.type("ann\r")
        _ = try await pseudo.receive(through: "@ann")
        pseudo.resize(columns: 40, rows: 12)
        program.send(SIGWINCH)
        _ = try await pseudo.receive(through: "GitHub")
        pseudo.type("o")
        _ = try await pseudo.receive(through: "offline")
        pseudo.type("q")
        #expect(await program.change() == .exited(0))
        #expect(pseudo.modes == [true, true, true])
        #expect(try await pseudo.receive(through: "\u{1B}[?1049l").contains("\u{1B}[?25h"))
    }

    @Test("Ctrl-C ends it, whatever is being typed or loaded")
    func interrupted() async throws {
        let pseudo = try PseudoTerminal(columns: 60, rows: 16)
        let program = try TerminalProgram("github-browser", "--latency", "20000", at: pseudo)
        _ = try await pseudo.receive(through: "loading")
        pseudo.type("a\u{3}")
        #expect(await program.change() == .exited(0))
        #expect(pseudo.modes == [true, true, true])
    }

    @Test("The story is told to its end, the same each time")
    func story() async throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Scripts/github-story.txt").standardizedFileURL.path
        let first = try await run(["--script", file])
        #expect(first.code == 0)
        #expect(first.errors == "")
        let second = try await run(["--script", file])
        let changes = second.output.split(separator: "\n").difference(from: first.output.split(separator: "\n"))
        #expect(changes.isEmpty, "\(changes)")
    }
}
