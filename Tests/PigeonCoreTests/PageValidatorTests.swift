import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

/// A server of numbered pages, each with a tag. Answers at once, and records each request with its tag.
private final class TaggedPages: Sendable {
    typealias List = Pages<[String], Int>

    private struct State {
        var pages = [1: ("a", "v1"), 2: ("b", "v2"), 3: ("c", "v3")]
        var freshFor: [Int: Duration] = [:]
        var failing: Int?
        var asked: [String] = []
    }

    private let state = Locked(State())

    func put(_ item: String, _ tag: String, at id: Int) { state.withLock { $0.pages[id] = (item, tag) } }
    func setFresh(_ times: [Int: Duration]) { state.withLock { $0.freshFor = times } }
    /// Makes the requests of a page fail, or of none.
    func fail(at id: Int?) { state.withLock { $0.failing = id } }

    /// Returns the requests since the last call.
    func takeAsked() -> [String] {
        state.withLock { state in
            defer { state.asked = [] }
            return state.asked
        }
    }

    func fetch(_ id: Int, _ context: PageContext<[String]>) throws -> [String] {
        let tag = context.validators.eTag
        let (page, freshFor, fails) = state.withLock { state in
            state.asked.append("\(id) \(tag ?? "-")")
            return (state.pages[id], state.freshFor[id], state.failing == id)
        }
        if fails { throw Status(503) }
        if let freshFor { context.isFresh(for: freshFor) }
        guard let page, page.1 != tag else { return try context.notModified() }
        context.validators.eTag = page.1
        return [page.0]
    }

    /// A list of three pages.
    var list: QueryDefinition<List> {
        QueryDefinition<List>.pages("posts", first: 1) { id, context in
            try self.fetch(id, context)
        } next: { _, id in
            id < 3 ? id + 1 : nil
        }
    }
}

@Suite("Validators of pages")
struct PageValidatorTests {
    private typealias List = TaggedPages.List

    private let lab = QueryLab()
    private let server = TaggedPages()
    private var client: QueryClient { lab.client }

    /// Observes a list, loads its three pages, and forgets the requests.
    private func load(_ list: QueryDefinition<List>, in lab: QueryLab) -> QueryObserver<List> {
        let observer = lab.client.observe(list)
        lab.settle()
        for _ in 2...3 {
            _ = lab.start { [client = lab.client] in try await client.fetchNextPage(of: list) }
        }
        _ = server.takeAsked()
        return observer
    }

    private func refetch(_ list: QueryDefinition<List>) -> LabTask<List> {
        lab.start { [client] in try await client.refetch(list) }
    }

    private func stamps(_ list: List?) -> [UInt64] {
        guard let list else { return [] }
        return list.indices.map { list.loaded(at: $0).stamp }
    }

    @Test(
        "each page is requested with its own validators, and if none was modified the list is the same value",
        .rule("A50"))
    func notModified() {
        let observer = load(server.list, in: lab)
        let before = observer.snapshot
        lab.advance(by: .seconds(60))
        #expect(refetch(server.list).value?.count == 3)
        #expect(server.takeAsked() == ["1 v1", "2 v2", "3 v3"])
        #expect(lab.log.last == "posts not modified")
        #expect(observer.snapshot.valueVersion == before.valueVersion)
        #expect(observer.snapshot.age == .zero)
        #expect(stamps(observer.value) == stamps(before.value))
    }

    @Test("a page that was modified replaces only its old load", .rule("A50"), arguments: 1...3)
    func oneModified(id: Int) throws {
        let observer = load(server.list, in: lab)
        let before = stamps(observer.value)
        server.put("new", "w", at: id)
        _ = refetch(server.list)
        let list = try #require(observer.value)
        #expect(list.indices.filter { stamps(list)[$0] != before[$0] } == [id - 1])
        #expect(list[id - 1] == ["new"])
        #expect(server.takeAsked() == ["1 v1", "2 v2", "3 v3"])
        _ = refetch(server.list)
        #expect(server.takeAsked()[id - 1] == "\(id) w")
        #expect(lab.log.last == "posts not modified")
    }

