import Testing

@testable import TerminalKit

@Suite("Decoding of keys")
struct KeyDecoderTests {
    private func decode(_ text: String) -> [Key] {
        var decoder = KeyDecoder()
        return decoder.feed(Array(text.utf8))
    }

    @Test(
        "Each sequence is one key",
        arguments: [
            ("\r", Key.enter), ("\n", .enter), ("\t", .tab), ("\u{7F}", .backspace), ("\u{8}", .backspace),
            ("\u{1B}[A", .up), ("\u{1B}[B", .down), ("\u{1B}[C", .right), ("\u{1B}[D", .left), ("\u{1B}OA", .up),
            ("\u{1B}[H", .home), ("\u{1B}[F", .end), ("\u{1B}OH", .home), ("\u{1B}[1~", .home), ("\u{1B}[4~", .end),
            ("\u{1B}[7~", .home), ("\u{1B}[8~", .end), ("\u{1B}[3~", .delete), ("\u{1B}[5~", .pageUp),
            ("\u{1B}[6~", .pageDown), ("\u{1B}[Z", .backTab), ("\u{1B}[1;5C", .right), ("\u{1B}[5;2~", .pageUp),
            ("\u{3}", .interrupt), ("\u{C}", .redraw), ("\u{0}", .control(" ")), ("\u{1F}", .control("_")),
            ("\u{1B}b", .alt("b")), ("\u{1B}é", .alt("é")), ("\u{1B}\u{7F}", .control("w")),
        ])
    func sequence(text: String, key: Key) {
        #expect(decode(text) == [key])
    }

    @Test(
        "Bytes may be split over reads anywhere",
        arguments: ["é漢👩‍🚀x", "\u{1B}[1;5A\u{1B}OB\u{1B}[6~q", "a\u{1B}[200~päste\r\nx\u{1B}[201~b", "\u{1B}x\u{1B}[[Ay"])
    func split(text: String) {
        let bytes = Array(text.utf8)
        var whole = KeyDecoder()
        let scalars = whole.feed(bytes).flatMap(\.scalars)
        for at in 0...bytes.count {
            var decoder = KeyDecoder()
            let keys = decoder.feed(bytes[..<at]) + decoder.feed(bytes[at...])
            #expect(keys.flatMap(\.scalars) == scalars)
        }
        var decoder = KeyDecoder()
        #expect(bytes.flatMap { decoder.feed([$0]) }.flatMap(\.scalars) == scalars)
    }

    @Test("What comes together is told by characters as people see them")
    func characters() {
        #expect(decode("e\u{301}👩‍👩‍👧‍👦🇩🇰") == ["e\u{301}", "👩‍👩‍👧‍👦", "🇩🇰"].map(Key.character))
    }

    @Test("Escape alone is a key once nothing more has come; the beginning of a sequence is none")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.feed([0x1b]).isEmpty)
        #expect(decoder.isWaiting)
        #expect(decoder.flush() == [.escape])
        #expect(!decoder.isWaiting)
        #expect(decoder.feed([0x1b, 0x5b]).isEmpty)
        #expect(decoder.flush().isEmpty)
        #expect(decoder.feed([0x41]) == [.character("A")])
    }

    @Test("Two escapes are one key, and the other waits")
    func escapes() {
        var decoder = KeyDecoder()
        #expect(decoder.feed([0x1b, 0x1b]) == [.escape])
        #expect(decoder.flush() == [.escape])
        #expect(decode("\u{1B}\u{1B}[A") == [.escape, .up])
        #expect(decode("\u{1B}\r") == [.escape, .enter])
    }

    @Test("A paste is one key, whatever it holds, without control characters")
    func paste() {
        let text = "a\u{1B}[A\u{3}b\r\nc\rd\te\u{1B}]0;x\u{7}"
        #expect(decode("\u{1B}[200~\(text)\u{1B}[201~z") == [.paste("a[Ab\nc\nd\te]0;x"), .character("z")])
        var decoder = KeyDecoder()
        #expect(decoder.feed("\u{1B}[200~abc".utf8).isEmpty)
        #expect(!decoder.isWaiting)
        #expect(decoder.flush().isEmpty)
        #expect(decoder.feed("d\u{1B}[201~".utf8) == [.paste("abcd")])
    }

    @Test("A paste without an end keeps no more than its limit")
    func longPaste() {
        var decoder = KeyDecoder()
        _ = decoder.feed("\u{1B}[200~".utf8)
        let part = [UInt8](repeating: 0x61, count: 1 << 18)
        for _ in 0..<6 { #expect(decoder.feed(part).isEmpty) }
        guard case .paste(let text)? = decoder.feed("\u{1B}[201~".utf8).first else {
            Issue.record("the paste has ended")
            return
        }
        #expect(text.utf8.count == KeyDecoder.longestPaste)
    }

    @Test(
        "What means nothing is passed over, and what follows is understood",
        arguments: [
            "\u{1B}[99~", "\u{1B}[?1;2c", "\u{1B}OQ", "\u{1B}[[A", "\u{1B}[I", "\u{1B}[201~", "\u{85}",
            "\u{1B}[" + String(repeating: "1", count: 40),
        ])
    func noise(text: String) {
        #expect(decode(text).isEmpty)
        #expect(decode(text + "\u{1B}[A").last == .up)
    }

    @Test(
        "Bytes that are no UTF-8 are one replacement character each, or each broken sequence",
        arguments: [[0xff], [0xc0], [0x80], [0xc3, 0x41], [0xe2, 0x82, 0x41], [0xed, 0xa0, 0x80], [0xf5]] as [[UInt8]])
    func invalid(bytes: [UInt8]) {
        var decoder = KeyDecoder()
        let keys = decoder.feed(bytes + [0x7a])
        #expect(keys.first == .character("\u{FFFD}"))
        #expect(keys.last == .character("z"))
    }

    @Test("No bytes at all bring it down, and none stay for ever", arguments: 0..<50)
    func anything(seed: UInt64) {
        var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
        var decoder = KeyDecoder()
        for _ in 0..<2000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let byte = UInt8(truncatingIfNeeded: state >> 56)
            _ = decoder.feed([state >> 40 & 7 == 0 ? 0x1b : byte])
        }
        _ = decoder.feed("\u{1B}[201~".utf8)
        _ = decoder.flush()
        #expect(decoder.feed([0x71]) == [.character("q")])
    }
}

extension Key {
    /// The key with characters taken apart, since those that come in parts are told in parts.
    fileprivate var scalars: [String] {
        guard case .character(let character) = self else { return ["\(self)"] }
        return character.unicodeScalars.map { String($0) }
    }
}
