import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Keys that are written as literals")
struct QueryKeyLiteralTests {
    @Test("An array literal has the components of the path")
    func array() {
        let id: Int? = 42
        let missing: String? = nil
        let key: QueryKey = ["users", id, "a/b", 0.5, missing, true]
        #expect(key == QueryKey("users", 42, "a/b", "0.5", "nil", "true"))
        #expect(QueryKey(["users", 42]) == "users/42")
        #expect(([] as QueryKey).components == [""])
    }

    @Test("Numbers and dates have one text for one value")
    func numbers() {
        let date = Date(timeIntervalSinceReferenceDate: 1.5)
        #expect(QueryKey(0.1, Float(2), date) == "0.1/2.0/1.5")
        #expect(QueryKey(1.0) != QueryKey(1))
    }

    @Test(
        "a literal is read as a path, as keys are printed", .rule("U20"),
        arguments: [
            ("users", ["users"]), ("users/42", ["users", "42"]), ("a/b/c", ["a", "b", "c"]),
            ("caf\u{E9}/1", ["caf\u{E9}", "1"]), ("a/\u{301}b", ["a", "\u{301}b"]),
            // Empty components count.
            ("", [""]), ("/", ["", ""]), ("/a", ["", "a"]), ("a/", ["a", ""]), ("a//b", ["a", "", "b"]),
            // A printed key can be pasted. Any other percent sign stands for itself.
            ("a%2Fb", ["a/b"]), ("50%25", ["50%"]), ("a%252Fb", ["a%2Fb"]), ("50%", ["50%"]), ("%/%2", ["%", "%2"]),
            ("%2f", ["%2f"]), ("100%é", ["100%é"]),
        ] as [(QueryKey, [String])])
    func literal(_ key: QueryKey, _ components: [String]) {
        #expect(key.components == components)
        #expect(key == QueryKey(first: components[0], rest: Array(components.dropFirst())))
        #expect(key == QueryKey(stringLiteral: key.description))
    }

    @Test("a literal and its listed components are one key, in memory and on disk, byte for byte", .rule("U20"))
    func sameKey() throws {
        let (written, listed): (QueryKey, QueryKey) = ("users/42", QueryKey("users", 42))
        #expect(written == listed)
        #expect(Set([written]) == [listed])
        #expect(Array(written.queryKeyValue.utf8) == Array(listed.queryKeyValue.utf8))
        let (composed, decomposed): (QueryKey, QueryKey) = ("caf\u{E9}/1", "cafe\u{301}/1")
        #expect(Array(composed.queryKeyValue.utf8) == Array(decomposed.queryKeyValue.utf8))

        let memory = InMemoryQueryCache()
        memory.save("Ann", for: listed, andTimestamp: .distantPast)
        #expect(memory.get(for: "users/42") == "Ann")
        let defaults = try #require(UserDefaults(suiteName: "pigeon.tests.literal"))
        let disk = UserDefaultsQueryCache(defaults: defaults)
        defer { disk.removeAll() }
        disk.save("Ann", for: listed, andTimestamp: .distantPast)
        #expect(disk.get(for: "users/42") == "Ann")
    }

    @Test("a value in a literal is never split, and can be part of a component", .rule("U20"))
    func interpolation() {
        let (id, folder, name) = (42, "a/b", "100%25")
        #expect("users/\(id)" as QueryKey == QueryKey("users", 42))
        #expect(QueryKey("users/\(id)/posts") == QueryKey("users", 42, "posts"))
        #expect(QueryKey("files/\(folder)").components == ["files", "a/b"])
        #expect(QueryKey("files/\(name)").components == ["files", "100%25"])
        #expect(QueryKey("\(folder)").components == ["a/b"])
        #expect(QueryKey("page-\(id)-of/\("")").components == ["page-42-of", ""])
        #expect(QueryKey("%\("25")").components == ["%25"])
        #expect(QueryKey("e\("\u{301}")") == "\u{E9}")
    }

    @Test("text that is no literal, and text in a list, is one component, whatever it has", .rule("U20"))
    func components() {
        let text = "a/b"
        #expect(QueryKey(text).components == ["a/b"])
        #expect(QueryKey(value: "a/b").components == ["a/b"])
        #expect(QueryKey("a/b", "c").components == ["a/b", "c"])
        #expect(("users" as QueryKey).appending("a/b").components == ["users", "a/b"])
        #expect(QueryKey(value: "a/b") != "a/b")
    }

    @Test("filters and definitions read a literal that stands alone as a path", .rule("U20"))
    func filtersAndDefinitions() throws {
        let lab = QueryLab()
        let text = "users/42"
        func keys(_ filter: KeyFilter) -> [String] {
            lab.client.entries(matching: filter).map(\.key.queryKeyValue)
        }
        try lab.client.set(1, for: "users/42")
        try lab.client.set(1, for: "users/42/posts")
        try lab.client.set(1, for: QueryKey(text))
        #expect(keys(.key("users/42")) == ["users/42"])
        #expect(keys(.path("users/42")) == ["users/42", "users/42/posts"])
        #expect(keys(.path("users/\(42)")) == ["users/42", "users/42/posts"])
        #expect(keys(.key("users", 42)) == ["users/42"])
        #expect(keys(.key(text)) == ["users%2F42"])

        let user = QueryDefinition<Int>("users/42") { _ in 1 }
        let one = QueryDefinition<Int>("users", 42) { _ in 1 }
        #expect(user.key == one.key)
        #expect(QueryDefinition<Int>("users/\(42)") { _ in 1 }.key == one.key)
        #expect(QueryDefinition<Int>(text) { _ in 1 }.key == QueryKey(value: text))
        let posts = QueryDefinition.pages("users/42/posts", first: 1) { page, _ in
            [page]
        } next: { _, page in
            page + 1
        }
        #expect(posts.key == QueryKey("users", 42, "posts"))
    }
}