    @Test(
        "a page that is equal leaves the list as it is, and is requested with its newer validators", .rule("A50", "A3"))
    func equalPage() {
        let observer = load(server.list, in: lab)
        let before = observer.snapshot
        server.put("b", "w2", at: 2)
        _ = refetch(server.list)
        #expect(observer.snapshot.valueVersion == before.valueVersion)
        #expect(lab.log.last == "posts fresh")
        _ = server.takeAsked()
        _ = refetch(server.list)
        #expect(server.takeAsked() == ["1 v1", "2 w2", "3 v3"])
        #expect(lab.log.last == "posts not modified")
    }

    @Test("a page that the program edited is requested without validators", .rule("A50"))
    func edited() {
        let observer = load(server.list, in: lab)
        client.update(server.list) { $0.update(where: { $0 == "b" }) { $0 = "B" } }
        lab.settle()
        _ = server.takeAsked()
        _ = refetch(server.list)
        #expect(server.takeAsked() == ["1 v1", "2 -", "3 v3"])
        #expect(observer.value.map { Array($0.items) } == ["a", "b", "c"])
        client.update(server.list) { $0.update(where: { $0 == "b" }) { $0 = "B" } }
        server.put("B", "w2", at: 2)
        _ = refetch(server.list)
        #expect(server.takeAsked() == ["1 v1", "2 -", "3 v3"])
        _ = refetch(server.list)
        #expect(server.takeAsked() == ["1 v1", "2 w2", "3 v3"], "the server has the same page")
    }

    @Test("a retry continues at the page that failed, with the validators of that page", .rule("A50", "T107"))
    func retry() {
        let list = server.list.retry(RetryPolicy(limit: 1, hasJitter: false))
        let observer = load(list, in: lab)
        server.fail(at: 2)
        let task = refetch(list)
        server.fail(at: nil)
        lab.advance(by: .seconds(1))
        #expect(server.takeAsked() == ["1 v1", "2 v2", "2 v2", "3 v3"])
        #expect(task.value == observer.value)
        #expect(lab.log.last == "posts not modified")
    }

    @Test("a list that starts again asks whether its first page has changed", .rule("A50"))
    func restart() {
        let observer = load(server.list, in: lab)
        let before = stamps(observer.value)
        let task = lab.start { [client, server] in try await client.restart(server.list) }
        #expect(server.takeAsked() == ["1 v1"])
        #expect(stamps(task.value) == [before[0]])
        #expect(observer.value?.nextID == 2)
    }

    @Test(
        "a cursor that has changed is requested without the validators of the page that was there", .rule("A50", "A53"))
    func otherCursor() {
        let asked = Recorder<String>()
        let second = Locked("c1")
        let feed = QueryDefinition<Pages<String, String?>>.pages("feed") { cursor, context in
            asked.append("\(cursor ?? "first") \(context.validators.eTag ?? "-")")
            context.validators.eTag = "tag of \(cursor ?? "first")"
            return cursor == nil ? second.withLock { $0 } : "end"
        } next: { page in
            page == "end" ? nil : page
        }
        func refetch() -> [String] {
            _ = lab.start { [client] in try await client.refetch(feed) }
            return asked.clear()
        }
        _ = lab.start { [client] in await client.prefetch(feed, pages: 5) }
        #expect(asked.clear() == ["first -", "c1 -"])
        #expect(client.value(of: feed)?.ids == [nil, "c1"])
        #expect(client.value(of: feed)?.hasNext == false)
        #expect(refetch() == ["first tag of first", "c1 tag of c1"])
        second.withLock { $0 = "c2" }
        #expect(refetch() == ["first tag of first", "c2 -"])
        #expect(refetch() == ["first tag of first", "c2 tag of c2"])
    }

    @Test("a key of components is that of the list of cursors", .rule("A53"))
    func cursorKey() {
        let feed = QueryDefinition<Pages<[Int], Int?>>.pages("users", 42, "posts", maxPages: 2) { cursor, _ in
            [cursor ?? 0]
        } next: { page in
            page.last.map { $0 + 1 }
        }
        #expect(feed.key.queryKeyValue == "users/42/posts")
        _ = lab.start { [client] in await client.prefetch(feed, pages: 2) }
        _ = lab.start { [client] in try await client.fetchNextPage(of: feed) }
        #expect(client.value(of: feed).map { Array($0.items) } == [1, 2])
    }

