import PigeonStore
import Testing

@Suite("What several states say together")
struct ZipTests {
    @Test(
        "Two states: an error beats loading, which beats completed; the first of two errors",
        arguments: [
            (nothing, nothing, "…"), (nothing, loading("b"), "…"), (nothing, completed("b"), "…"),
            (nothing, failed("y"), "!y"),
            (loading("a"), nothing, "…"), (loading("a"), loading("b"), "ab…"), (loading("a"), completed("b"), "ab…"),
            (loading("a"), failed("y"), "!y"),
            (completed("a"), nothing, "…"), (completed("a"), loading("b"), "ab…"),
            (completed("a"), completed("b"), "ab"), (completed("a"), failed("y"), "!y"),
            (failed("x"), nothing, "!x"), (failed("x"), loading("b"), "!x"), (failed("x"), completed("b"), "!x"),
            (failed("x"), failed("y"), "!x"),
        ])
    func two(_ a: Text, _ b: Text, _ expected: String) {
        var calls = 0
        let zipped = a.zip(b) { a, b in
            calls += 1
            return a + b
        }
        #expect(zipped.word == expected)
        #expect(calls == (expected.hasPrefix("ab") ? 1 : 0))
    }

    @Test(
        "Pages of two states: an error beats loading, which beats none; more if either has more",
        arguments: [
            (noMore, noMore, "end"), (noMore, more, "more"), (noMore, page, "page"), (noMore, failedPage("y"), "!y"),
            (more, noMore, "more"), (more, more, "more"), (more, page, "page"), (more, failedPage("y"), "!y"),
            (page, noMore, "page"), (page, more, "page"), (page, page, "page"), (page, failedPage("y"), "!y"),
            (failedPage("x"), noMore, "!x"), (failedPage("x"), more, "!x"), (failedPage("x"), page, "!x"),
            (failedPage("x"), failedPage("y"), "!x"),
        ])
    func pages(_ a: AdditionalLoadingState, _ b: AdditionalLoadingState, _ expected: String) {
        #expect(a.zip(b).word == expected)
    }

    @Test("Pages at both ends are zipped each with its like")
    func bothEnds() {
        let a = completed("a", next: more, prev: page)
        let b = completed("b", next: failedPage("n"), prev: noMore)
        #expect(a.zip(b) { $0 + $1 }.word == "ab !n page")
    }

    @Test(
        "Three states: an error wins in each place, of several the first; nothing cached in one is nothing",
        arguments: [
            (failed("x"), loading("b"), completed("c"), "!x"), (failed("x"), completed("b"), loading("c"), "!x"),
            (loading("a"), failed("x"), completed("c"), "!x"), (completed("a"), failed("x"), loading("c"), "!x"),
            (loading("a"), completed("b"), failed("x"), "!x"), (completed("a"), loading("b"), failed("x"), "!x"),
            (nothing, failed("x"), failed("y"), "!x"), (failed("y"), nothing, failed("x"), "!y"),
            (failed("y"), failed("x"), nothing, "!y"), (nothing, nothing, failed("z"), "!z"),
            (nothing, completed("b"), completed("c"), "…"), (completed("a"), nothing, completed("c"), "…"),
            (completed("a"), completed("b"), nothing, "…"), (completed("a"), loading("b"), completed("c"), "abc…"),
            (completed("a", next: more), completed("b"), completed("c", prev: page), "abc more page"),
        ])
    func three(_ a: Text, _ b: Text, _ c: Text, _ expected: String) {
        var calls = 0
        let zipped = a.zip(b, c) { a, b, c in
            calls += 1
            return a + b + c
        }
        #expect(zipped.word == expected)
        #expect(calls == (expected.hasPrefix("abc") ? 1 : 0))
    }

    static let kinds = [nothing, loading("k"), completed("k", next: more), failed("k")]

    /// Returns the result that the rules define, computed without `zip`.
    private func expected(_ states: [Text]) -> String {
        if let error = states.first(where: { $0.error != nil }) { return error.word }
        let contents = states.compactMap(\.content)
        guard contents.count == states.count else { return "…" }
        let isLoading = states.contains { $0.isLoading }
        return contents.joined() + (isLoading ? "…" : " more end")
    }

    /// Returns the states that a number encodes, two bits for each state. The content of a state is its position.
    private func states(_ number: Int, count: Int) -> [Text] {
        (0..<count).map { place in
            let kind = Self.kinds[(number >> (2 * place)) & 3]
            if kind.error != nil { return failed("\(place)") }
            return kind.mapContent { _ in "\(place)" }
        }
    }

    @Test("All that four and five states can be is as the rules say, and as zips of zips")
    func fourAndFive() {
        for number in 0..<1024 {
            let all = states(number, count: 5)
            let (a, b, c, d, e) = (all[0], all[1], all[2], all[3], all[4])
            #expect(a.zip(b, c, d) { $0 + $1 + $2 + $3 }.word == expected(Array(all.prefix(4))))
            let five = a.zip(b, c, d, e) { $0 + $1 + $2 + $3 + $4 }
            #expect(five.word == expected(all))
            let right = d.zip(e) { $0 + $1 }
            let nested = a.zip(b.zip(c.zip(right) { $0 + $1 }) { $0 + $1 }) { $0 + $1 }
            #expect(five.word == nested.word)
        }
    }

    @Test("Contents of several types are told apart, and an error in the transform reaches the caller")
    func types() throws {
        let number = LoadingState<Int>.completed(content: 2, next: noMore, prev: noMore)
        let flag = LoadingState<Bool>.loading(content: true)
        let zipped: LoadingState<(String, Int, Bool)> = completed("a").zip(number, flag) { ($0, $1, $2) }
        let content = try #require(zipped.content)
        #expect(content == ("a", 2, true))
        #expect(throws: Broken("t")) { try completed("a").zip(number) { _, _ throws -> Int in throw Broken("t") } }
    }
}
