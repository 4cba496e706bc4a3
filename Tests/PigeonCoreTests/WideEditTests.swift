import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Edits of many entries")
struct WideEditTests {
    private let lab = QueryLab()
    private var client: QueryClient { lab.client }
    private struct Refused: Error {}

    private static func search(_ text: String) -> QueryDefinition<[String]> { .value(QueryKey("search", text)) }
    private static let count = QueryDefinition<Int>.value("search/count")
    private static let parcel = QueryDefinition<String>.value("parcels/1")

    private struct Rename: Mutating {
        let answer: @Sendable () async throws -> Void
        func run(_ context: MutationContext) async throws { try await answer() }
        func optimistic(_ edits: inout OptimisticEdits) {
            edits.update("search", as: [String].self) { $0.replace("Ann", with: "Bea") }
            edits.update(WideEditTests.parcel) { $0 = "Bea" }
        }
    }

    private func prepare() throws {
        for text in ["a", "an"] { try client.set(["Ann", "Cid \(text)"], for: Self.search(text)) }
        try client.set(2, for: Self.count)
        try client.set("Ann", for: Self.parcel)
    }

    private var shown: [String] {
        ["a", "an"].flatMap { client.value(of: Self.search($0)) ?? [] } + [client.value(of: Self.parcel) ?? "-"]
    }

    @Test("an edit of a path reaches every value of its type below it, and no other", .rule("A54"))
    func path() throws {
        try prepare()
        let edited = client.update(.path("search"), as: [String].self) { $0.replace("Ann", with: "Bea") }
        #expect(edited == 2)
        #expect(shown == ["Bea", "Cid a", "Bea", "Cid an", "Ann"])
        #expect(client.value(of: Self.count) == 2)
    }

    @Test("an edit by tag or condition reaches what it selects", .rule("A54"))
    func tagAndCondition() throws {
        let tagged = QueryDefinition<String>.value("tagged").tagged("names")
        try client.set("Ann", for: tagged)
        try client.set("Ann", for: Self.parcel)
        #expect(client.update(.tag("names"), as: String.self) { $0 = "Bea" } == 1)
        #expect(client.value(of: tagged) == "Bea" && client.value(of: Self.parcel) == "Ann")
        let edited = client.update(.where { $0.key.components.count == 2 }, as: String.self) { $0 = "Cid" }
        #expect(edited == 1 && client.value(of: Self.parcel) == "Cid")
    }

    @Test(
        "an optimistic edit of a path shows in all of it, is taken back by a failure, and stays after success",
        .rule("A54"))
    func optimistic() throws {
        try prepare()
        let (fetcher, before) = (lab.fetcher(returning: Void.self), shown)
        let failing = lab.start { [client] in try await client.mutate(Rename { try await fetcher.call() }) }
        #expect(shown == ["Bea", "Cid a", "Bea", "Cid an", "Bea"])
        fetcher.fail(with: Refused())
        #expect(failing.error is Refused && shown == before)
        let succeeding = lab.start { [client] in try await client.mutate(Rename { try await fetcher.call() }) }
        fetcher.succeed(with: ())
        #expect(succeeding.value != nil && shown == ["Bea", "Cid a", "Bea", "Cid an", "Bea"])
        #expect(!client.snapshot(of: Self.search("a")).isOptimistic)
    }

    @Test("what arrives for the path while the mutation runs shows the edit too", .rule("A54"))
    func later() throws {
        let (fetcher, answer) = (lab.fetcher(returning: [String].self), lab.fetcher(returning: Void.self))
        let task = lab.start { [client] in try await client.mutate(Rename { try await answer.call() }) }
        let observer = client.observe(QueryDefinition("search", "anna", fetch: fetcher.fetch))
        fetcher.succeed(with: ["Ann"])
        #expect(observer.value == ["Bea"] && observer.snapshot.isOptimistic)
        answer.fail(with: Refused())
        #expect(observer.value == ["Ann"] && task.error is Refused)
    }

    @Test(
        "the edits of one mutation are one change", .rule("A55"), arguments: [true, false])
    func oneChange(succeeds: Bool) throws {
        try prepare()
        let fetcher = lab.fetcher(returning: Void.self)
        let seen = Recorder<Set<Bool>>()
        let client = client
        let observers = ["a", "an"].map { text in
            client.observe(Self.search(text)) { _ in
                seen.append(Set(["a", "an"].map { client.value(of: Self.search($0))?.first == "Bea" }))
            }
        }
        let parcel = client.observe(Self.parcel) { _ in
            seen.append([client.value(of: Self.parcel) == "Bea", client.value(of: Self.search("a"))?.first == "Bea"])
        }
        let task = lab.start { [client] in try await client.mutate(Rename { try await fetcher.call() }) }
        if succeeds { fetcher.succeed(with: ()) } else { fetcher.fail(with: Refused()) }
        client.update("search", as: [String].self) { $0.replace("Bea", with: "Ann") }
        #expect(task.result != nil)
        #expect(seen.all.count >= 3 && seen.all.dropLast(2).allSatisfy { $0.count == 1 })
        #expect(seen.all.suffix(2).allSatisfy { $0 == [false] })
        withExtendedLifetime((observers, parcel)) {}
    }

    @Test("a record without an entry is marked stale, so that its next reader fetches", .rule("A54"))
    func records() async throws {
        let cache = RecordStoreDouble()
        let first = QueryLab(cache: cache)
        let stored = QueryDefinition<[String]>.value("search/old").persisted()
        let kept = QueryDefinition<[String]>.value("search/kept").persisted()
        for definition in [stored, kept] { try first.client.set(["Ann"], for: definition) }
        await first.client.flush()
        let next = QueryLab(cache: cache)
        #expect(next.client.value(of: kept) == ["Ann"])
        next.client.update("search", as: [String].self) { $0 = ["Bea"] }
        await next.client.flush()
        let last = QueryLab(cache: cache)
        #expect(last.client.snapshot(of: kept).value == ["Bea"] && !last.client.snapshot(of: kept).isInvalidated)
        #expect(last.client.snapshot(of: stored).value == ["Ann"] && last.client.snapshot(of: stored).isInvalidated)
    }

    @Test("a family is named by the definition at its root", .rule("A56"))
    func family() throws {
        try prepare()
        let searches = QueryDefinition<Int>.value("search")
        client.invalidate(.path(of: searches))
        #expect(client.snapshot(of: Self.search("a")).isInvalidated && client.snapshot(of: Self.count).isInvalidated)
        #expect(!client.snapshot(of: Self.parcel).isInvalidated)
    }
}

extension [String] {
    fileprivate mutating func replace(_ old: String, with new: String) {
        for index in indices where self[index] == old { self[index] = new }
    }
}
