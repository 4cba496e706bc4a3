import Foundation
import PseudoTerminals
import Testing

@testable import TerminalKit

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

@Suite("A terminal")
struct TerminalTests {
    private static let cooked = [true, true, true]
    private static let raw = [false, false, false]

    private func open(_ terminal: PseudoTerminal) throws -> Terminal {
        try #require(Terminal.open(input: terminal.program, output: terminal.program, watchesSignals: false))
    }

    @Test("It is raw while it is open, and as it was once it is closed")
    func modes() async throws {
        let pseudo = try PseudoTerminal()
        #expect(pseudo.modes == Self.cooked)
        let terminal = try open(pseudo)
        #expect(pseudo.modes == Self.raw)
        #expect(terminal.size == TerminalSize(columns: 40, rows: 10))
        terminal.close()
        #expect(pseudo.modes == Self.cooked)
        let text = try await pseudo.receive(through: "\u{1B}[?1049l")
        for mode in ["?1049", "?2004", "?7", "?25"] {
            #expect(text.contains("\u{1B}[\(mode)h") && text.contains("\u{1B}[\(mode)l"))
        }
        terminal.close()
        #expect(pseudo.modes == Self.cooked)
    }

    @Test("A terminal that is let go is as it was")
    func freed() async throws {
        let pseudo = try PseudoTerminal()
        var terminal: Terminal? = try open(pseudo)
        weak let released = terminal
        #expect(pseudo.modes == Self.raw)
        terminal = nil
        #expect(released == nil)
        #expect(pseudo.modes == Self.cooked)
        _ = try await pseudo.receive(through: "\u{1B}[?1049l")
    }

    @Test("Keys come as they are pressed; Escape alone too, after a short wait")
    func keys() async throws {
        let pseudo = try PseudoTerminal()
        let terminal = try open(pseudo)
        var events = terminal.events.makeAsyncIterator()
        for (text, key) in [("é", Key.character("é")), ("\u{1B}[A", .up), ("\u{3}", .interrupt), ("\u{1B}", .escape)] {
            pseudo.type(text)
            #expect(await events.next() == .key(key))
        }
        terminal.close()
        #expect(await events.next() == nil)
    }

    @Test("A frame is written once, and nothing once the terminal is closed")
    func draw() async throws {
        let pseudo = try PseudoTerminal()
        let terminal = try open(pseudo)
        terminal.draw(Frame(["hello"]))
        terminal.draw(Frame(["hello"]))
        terminal.close()
        terminal.draw(Frame(["late"]))
        let text = try await pseudo.receive(through: "\u{1B}[?1049l")
        #expect(text.matches(of: /hello/).count == 1)
        #expect(!text.contains("late"))
    }

    @Test("Where input or output is no terminal there is none, and nothing is written")
    func noTerminal() throws {
        let pseudo = try PseudoTerminal()
        let pipe = Pipe()
        let writing = pipe.fileHandleForWriting.fileDescriptor
        #expect(Terminal.open(input: pseudo.program, output: writing, watchesSignals: false) == nil)
        #expect(Terminal.open(input: pipe.fileHandleForReading.fileDescriptor, output: pseudo.program) == nil)
        #expect(pseudo.modes == Self.cooked)
        try pipe.fileHandleForWriting.close()
        #expect(try pipe.fileHandleForReading.readToEnd() ?? Data() == Data())
    }

    @Test("A program ends with its terminal as it was")
    func ends() async throws {
        let pseudo = try PseudoTerminal()
        let probe = try TerminalProgram("TerminalProbe", at: pseudo)
        _ = try await pseudo.receive(through: "ready")
        #expect(pseudo.modes == Self.raw)
        pseudo.type("q")
        #expect(await probe.change() == .exited(0))
        #expect(pseudo.modes == Self.cooked)
    }

    @Test("A program that exits in its midst leaves the terminal as it was")
    func exits() async throws {
        let pseudo = try PseudoTerminal()
        let probe = try TerminalProgram("TerminalProbe", at: pseudo)
        _ = try await pseudo.receive(through: "ready")
        pseudo.type("x")
        #expect(await probe.change() == .exited(3))
        #expect(pseudo.modes == Self.cooked)
    }

    @Test(
        "A signal ends the program as it always does, with the terminal as it was",
        arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(number: Int32) async throws {
        let pseudo = try PseudoTerminal()
        let probe = try TerminalProgram("TerminalProbe", at: pseudo)
        _ = try await pseudo.receive(through: "ready")
        probe.send(number)
        #expect(await probe.change() == .killed(number))
        #expect(pseudo.modes == Self.cooked)
    }

    @Test("A stopped program gives the terminal back, and takes it again when it goes on", arguments: [true, false])
    func stopped(byKey: Bool) async throws {
        let pseudo = try PseudoTerminal()
        let probe = try TerminalProgram("TerminalProbe", at: pseudo)
        _ = try await pseudo.receive(through: "ready")
        for letter in ["j", "k"] {
            if byKey { pseudo.type("\u{1A}") } else { probe.send(SIGTSTP) }
            #expect(await probe.change() == .stopped)
            #expect(pseudo.modes == Self.cooked)
            probe.send(SIGCONT)
            // Comes through without a line break only where the terminal is raw again.
            pseudo.type(letter)
            _ = try await pseudo.receive(through: "character(\"\(letter)\")")
            #expect(pseudo.modes == Self.raw)
        }
        probe.send(SIGTERM)
        #expect(await probe.change() == .killed(SIGTERM))
        #expect(pseudo.modes == Self.cooked)
    }

    @Test("Another size is told")
    func resized() async throws {
        let pseudo = try PseudoTerminal()
        let probe = try TerminalProgram("TerminalProbe", at: pseudo)
        _ = try await pseudo.receive(through: "ready")
        pseudo.resize(columns: 100, rows: 30)
        probe.send(SIGWINCH)
        #expect(try await pseudo.receive(through: "rows: 30").contains("columns: 100"))
        pseudo.type("q")
        #expect(await probe.change() == .exited(0))
    }
}
