import Testing

@testable import TerminalKit

@Suite("Text on a terminal")
struct TextTests {
    @Test(
        "Characters have the columns that a terminal gives them",
        arguments: [
            ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("한글", 4), ("\u{1112}\u{1161}\u{11AB}", 2),
            ("ｱ", 1), ("Ａ", 2), ("🌱", 2), ("👩‍👩‍👧‍👦", 2), ("🇩🇰", 2), ("❤️", 2), ("❤", 1), ("✉️", 2), ("★", 1),
            ("a\u{200B}b", 2), ("\u{301}", 0), ("👍🏽", 2), ("―…", 2), ("فريد", 4), ("䷀", 1), ("Дмитрий", 7), ("✅", 2),
        ])
    func columns(text: String, count: Int) {
        #expect(text.columns == count)
    }

    @Test(
        "Nothing that a terminal would act on is left in a line",
        arguments: [
            ("\u{1B}[31mred\u{1B}[0m", "[31mred[0m"), ("\u{1B}]0;owned\u{7}", "]0;owned"), ("a\r\nb\nc\td", "a b c d"),
            ("\u{9B}31m", "31m"), ("x\u{202E}y\u{2066}z", "xyz"), ("\u{0}\u{8}\u{7F}", ""),
            ("a\u{2028}b\u{85}c", "a b c"),
            ("👩‍🚀", "👩‍🚀"), ("é漢", "é漢"),
        ])
    func clean(text: String, expected: String) {
        #expect(Line(text).plain == expected)
        #expect((Line("") + Line(text, Style(.red))).plain == expected)
        #expect(TextField(text).text == expected)
    }

    @Test("No control character of the whole of Unicode gets through")
    func allScalars() {
        for value in 0...0x10ffff {
            guard let scalar = Unicode.Scalar(UInt32(value)), scalar.properties.generalCategory == .control else {
                continue
            }
            #expect(["", " "].contains(Line(String(scalar)).plain))
        }
    }

    @Test(
        "A line that is too long ends in an ellipsis, and never in half a character",
        arguments: [
            ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abc", 1, "…"), ("abc", 0, ""), ("abc", -1, ""), ("漢字", 4, "漢字"),
            ("漢字", 3, "漢…"), ("漢字", 2, "…"), ("a漢字", 3, "a…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
            ("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3, "👩‍👩‍👧‍👦…"), ("", 0, ""),
        ])
    func clipping(text: String, columns: Int, expected: String) {
        let clipped = Line(text).clipped(to: columns)
        #expect(clipped.plain == expected)
        #expect(clipped.columns <= max(columns, 0))
    }

    @Test("Clipping keeps the looks of what stays")
    func clippingSpans() {
        let line = Line("ab", Style(.red)) + Line("cd", Style(.blue)) + Line("ef")
        #expect(line.clipped(to: 4) == Line("ab", Style(.red)) + Line("c…", Style(.blue)))
        #expect(line.clipped(to: 6) == line)
    }

    @Test("A fitted line has just its columns, also where a wide character would stand over the edge")
    func fitted() {
        for width in 0...8 {
            #expect(Line("漢字漢").fitted(to: width).columns == width)
            #expect(Line("ab").fitted(to: width).columns == width)
        }
    }

    @Test("A frame for a pipe has no looks, no cursor and no spaces at the ends of lines")
    func plainFrame() {
        let frame = Frame(
            [Line("Title", Style(.red).bold).fitted(to: 20), "", Line("\u{1B}[2Jx", Style().reversed)],
            cursor: .init(row: 0, column: 1))
        #expect(frame.plain == "Title\n\n[2Jx\n")
    }
}
