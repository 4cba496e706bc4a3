import PigeonStore
import Testing

@Suite("Other content in the same state")
struct MapContentTests {
    static let states = [
        nothing, loading("a"), completed("a"), completed("a", next: more, prev: failedPage("p")), failed("x"),
    ]

    @Test("Content is mapped where there is some, and all else stays")
    func maps() {
        let words = Self.states.map { $0.mapContent { $0 + "1" }.word }
        #expect(words == ["…", "a1…", "a1", "a1 more !p", "!x"])
    }

    @Test("Nothing is called where there is no content")
    func notCalled() {
        var calls = 0
        for state in [nothing, failed("x")] {
            _ = state.mapContent { content -> String in
                calls += 1
                return content
            }
        }
        #expect(calls == 0)
    }

    @Test("Law: mapping to itself changes nothing", arguments: states)
    func identity(_ state: Text) {
        #expect(state.mapContent { $0 }.word == state.word)
    }

    @Test("Law: mapping twice is mapping once with both", arguments: states)
    func composition(_ state: Text) {
        let twice = state.mapContent { $0 + "b" }.mapContent { $0.count }
        #expect(twice.word == state.mapContent { ($0 + "b").count }.word)
    }

    @Test("An error in the transform reaches the caller")
    func throwing() {
        #expect(throws: Broken("t")) { try loading("a").mapContent { _ throws -> Int in throw Broken("t") } }
    }
}
