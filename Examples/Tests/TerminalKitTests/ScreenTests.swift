import Testing

@testable import TerminalKit

@Suite("Drawing")
struct ScreenTests {
    private let size = TerminalSize(columns: 10, rows: 3)

    private func changes(_ text: String) -> String {
        text.replacing("\u{1B}", with: "^").replacing("^[?2026h^[?25l", with: "<").replacing("^[?2026l", with: ">")
    }

    @Test("The first frame is drawn as a whole, as one update, with the cursor hidden")
    func first() {
        var screen = Screen()
        let text = screen.draw(Frame(["one", "", "two"]), size: size)
        #expect(changes(text) == "<^[0m^[2J^[1;1H^[0mone^[0m^[K^[3;1H^[0mtwo^[0m^[K>")
    }

    @Test("The same frame again sends nothing")
    func same() {
        var screen = Screen()
        let frame = Frame([Line("漢字", Style(.red)), "b"], cursor: .init(row: 1, column: 1))
        _ = screen.draw(frame, size: size)
        #expect(screen.draw(frame, size: size) == "")
    }

    @Test("Only lines that differ are sent, from the first difference on")
    func difference() {
        var screen = Screen()
        _ = screen.draw(Frame(["one", "two", "three"]), size: size)
        #expect(changes(screen.draw(Frame(["one", "twist", "three"]), size: size)) == "<^[2;3H^[0mist^[0m^[K>")
        #expect(changes(screen.draw(Frame(["one", "tw", "three"]), size: size)) == "<^[2;3H^[K>")
        #expect(changes(screen.draw(Frame(["one"]), size: size)) == "<^[2;1H^[K^[3;1H^[K>")
    }

    @Test("A difference in looks is one, and what comes after characters of unsure width is sent again")
    func looks() {
        var screen = Screen()
        _ = screen.draw(Frame(["漢a", Line("xy", Style(.red))]), size: size)
        let text = changes(screen.draw(Frame(["漢b", Line("x", Style(.red)) + Line("y")]), size: size))
        #expect(text == "<^[1;1H^[0m漢b^[0m^[K^[2;2H^[0my^[0m^[K>")
    }

    @Test("A line that fills the last column is not erased after it")
    func full() {
        var screen = Screen()
        let text = changes(screen.draw(Frame(["0123456789", "01234567漢", "01234567漢字"]), size: size))
        let rows = ["^[1;1H^[0m0123456789^[0m", "^[2;1H^[0m01234567漢^[0m", "^[3;1H^[0m01234567…^[0m^[K"]
        #expect(text == "<^[0m^[2J" + rows.joined() + ">")
    }

    @Test("The cursor shows where the frame has it, and moves without anything else")
    func cursor() {
        var screen = Screen()
        let first = screen.draw(Frame(["ab"], cursor: .init(row: 0, column: 2)), size: size)
        #expect(changes(first).hasSuffix("^[1;3H^[?25h>"))
        let moved = screen.draw(Frame(["ab"], cursor: .init(row: 0, column: 1)), size: size)
        #expect(changes(moved) == "<^[1;2H^[?25h>")
        #expect(changes(screen.draw(Frame(["ab"]), size: size)) == "<>")
        let outside = screen.draw(Frame(["ab"], cursor: .init(row: 99, column: -4)), size: size)
        #expect(changes(outside) == "<^[3;1H^[?25h>")
    }

    @Test("After another size, and when the screen is not to be trusted, all is drawn anew")
    func whole() {
        var screen = Screen()
        let frame = Frame(["one"])
        let first = screen.draw(frame, size: size)
        screen.invalidate()
        #expect(screen.draw(frame, size: size) == first)
        #expect(screen.draw(frame, size: TerminalSize(columns: 9, rows: 3)) == first)
    }

    @Test("What does not fit is not sent", arguments: [(0, 0), (1, 1), (10, 2), (3, 50)])
    func small(columns: Int, rows: Int) {
        var screen = Screen()
        let frame = Frame((0..<9).map { Line("line number \($0)") })
        let text = changes(screen.draw(frame, size: TerminalSize(columns: columns, rows: rows)))
        let drawn = text.matches(of: /\^\[(\d+);1H/).compactMap { Int($0.output.1) }
        #expect(drawn == (columns == 0 ? [] : Array(1..<min(rows, 9) + 1)))
    }

    @Test("Without colours the other looks are still sent")
    func colours() {
        let frame = Frame([Line("a", Style(.red, on: .white).bold.underlined)])
        var plain = Screen(hasColors: false)
        #expect(changes(plain.draw(frame, size: size)).contains("^[0;1;4ma"))
        var coloured = Screen()
        #expect(changes(coloured.draw(frame, size: size)).contains("^[0;1;4;31;47ma"))
    }

    @Test("What is drawn step by step looks as if it had been drawn at once", arguments: 0..<40)
    func replay(seed: Int) {
        var state = UInt64(seed) &+ 1
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let pieces = ["a", "b", "字", "🌱", "e\u{301}", " ", "xyz", ""]
        let styles = [Style.plain, Style(.red), Style().bold]
        var (screen, shown) = (Screen(), Picture(size: size))
        for _ in 0..<30 {
            let lines = (0..<next(5)).map { _ in
                (0..<next(7)).reduce(Line()) { line, _ in line + Line(pieces[next(8)], styles[next(3)]) }
            }
            let frame = Frame(lines)
            shown.receive(screen.draw(frame, size: size))
            var fresh = Screen()
            var expected = Picture(size: size)
            expected.receive(fresh.draw(frame, size: size))
            #expect(shown == expected)
        }
    }
}
