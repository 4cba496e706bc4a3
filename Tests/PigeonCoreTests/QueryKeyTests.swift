import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Keys")
struct QueryKeyTests {
    private func key(_ components: [String]) -> QueryKey {
        QueryKey(first: components[0], rest: Array(components.dropFirst()))
    }

    @Test(
        "paths with different components never meet", .rule("A20"),
        arguments: [
            (["a", "b_c"], ["a_b", "c"]), (["a", "b/c"], ["a/b", "c"]), (["a/b"], ["a", "b"]),
            (["a%2Fb"], ["a/b"]), (["a%25"], ["a%"]), (["%2F"], ["/"]), (["a", "", "b"], ["a", "b"]),
            ([""], ["", ""]), (["", "a"], ["a", ""]), (["a/"], ["a", ""]), (["a", "\u{301}b"], ["a\u{301}", "b"]),
            (["A"], ["a"]), (["1", "0"], ["10"]), (["a b"], ["a", "b"]), (["\u{0}"], [""]),
        ])
    func differentPaths(_ one: [String], _ other: [String]) {
        #expect(key(one) != key(other))
        #expect(key(one).queryKeyValue != key(other).queryKeyValue)
        #expect(Array(key(one).queryKeyValue.utf8) != Array(key(other).queryKeyValue.utf8))
        #expect(key(one).components == one)
        #expect(key(other).components == other)
    }

    private static let pieces = [
        "a", "b", "_", "/", "%", "2", "5", "F", "25", "2F", " ", "é", "e", "\u{301}", "\u{600}", "👩‍👩‍👧", "\u{200D}", "\n",
    ]

    private func randomPath(_ random: SeededRandom) -> [String] {
        (0...random.below(3)).map { _ in
            (0..<random.below(4)).map { _ in random.pick(Self.pieces) ?? "" }.joined()
        }
    }

    @Test("joining is injective, and the components come back, whatever they hold", .rule("A20"), arguments: 1...8)
    func randomPaths(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let (one, other) = (randomPath(random), randomPath(random))
            #expect(key(one).components == one)
            #expect((key(one) == key(other)) == (one == other), "\(one) and \(other)")
            let bytesAreEqual = Array(key(one).queryKeyValue.utf8) == Array(key(other).queryKeyValue.utf8)
            #expect(bytesAreEqual == (one == other), "in memory and on disk alike: \(one) and \(other)")
        }
    }

    @Test("a key is within a path when the path's components begin its own", .rule("A19"), arguments: 1...8)
    func within(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        for _ in 0..<500 {
            let path = randomPath(random)
            let longer = random.once(in: 2) ? path + randomPath(random) : randomPath(random)
            let isPrefix = longer.count >= path.count && Array(longer.prefix(path.count)) == path
            #expect(key(longer).isWithin(key(path)) == isPrefix, "\(longer) in \(path)")
        }
    }

    @Test("a path names itself and what is below it, not its neighbours", .rule("A19"))
    func neighbours() {
        let users = QueryKey("users")
        #expect(users.isWithin(users))
        #expect(QueryKey("users", 42).isWithin(users))
        #expect(QueryKey("users", 42, "posts").isWithin(QueryKey("users", 42)))
        #expect(!QueryKey("users2").isWithin(users))
        #expect(!QueryKey("users", 42).isWithin(QueryKey("users", 4)))
        #expect(!users.isWithin(QueryKey("users", 42)))
        #expect(!QueryKey(value: "users/42").isWithin(users))
    }

    @Test("texts that Unicode counts as equal are one component, in memory and on disk", .rule("A19"))
    func unicodeForms() {
        let (composed, decomposed) = (QueryKey("caf\u{E9}", 1), QueryKey("cafe\u{301}", 1))
        #expect(composed == decomposed)
        #expect(Set([composed]).contains(decomposed))
        #expect(Array(composed.queryKeyValue.utf8) == Array(decomposed.queryKeyValue.utf8))
        #expect(decomposed.isWithin(QueryKey("caf\u{E9}")))
        #expect(composed.isWithin(QueryKey("cafe\u{301}")))
    }

    @Test("tags are not part of a key's identity", .rule("A19"))
    func tags() {
        let plain = QueryKey("users", 42)
        let tagged = plain.tagged("feed", "people").tagged("feed")
        #expect(plain == tagged)
        #expect(plain.hashValue == tagged.hashValue)
        #expect(tagged.tags == ["feed", "people"])
        #expect(plain.tags.isEmpty)
        #expect(tagged.appending("posts").tags == ["feed", "people"])
        #expect(tagged.queryKeyValue == "users/42")
    }

    @Test(
        "the canonical text of a path never changes, as caches are read by later versions", .rule("A20"),
        arguments: [
            (["users", "42"], "users/42"), (["a/b", "c"], "a%2Fb/c"), (["100%"], "100%25"), (["", ""], "/"),
            (["%2F"], "%252F"), (["users", "Ann Lee"], "users/Ann Lee"), (["日本", "é"], "日本/é"),
        ])
    func canonicalText(_ components: [String], _ text: String) {
        #expect(key(components).queryKeyValue == text)
        #expect(key(components).description == text)
        #expect(QueryKey(canonical: text) == key(components))
    }

    private enum Section: String, QueryKeyComponent { case inbox, archive }
    private enum Level: Int, QueryKeyComponent { case low = 1, high }

    @Test("Components are what their text is, whatever their type")
    func componentTypes() throws {
        let id = try #require(UUID(uuidString: "6ba7b810-9dad-11d1-80b4-00c04fd430c8"))
        let key = QueryKey("a", 42, UInt8(7), -1, true, Section.inbox, Level.high, id, "xyz".dropFirst())
        #expect(
            key.components
                == ["a", "42", "7", "-1", "true", "inbox", "2", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "yz"])
        #expect(QueryKey("users", 42) == QueryKey("users", "42"))
    }

    private struct Named: QueryKeyType { var queryKeyValue: String }

    @Test("Appending continues the path by a component, or by another key's whole path")
    func appending() {
        let users = QueryKey("users")
        #expect(users.appending("a/b").components == ["users", "a/b"])
        #expect(users.appending(42).components == ["users", "42"])
        #expect(users.appending(QueryKey("a", "b")).components == ["users", "a", "b"])
        #expect(users.appending(Named(queryKeyValue: "a/b")).components == ["users", "a/b"])
    }

    @Test("A key survives coding, without its tags")
    func coding() throws {
        let keys = [QueryKey("users", "a/b", "").tagged("feed"), QueryKey("é"), QueryKey("\"%\"")]
        let data = try JSONEncoder().encode(keys)
        let read = try JSONDecoder().decode([QueryKey].self, from: data)
        #expect(read == keys)
        #expect(read.map(\.components) == keys.map(\.components))
        #expect(read[0].tags.isEmpty)
        #expect(Set(read) == Set(keys))
    }
}
