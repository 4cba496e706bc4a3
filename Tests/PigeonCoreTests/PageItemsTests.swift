@testable import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Items of pages")
struct PageItemsTests {
    private typealias List = Pages<[String], Int>
    private struct Refused: Error {}

    /// A page that has its items in a property.
    private struct Section: Codable, Equatable, Sendable {
        var title: String
        var rows: [String]
    }

    /// Two pages from the first loaded one on, and one before it.
    private static func list() -> List {
        var list = List([.init(id: 2, page: ["c", "d"]), .init(id: 3, page: ["e"])], nextID: 4)
        list.prepend(.init(id: 1, page: ["a", "b"]))
        list.previousID = 0
        return list
    }

    private let old = PageItemsTests.list()

    /// The items, page by page.
    private func text(_ list: List) -> String { list.map { $0.joined(separator: "") }.joined(separator: "|") }

    /// The positions of the pages that are new loads.
    private func touched(_ list: List) -> [Int] {
        list.indices.filter { list.loaded(at: $0).stamp != old.loaded(at: $0).stamp }
    }

    private func goesOnAsBefore(_ list: List) -> Bool {
        list.ids == old.ids && list.nextID == old.nextID && list.previousID == old.previousID
            && list.end(in: .next) == old.end(in: .next) && list.end(in: .previous) == old.end(in: .previous)
    }

    @Test(
        "an edit reaches the items of every page, on either side of the start, and only those pages are new loads",
        .rule("A52"),
        arguments: [
            (["b"], "aB|cd|e", [0]), (["e"], "ab|cd|E", [2]), (["b", "c", "e"], "aB|Cd|E", [0, 1, 2]),
            (["c", "d"], "ab|CD|e", [1]), (["x"], "ab|cd|e", [] as [Int]),
        ])
    func update(_ chosen: [String], _ result: String, _ pages: [Int]) {
        var list = old
        let count = list.update(where: { chosen.contains($0) }) { $0 = $0.uppercased() }
        #expect(count == chosen.filter { $0 != "x" }.count)
        #expect(text(list) == result)
        #expect(touched(list) == pages)
        #expect(goesOnAsBefore(list))
        #expect(text(old) == "ab|cd|e", "a copy made before keeps its items")
    }

    @Test(
        "items are removed from every page, and a page without items stays", .rule("A52"),
        arguments: [
            (["a"], "b|cd|e", [0]), (["e"], "ab|cd|", [2]), (["c", "d"], "ab||e", [1]),
            (["a", "b", "c", "d", "e"], "||", [0, 1, 2]), (["x"], "ab|cd|e", [] as [Int]),
        ])
    func removeAll(_ chosen: [String], _ result: String, _ pages: [Int]) {
        var list = old
        let count = list.removeAll { chosen.contains($0) }
        #expect(count == chosen.filter { $0 != "x" }.count)
        #expect(text(list) == result)
        #expect(touched(list) == pages)
        #expect(goesOnAsBefore(list))
    }

    @Test(
        "an item is inserted into the page that has the item at its offset", .rule("A52"),
        arguments: [
            (-3, "xab|cd|e", 0), (0, "xab|cd|e", 0), (1, "axb|cd|e", 0), (2, "ab|xcd|e", 1), (4, "ab|cd|xe", 2),
            (5, "ab|cd|ex", 2), (Int.max, "ab|cd|ex", 2),
        ])
    func insert(_ offset: Int, _ result: String, _ page: Int) {
        var list = old
        let isInserted = list.insert("x", at: offset)
        #expect(isInserted)
        #expect(text(list) == result)
        #expect(touched(list) == [page])
        #expect(goesOnAsBefore(list))
    }

    @Test("A list without pages has no items to edit, and takes none")
    func empty() {
        var list = List()
        let counts = [list.update(where: { _ in true }) { $0 = "" }, list.removeAll { _ in true }]
        let isInserted = list.insert("x", at: 0)
        #expect(counts == [0, 0])
        #expect(!isInserted)
        #expect(list.isEmpty && Array(list.items).isEmpty)
    }

    @Test("Pages that have their items in a property are edited the same way")
    func property() {
        let first = Section(title: "A", rows: ["a", "b"])
        let second = Section(title: "C", rows: ["c"])
        var list = Pages([.init(id: 1, page: first), .init(id: 2, page: second)], nextID: 3)
        let stamp = list.loaded(at: 0).stamp
        let edited = list.update(in: \.rows, where: { $0 == "c" }) { $0 = "C" }
        #expect(edited == 1)
        #expect(list[1] == Section(title: "C", rows: ["C"]))
        #expect(list.loaded(at: 0).stamp == stamp)
        let isInserted = list.insert("x", in: \.rows, at: 2)
        #expect(isInserted)
        #expect(list[1].rows == ["x", "C"])
        let removed = list.removeAll(in: \.rows) { $0 != "C" }
        #expect(removed == 3)
        #expect(list.map(\.rows) == [[], ["C"]])
    }

    @Test(
        "an item is renamed optimistically, and a failure brings it back; the other pages are not copied",
        .rule("A52", "A22"))
    func optimistic() throws {
        let lab = QueryLab()
        let server = PageServer(lab)
        let mutations = MutationServer(lab)
        let observer = lab.client.observe(server.list())
        server.answer("a", "b")
        _ = lab.start { [client = lab.client] in try await client.fetchNextPage(of: server.list()) }
        server.answer("c")
        let before = try #require(observer.value)
        var mutation = ScriptedMutation(mutations)
        mutation.edits = { edits in
            edits.update(QueryDefinition<PageServer.List>.value("posts")) { pages in
                pages.update(where: { $0 == "c" }) { $0 = "C" }
            }
        }
        _ = lab.mutate(mutation)
        let during = try #require(observer.value)
        #expect(Array(during.items) == ["a", "b", "C"])
        #expect(during.loaded(at: 0).stamp == before.loaded(at: 0).stamp)
        mutations.fail(with: Refused())
        #expect(observer.value.map { Array($0.items) } == ["a", "b", "c"])
    }

    @Test("only the pages with an edited item are written to the cache again", .rule("A52"))
    func written() throws {
        let store = RecordStoreDouble()
        let lab = QueryLab(cache: store)
        let definition = QueryDefinition<List>.value("list").persisted()
        try lab.client.set(old, for: definition)
        lab.advance(by: .seconds(1))
        #expect(store.saved.last?.count == 4)
        lab.client.update(definition) { $0.update(where: { $0 == "e" }) { $0 = "E" } }
        lab.advance(by: .seconds(1))
        #expect(store.saved.last?.count == 2, "the list and one page")
        let other = QueryLab(cache: store)
        #expect(other.client.value(of: definition).map(text) == "ab|cd|E")
    }
}
