import Foundation
import TestSupport
import Testing

@testable import PigeonHTTP

@Suite("Lists, quoted strings and parameters of header fields")
struct FieldElementTests {
    @Test(
        "commas, semicolons and equals signs in quotes separate nothing", .rule("D15", "K26"),
        arguments: [
            ("a, b", ["a", "b"]), ("a,,  ,\tb ,", ["a", "b"]), ("", []), (" , ", []),
            ("\"a, b\", c", ["\"a, b\"", "c"]),
            ("W/\"a,b\", \"c\\\",d\"", ["W/\"a,b\"", "\"c\\\",d\""]), ("a;x=\"b, c\";y=d, e", ["a", "e"]),
            ("<https://a.test/1,2;3>; rel=next, <b>", ["<https://a.test/1,2;3>", "<b>"]), ("\"open, b", ["\"open, b"]),
        ])
    func elements(_ text: String, _ names: [String]) {
        #expect(FieldElement.list(text).map(\.head.name) == names)
    }

    @Test(
        "the first parameter of a name counts, without quotes and escapes", .rule("D15", "K26"),
        arguments: [
            ("text/html; charset=utf-8", "utf-8"), ("text/html;CHARSET = \"u\\tf-8\" ; charset=b", "utf-8"),
            ("text/html; x=\"; charset=latin1\"", nil), ("text/html; x=\"\\\"; charset=latin1\"; charset=b", "b"),
            ("text/html; charset", nil), ("text/html; charset=", nil), ("text/html; charset='utf-8'", "utf-8"),
            ("a/b; charset=x, text/html; charset=y", "y"), ("text/html; charset=\"open", "open"),
        ])
    func charsets(_ text: String, _ name: String?) {
        #expect(text.charsetName == name)
    }

    @Test(
        "any list that the grammar allows is read as it was written", .rule("D15", "K26"),
        arguments: 0..<300 as Range<UInt64>)
    func generated(seed: UInt64) {
        var dice = Dice(state: seed)
        let elements = (0..<dice.below(5)).map { _ in
            FieldElement(
                head: dice.part(), parameters: (0..<dice.below(4)).map { _ in dice.part() })
        }
        let text = elements.map { dice.written($0) }.joined(separator: dice.pick([",", ", ", " ,\t", ", , "]))
        #expect(FieldElement.list(text) == elements, "\(text)")
    }

    @Test(
        "a text that is no list is read to its end, whatever it is", .rule("D15", "K26"),
        arguments: 0..<300 as Range<UInt64>)
    func garbage(seed: UInt64) {
        var dice = Dice(state: seed)
        let text = (0..<dice.below(60)).map { _ in
            dice.pick(["\"", "\\", ",", ";", "=", "<", ">", " ", "a", "ü", "\u{0}"])
        }
        .joined()
        let elements = FieldElement.list(text)
        #expect(elements.count <= text.count)
        #expect(elements.allSatisfy { !$0.head.name.contains("\n") })
        _ = CacheControl(text)
    }

    @Test("an answer that varies with everything is never fresh, wherever the star is in the list", .rule("D15", "K26"))
    func varying() {
        let stars: [HTTPHeaders] = [
            ["Vary": "Accept, *"], ["Vary": "*,Accept"], ["Vary": "Accept", "vary": "*"], ["Vary": " * "],
        ]
        for fields in stars {
            let headers = HTTPHeaders([HTTPHeaders.Field(name: "Cache-Control", value: "max-age=60")] + Array(fields))
            #expect(headers.freshness(now: Date()) == .zero, "\(Array(fields))")
            #expect(headers.staleIfError == .zero)
        }
        let plain: HTTPHeaders = ["Cache-Control": "max-age=60", "Vary": "Accept, X-*"]
        #expect(plain.freshness(now: Date()) == .seconds(60))
    }

    @Test(
        "a directive that is written with semicolons forbids what it forbids, and allows nothing", .rule("D15", "K26"))
    func semicolons() {
        let control: HTTPHeaders = ["Cache-Control": "max-age=60; no-store"]
        #expect(control.freshness(now: Date()) == .zero)
        #expect(control.staleIfError == .zero)
    }
}

/// A generator of elements, from a seed.
private struct Dice {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    mutating func part() -> FieldElement.Part {
        let name = pick(["a", "max-age", "*", "charset", "x!#$%&'*+-.^_`|~", "rel"])
        let values = [nil, "", "b", "utf-8", "a, b", "c;d=e", "quote \" and \\", "<f>", " outer ", "ü"]
        return FieldElement.Part(name: name, value: pick(values))
    }

    mutating func written(_ element: FieldElement) -> String {
        let parts = ([element.head] + element.parameters).map { part in
            guard let value = part.value else { return part.name }
            let isToken = !value.isEmpty && value.utf8.allSatisfy(ASCIISet.token.contains)
            if isToken, below(2) == 0 { return "\(part.name)=\(value)" }
            let escaped = value.map { character in
                "\"\\".contains(character) || below(8) == 0 && character.isASCII ? "\\\(character)" : "\(character)"
            }
            return "\(part.name)=\"\(escaped.joined())\""
        }
        return parts.joined(separator: pick([";", "; ", " ;\t"]))
    }
}
