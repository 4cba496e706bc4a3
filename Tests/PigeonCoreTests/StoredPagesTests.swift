import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

/// The store says which pages of a list it has. What this client remembers of it may be wrong: others change it, and a
/// write may fail.
@Suite("A list in a store that differs from what this client remembers")
struct StoredPagesTests {
    private typealias List = Pages<String, Int>

    private let store = RecordStoreDouble()
    private let lab: QueryLab
    private var client: QueryClient { lab.client }
    private let list = QueryDefinition<List>.value("list").persisted()

    init() {
        lab = QueryLab(cache: store)
    }

    /// The pages that a program has which starts now.
    private func restarted() -> [String]? { QueryLab(cache: store).client.value(of: list).map { Array($0) } }

    private func pages(_ texts: String...) -> List {
        List(texts.enumerated().map { .init(id: $0 + 1, page: $1) }, nextID: texts.count + 1)
    }

    private func append(_ text: String, in client: QueryClient) {
        client.update(list) { list in
            let known = list.indices.map { list.loaded(at: $0) }
            list = List(known + [.init(id: known.count + 1, page: text)], nextID: known.count + 2)
        }
    }

    @Test("a list stays where it is if the store cannot read one of its pages", .rule("A30"), arguments: [1, 2])
    func unreachable(page: Int) throws {
        try client.set(pages("a", "b"), for: list)
        lab.flush()
        let other = QueryLab(cache: store)
        let read = store.reads.count
        store.onRead { [store] key in
            let pages = store.reads.dropFirst(read).filter { $0.queryKeyValue.contains("~page") }
            store.failReads(key.queryKeyValue.contains("~page") && pages.count == page)
        }
        #expect(other.client.value(of: list) == nil)
        store.onRead(nil)
        store.failReads(false)
        other.flush()
        #expect(store.keys.count == 3)
        #expect(restarted() == ["a", "b"])
    }

    @Test("a list that another client replaces while it is read is read again", .rule("A66"))
    func replacedWhileRead() throws {
        try client.set(pages("a", "b"), for: list)
        lab.flush()
        let writer = QueryLab(cache: store)
        try writer.client.set(pages("c", "d"), for: list)
        let reader = QueryLab(cache: store)
        store.onRead { [store] key in
            guard key.queryKeyValue.contains("~page") else { return }
            store.onRead(nil)
            writer.flush()
        }
        #expect(reader.client.value(of: list).map { Array($0) } == ["c", "d"])
        reader.flush()
        #expect(restarted() == ["c", "d"])
    }

    @Test("a page that is added to a list which the store has lost is written with the others", .rule("A66"))
    func lost() throws {
        try client.set(pages("a"), for: list)
        lab.flush()
        store.changeFromOutside(.removeAll, news: .replaced)
        append("b", in: client)
        lab.flush()
        #expect(restarted() == ["a", "b"])
    }

    @Test("a page that is added to a list which another client has replaced is written with the others", .rule("A66"))
    func replaced() throws {
        try client.set(pages("a"), for: list)
        lab.flush()
        let other = QueryLab(cache: store)
        #expect(other.client.value(of: list)?.count == 1)
        try client.set(pages("x"), for: list)
        lab.flush()
        append("b", in: other.client)
        other.flush()
        #expect(restarted() == ["a", "b"])
        #expect(store.keys.count == 3)
    }

    @Test("a page that cannot be encoded costs its own save, and none after it", .rule("T121"))
    func unencodable() throws {
        typealias Numbers = Pages<Double, Int>
        let list = QueryDefinition<Numbers>.value("list").persisted()
        try client.set(Numbers([.init(id: 1, page: 1), .init(id: 2, page: .nan)], nextID: 3), for: list)
        lab.flush()
        client.update(list) { $0.updatePage(at: 1) { $0 = 2 } }
        lab.flush()
        #expect(QueryLab(cache: store).client.value(of: list).map { Array($0) } == [1, 2])
    }

    @Test("a list that is removed and set again before the removal is written is written whole", .rule("T83"))
    func removedAndSet() throws {
        try client.set(pages("a", "b"), for: list)
        lab.flush()
        let kept = try #require(client.value(of: list))
        client.remove(.key("list"))
        try client.set(kept, for: list)
        lab.flush()
        #expect(restarted() == ["a", "b"])
    }

    @Test(
        "what is removed of a list is all of it, also if it was not read", .rule("A30", "T83"),
        arguments: [false, true])
    func removed(hasOtherSchema: Bool) throws {
        try client.set(pages("a", "b"), for: list)
        lab.flush()
        let next = QueryLab(cache: store)
        let definition = QueryDefinition<List>.value("list").persisted(schema: hasOtherSchema ? 2 : 0)
        #expect((next.client.value(of: definition) == nil) == hasOtherSchema)
        if !hasOtherSchema { next.client.remove(.key("list")) }
        next.flush()
        #expect(store.keys.isEmpty)
    }

    @Test(
        "an entry that was dropped before its record was written hears of what others do to that", .rule("A66"),
        arguments: [false, true])
    func dropped(isRemoval: Bool) throws {
        let definition = QueryDefinition<String>.value("user").persisted()
        try client.set("Ann", for: definition)
        client.dropUnobserved()
        let observer = client.observe(definition)
        lab.flush()
        store.changeFromOutside(isRemoval ? .remove("user") : .markStale(.key("user")))
        #expect(observer.value == (isRemoval ? nil : "Ann"))
        #expect(observer.snapshot.isStale)
    }
}
