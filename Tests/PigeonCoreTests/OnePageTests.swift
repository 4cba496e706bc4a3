import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("One page of a list again")
struct OnePageTests {
    struct Row: Identifiable, Codable, Equatable, Sendable {
        let id: Int
        var text = ""
    }

    /// Rows that a server gives out in pages of three.
    private final class Server: Sendable {
        private let state: Locked<(rows: [Row], asked: [Int])>
        init(_ ids: [Int]) { state = Locked((ids.map { Row(id: $0) }, [])) }

        var rows: [Row] {
            get { state.withLock { $0.rows } }
            set { state.withLock { $0.rows = newValue } }
        }
        var asked: [Int] {
            get { state.withLock { $0.asked } }
            set { state.withLock { $0.asked = newValue } }
        }
        /// By number.
        func page(_ number: Int) -> [Row] {
            state.withLock { state in
                state.asked.append(number)
                return Array(state.rows.dropFirst(number * 3).prefix(3))
            }
        }
        /// By the row before.
        func page(after id: Int) -> [Row] {
            state.withLock { state in
                state.asked.append(id)
                let rest = id == 0 ? state.rows[...] : state.rows.drop { $0.id != id }.dropFirst()
                return Array(rest.prefix(3))
            }
        }
    }

    private let lab = QueryLab()
    private var client: QueryClient { lab.client }
    private let server = Server(Array(1...12))

    private var numbered: QueryDefinition<Pages<[Row], Int>> {
        .pages("numbered", first: 0) { [server] page, _ in
            server.page(page)
        } next: { rows, page in
            rows.count < 3 ? nil : page + 1
        }.contains(each: Row.self).staleAfter(.seconds(60))
    }

    private var chained: QueryDefinition<Pages<[Row], Int>> {
        .pages("chained", first: 0) { [server] id, _ in
            server.page(after: id)
        } next: { rows, _ in
            rows.count < 3 ? nil : rows[2].id
        }.contains(each: Row.self).staleAfter(.seconds(60))
    }

    private func load(_ list: QueryDefinition<Pages<[Row], Int>>, pages: Int) {
        let call = lab.start { [client] in await client.prefetch(list, pages: pages) }
        #expect(call.result != nil && client.value(of: list)?.count == pages)
        server.asked = []
    }

    private func refetch(_ list: QueryDefinition<Pages<[Row], Int>>, _ page: Int) throws -> [Int] {
        let call = lab.start { [client] in try await client.refetch(list, page: page) }
        let pages = try #require(call.result).get()
        #expect(pages == client.value(of: list))
        return pages.items.map(\.id)
    }

    @Test("one page is requested, and the rest of the list stays as it is, as old and as right", .rule("A103"))
    func one() throws {
        load(numbered, pages: 4)
        let before = try #require(client.value(of: numbered))
        lab.advance(by: .seconds(40))
        server.rows[4].text = "new"
        server.rows[0].text = "not seen"
        let age = client.snapshot(of: numbered).updatedAt
        #expect(try refetch(numbered, 1) == Array(1...12))
        #expect(server.asked == [1])
        let after = try #require(client.value(of: numbered))
        #expect(after.items.map(\.text) == ["", "", "", "", "new"] + Array(repeating: "", count: 7))
        #expect([0, 2, 3].allSatisfy { after.loaded(at: $0).stamp == before.loaded(at: $0).stamp })
        #expect(client.snapshot(of: numbered).updatedAt == age)
        lab.advance(by: .seconds(21))
        #expect(client.snapshot(of: numbered).isStale)
        client.invalidateWithoutWaiting(.query(numbered))
        #expect(try refetch(numbered, 2) == Array(1...12) && client.snapshot(of: numbered).isStale)
        #expect(after.nextID == 4 && client.value(of: numbered)?.nextID == 4)
    }

    @Test("rows that have moved between pages stand once, and none is missing", .rule("A103"), arguments: [0, 1, 2, 3])
    func moved(page: Int) throws {
        load(numbered, pages: 4)
        server.rows.insert(Row(id: 100), at: 0)
        let items = try refetch(numbered, page)
        #expect(items == [100] + Array(1...11) && server.asked.count == 4)
    }

