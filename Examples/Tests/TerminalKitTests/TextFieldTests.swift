import Testing

@testable import TerminalKit

@Suite("Editing a line of text")
struct TextFieldTests {
    private func edit(_ keys: Key...) -> (text: String, cursor: Int) {
        var field = TextField()
        for key in keys {
            let isHandled = field.handle(key)
            #expect(isHandled)
        }
        return field.visible(columns: 80)
    }

    @Test("Keys do to the text what they say")
    func keys() {
        #expect(edit(.character("a"), .character("b"), .left, .character("c")) == ("acb", 2))
        #expect(edit(.character("a"), .character("b"), .backspace) == ("a", 1))
        #expect(edit(.character("a"), .character("b"), .home, .delete) == ("b", 0))
        #expect(edit(.character("a"), .home, .end, .character("漢")) == ("a漢", 3))
        #expect(edit(.paste("two words"), .control("w")) == ("two ", 4))
        #expect(edit(.paste("two words"), .control("u")) == ("", 0))
        #expect(edit(.paste("ab"), .left, .control("k")) == ("a", 1))
        #expect(edit(.paste("a\nb\u{1B}[Ac")) == ("a b[Ac", 6))
    }

    @Test("At the ends there is nowhere to go and nothing to take")
    func ends() {
        #expect(edit(.backspace, .delete, .left, .right, .control("w"), .control("u"), .control("k")) == ("", 0))
    }

    @Test("A mark that comes alone joins the character before it")
    func marks() {
        #expect(edit(.character("e"), .character("\u{301}"), .character("x")) == ("e\u{301}x", 2))
        #expect(edit(.character("👩"), .character("\u{200D}"), .character("🚀"), .backspace) == ("", 0))
    }

    @Test(
        "Keys that mean nothing to a text are left to others", arguments: [Key.enter, .up, .escape, .tab, .interrupt])
    func others(key: Key) {
        var field = TextField("a")
        let isHandled = field.handle(key)
        #expect(!isHandled)
        #expect(field == TextField("a"))
    }

    @Test("A text that is too long shows what is round the cursor", arguments: 1...12)
    func visible(columns: Int) {
        var field = TextField("ab漢字cde🌱f")
        for _ in 0..<12 {
            let (text, cursor) = field.visible(columns: columns)
            #expect(text.columns <= columns)
            #expect(cursor < columns)
            #expect("ab漢字cde🌱f".contains(text))
            _ = field.handle(.left)
        }
    }
}