    @Test("identifiers that cannot be compared name no page, so its validators are not sent", .rule("A50"))
    func incomparable() {
        struct Spot: Sendable { var number: Int }
        let asked = Recorder<String?>()
        let list = QueryDefinition<Pages<String, Spot>>.pages("spots", first: Spot(number: 1)) { spot, context in
            asked.append(context.validators.eTag)
            context.validators.eTag = "tag"
            return "p\(spot.number)"
        } next: { _, spot in
            spot.number < 2 ? Spot(number: spot.number + 1) : nil
        }
        _ = lab.start { [client] in await client.prefetch(list, pages: 2) }
        _ = lab.start { [client] in try await client.refetch(list) }
        #expect(asked.all == [nil, nil, nil, nil])
    }

    @Test("\"not modified\" about a page that is not there is a failure that says so", .rule("A50"))
    func notModifiedWithoutPage() {
        let list = QueryDefinition<Pages<String, Int>>.pages("posts", first: 1) { _, context in
            try context.notModified()
        } next: { _, _ in
            nil
        }
        let task = lab.start { [client] in try await client.fetch(list) }
        #expect(task.error as? QueryError == .notModifiedWithoutValue(key: "posts"))
    }

    @Test(
        "a list is fresh for the shortest time of its answers, even after a retry", .rule("A51"),
        arguments: [false, true])
    func freshness(isRetried: Bool) {
        let list = server.list.retry(RetryPolicy(limit: 1, hasJitter: false))
        let observer = load(list, in: lab)
        server.setFresh([1: .seconds(10), 3: .seconds(30)])
        if isRetried { server.fail(at: 2) }
        _ = refetch(list)
        server.fail(at: nil)
        if isRetried { lab.advance(by: .seconds(1)) }
        #expect(!observer.snapshot.isStale)
        lab.advance(by: .seconds(9))
        #expect(!observer.snapshot.isStale)
        lab.advance(by: .seconds(1))
        #expect(observer.snapshot.isStale)
    }

    // MARK: Records

    @Test("validators are stored with the list, and a page that was not modified is not written again", .rule("A50"))
    func stored() {
        let store = RecordStoreDouble()
        let first = QueryLab(seed: 1, cache: store)
        let observer = load(server.list.persisted(), in: first)
        first.advance(by: .seconds(1))
        let second = QueryLab(seed: 2, cache: store)
        let again = second.client.observe(server.list.persisted())
        second.settle()
        #expect(server.takeAsked() == ["1 v1", "2 v2", "3 v3"])
        #expect(stamps(again.value) == stamps(observer.value))
        #expect(second.log.last == "posts not modified")
        second.advance(by: .seconds(1))
        #expect(store.saved.last == ["posts"])
        server.put("new", "w", at: 2)
        _ = second.start { [client = second.client, server] in try await client.refetch(server.list.persisted()) }
        second.advance(by: .seconds(1))
        #expect(store.saved.last?.count == 2, "the list and one page")
    }

    @Test("a list that was stored before pages had validators is read, and has them after a refresh", .rule("A50"))
    func storedBefore() throws {
        let store = RecordStoreDouble()
        let savedAt = Date(timeIntervalSinceReferenceDate: 0)
        let list = #"{"entries":[{"id":1,"stamp":7},{"id":2,"stamp":8},{"id":3,"stamp":9}]}"#
        store.put(QueryRecord(data: Data(list.utf8), savedAt: savedAt), for: "posts")
        for (stamp, item) in [("7", "a"), ("8", "b"), ("9", "c")] {
            let key = ("posts" as QueryKey).appending("~page").appending(stamp)
            try store.put([item], for: key, savedAt: savedAt)
        }
        let lab = QueryLab(cache: store)
        let observer = lab.client.observe(server.list.persisted())
        #expect(observer.value.map { Array($0.items) } == ["a", "b", "c"])
        lab.settle()
        #expect(server.takeAsked() == ["1 -", "2 -", "3 -"])
        _ = lab.start { [client = lab.client, server] in try await client.refetch(server.list.persisted()) }
        #expect(server.takeAsked() == ["1 v1", "2 v2", "3 v3"])
        #expect(lab.log.last == "posts not modified")
    }
}