    @Test("a removed row leaves no hole", .rule("A103"))
    func removed() throws {
        load(numbered, pages: 4)
        server.rows.remove(at: 4)
        #expect(try refetch(numbered, 1) == [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12])
        #expect(server.asked == [1, 2, 3] && client.value(of: numbered)?.nextID == nil)
    }

    @Test("a removed row in a list of cursors is followed until the list joins up", .rule("A103"))
    func cursors() throws {
        load(chained, pages: 4)
        let ids = try #require(client.value(of: chained)?.ids)
        #expect(ids == [0, 3, 6, 9])
        server.rows.remove(at: 4)
        #expect(try refetch(chained, 3) == [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12])
        #expect(server.asked == [3, 7, 10])
        server.asked = []
        server.rows[0].text = "new"
        #expect(try refetch(chained, 0).count == 11 && server.asked == [0])
        server.rows = Array(server.rows.prefix(4))
        #expect(try refetch(chained, 3) == [1, 2, 3, 4])
        #expect(client.value(of: chained)?.ids == [0, 3] && client.value(of: chained)?.hasNext == false)
    }

    @Test("after any one change, no row stands twice, and none is lost", .rule("A103"), arguments: 0..<300)
    func any(seed: UInt64) throws {
        let random = SeededRandom(seed: seed)
        let list = random.below(2) == 0 ? numbered : chained
        load(list, pages: 4)
        let place = random.below(12)
        let inserts = random.below(2) == 0
        if inserts { server.rows.insert(Row(id: 100), at: place) } else { server.rows.remove(at: place) }
        let ids = try #require(client.value(of: list)?.ids)
        let items = try refetch(list, ids[random.below(4)])
        #expect(Set(items).count == items.count)
        let loaded = Set(1...12).intersection(server.rows.prefix(items.count).map(\.id))
        #expect(loaded.isSubset(of: items), "\(items) of \(server.rows.map(\.id))")
    }

    @Test("the first page of a list of optional cursors is loaded again as any other", .rule("A103"))
    func optionalCursors() throws {
        let list = QueryDefinition<Pages<[Row], Int?>>.pages("optional") { [server] cursor, _ in
            server.page(after: cursor ?? 0)
        } next: { rows in
            rows.count < 3 ? nil : rows[2].id
        }.contains(each: Row.self)
        let call = lab.start { [client] in await client.prefetch(list, pages: 4) }
        #expect(call.result != nil && client.value(of: list)?.count == 4)
        server.asked = []
        server.rows[1].text = "new"
        let again = lab.start { [client] in try await client.refetch(list, page: nil) }
        #expect(again.value?.items.map(\.text).prefix(2) == ["", "new"] && server.asked == [0])
    }

    // MARK: Beside other changes

    private func scripted() -> (ScriptedFetcher<[Row]>, QueryDefinition<Pages<[Row], Int>>) {
        let pages = lab.fetcher(returning: [Row].self)
        let list = QueryDefinition<Pages<[Row], Int>>.pages("list", first: 0) { page, _ in
            try await pages.call(page)
        } next: { _, page in
            page + 1
        }.contains(each: Row.self).staleAfter(.seconds(60))
        return (pages, list)
    }

    private func fill(_ list: QueryDefinition<Pages<[Row], Int>>) throws {
        let pages = (0..<3).map { Pages<[Row], Int>.Loaded(id: $0, page: [Row(id: $0)]) }
        try client.set(Pages(pages, nextID: 3), for: list)
    }

    @Test("an edit of another page stays, and the same page is loaded again after one", .rule("A103"))
    func edits() throws {
        let (pages, list) = scripted()
        try fill(list)
        let call = lab.start { [client] in try await client.refetch(list, page: 1) }
        client.update(Row.self, 2) { $0.text = "edited" }
        pages.succeed(with: [Row(id: 1, text: "new")])
        #expect(call.value?.items.map(\.text) == ["", "new", "edited"])
        let again = lab.start { [client] in try await client.refetch(list, page: 1) }
        client.update(Row.self, 1) { $0.text = "edited" }
        pages.succeed(with: [Row(id: 1, text: "old")])
        #expect(again.value == nil && pages.pendingCount == 1)
        pages.succeed(with: [Row(id: 1, text: "newest")])
        #expect(again.value?.items.map(\.text) == ["", "newest", "edited"])
    }

    @Test("a page that is on its way is requested anew, and another one after it", .rule("A103"))
    func joined() throws {
        let (pages, list) = scripted()
        try fill(list)
        let calls = [1, 1, 2].map { page in lab.start { [client] in try await client.refetch(list, page: page) } }
        #expect(pages.pendingCount == 1 && pages.calls.count == 2)
        pages.succeed(with: [Row(id: 1, text: "a")])
        #expect(calls[0].value != nil && calls[1].value != nil && calls[2].value == nil)
        pages.succeed(with: [Row(id: 2, text: "b")])
        #expect(calls[2].value?.items.map(\.text) == ["", "a", "b"] && pages.calls.count == 3)
    }

    @Test("a fetch of the whole list takes the place of one page, and comes first", .rule("A103"))
    func whole() throws {
        let (pages, list) = scripted()
        try fill(list)
        let one = lab.start { [client] in try await client.refetch(list, page: 1) }
        let all = lab.start { [client] in try await client.fetch(list, .networkOnly) }
        let later = lab.start { [client] in try await client.refetch(list, page: 2) }
        for id in 0..<3 { pages.succeed(pages.pending.last?.index ?? 0, with: [Row(id: id, text: "all")]) }
        for call in [one, all] { #expect(call.value?.items.map(\.text) == ["all", "all", "all"]) }
        #expect(!client.snapshot(of: list).isStale && later.result == nil && pages.pendingCount == 1)
        pages.succeed(with: [Row(id: 2, text: "new")])
        #expect(later.value?.items.map(\.text) == ["all", "all", "new"])
    }

    @Test("what needs the whole list fetches it beside one page", .rule("A103"))
    func beside() throws {
        let (pages, list) = scripted()
        try fill(list)
        client.invalidateWithoutWaiting(.query(list))
        let one = lab.start { [client] in try await client.refetch(list, page: 1) }
        let observer = client.observe(list)
        lab.settle()
        #expect(pages.pending.map(\.arguments) == [["0"]])
        for id in 0..<3 { pages.succeed(with: [Row(id: id, text: "all")]) }
        #expect(observer.value?.items.map(\.text) == ["all", "all", "all"] && one.value == observer.value)
        #expect(!observer.snapshot.isStale)
    }

    @Test("after a sign-out, a page that waited for another one is not requested", .rule("A103"), .rule("A31"))
    func signOut() async throws {
        let (pages, list) = scripted()
        try fill(list)
        let observer = client.observe(list)
        let calls = [1, 2].map { page in lab.start { [client] in try await client.refetch(list, page: page) } }
        try await client.clear()
        lab.settle()
        #expect(calls.allSatisfy { $0.error is CancellationError } && pages.calls.count == 1)
        #expect(observer.snapshot.isCleared)
    }

    @Test("a page that is changed again and again while it is on its way ends with the whole list", .rule("A103"))
    func changes() throws {
        let (pages, list) = scripted()
        try fill(list)
        let call = lab.start { [client] in try await client.refetch(list, page: 1) }
        for round in 0..<3 {
            client.update(Row.self, 1) { $0.text = "edit \(round)" }
            pages.succeed(with: [Row(id: 1, text: "\(round)")])
        }
        for id in 0..<3 where call.result == nil { pages.succeed(with: [Row(id: id, text: "all")]) }
        #expect(call.value?.items.map(\.text) == ["all", "all", "all"] && pages.calls.count == 6)
    }

    @Test("a page that is equal changes nothing", .rule("A103"), .rule("A3"))
    func equal() throws {
        load(numbered, pages: 3)
        let before = try #require(client.value(of: numbered)?.loaded(at: 1).stamp)
        let version = client.snapshot(of: numbered).value
        #expect(try refetch(numbered, 1).count == 9)
        #expect(client.value(of: numbered)?.loaded(at: 1).stamp == before && client.value(of: numbered) == version)
    }

    private final class Table: SourceOfTruth {
        private let state: Locked<Stored<Pages<[Row], Int>>?>
        init(_ list: Pages<[Row], Int>, savedAt: Date?) { state = Locked(Stored(list, savedAt: savedAt)) }
        var stored: Stored<Pages<[Row], Int>>? { state.withLock { $0 } }

        /// Each load makes pages of its own, as a database does.
        func load() async throws -> Stored<Pages<[Row], Int>>? {
            state.withLock { $0 }.map { stored in
                let pages = stored.value.indices.map { position in
                    Pages<[Row], Int>.Loaded(id: stored.value.ids[position], page: stored.value[position])
                }
                return Stored(Pages(pages, nextID: stored.value.nextID), savedAt: stored.savedAt)
            }
        }
        func save(_ new: Stored<Pages<[Row], Int>>) async throws { state.withLock { $0 = new } }
        func remove() async throws { state.withLock { $0 = nil } }
    }

    @Test("a source of truth receives the page alone, and keeps its date", .rule("A103"))
    func source() throws {
        let (pages, list) = scripted()
        let date = lab.environment.wallClock().addingTimeInterval(-30)
        let table = Table(Pages((0..<3).map { .init(id: $0, page: [Row(id: $0)]) }, nextID: 3), savedAt: date)
        let stored = list.stored(in: table)
        let observer = client.observe(stored)
        lab.settle()
        #expect(observer.value?.count == 3)
        let call = lab.start { [client] in try await client.refetch(stored, page: 1) }
        lab.settle()
        pages.succeed(with: [Row(id: 1, text: "new")])
        lab.settle()
        #expect(call.value?.items.map(\.text) == ["", "new", ""] && observer.value == call.value)
        #expect(table.stored?.value.items.map(\.text) == ["", "new", ""] && table.stored?.savedAt == date)
        let again = lab.start { [client] in try await client.refetch(stored, page: 1) }
        client.update(stored) { $0.updatePage(at: 2) { $0[0].text = "edited" } }
        lab.settle()
        pages.succeed(with: [Row(id: 1, text: "newer")])
        lab.settle()
        #expect(again.value?.items.map(\.text) == ["", "newer", "edited"])
        #expect(table.stored?.value.items.map(\.text) == ["", "newer", "edited"])
    }

    @Test(
        "a failure is the caller's, a retry asks for the same page, and without a network the load waits", .rule("A103")
    )
    func failures() throws {
        let (pages, list) = scripted()
        try fill(list)
        let failed = lab.start { [client] in try await client.refetch(list.retry(.never), page: 1) }
        pages.fail(with: URLError(.badServerResponse))
        #expect(failed.error is URLError)
        #expect(client.snapshot(of: list).error == nil && client.value(of: list)?.count == 3)
        let retried = lab.start { [client] in
            try await client.refetch(list.retry(RetryPolicy(limit: 2)), page: 1)
        }
        pages.fail(with: URLError(.timedOut))
        lab.advance(by: .seconds(60))
        pages.succeed(with: [Row(id: 1, text: "new")])
        #expect(retried.value?.items.map(\.text) == ["", "new", ""])
        lab.setOnline(false)
        let offline = lab.start { [client] in try await client.refetch(list, page: 2) }
        #expect(pages.pendingCount == 0 && offline.result == nil)
        lab.setOnline(true)
        pages.succeed(with: [Row(id: 2, text: "back")])
        #expect(offline.value?.items.map(\.text) == ["", "new", "back"])
    }

    @Test(
        "a page that the list does not have changes nothing, and without a list the first page is loaded", .rule("A103")
    )
    func none() throws {
        let (pages, list) = scripted()
        let first = lab.start { [client] in try await client.refetch(list, page: 7) }
        pages.succeed(with: [Row(id: 0)])
        #expect(first.value?.ids == [0])
        let missing = lab.start { [client] in try await client.refetch(list, page: 7) }
        #expect(missing.value?.ids == [0] && pages.calls.count == 1)
    }
}
