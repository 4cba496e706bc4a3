import Foundation
import Pigeon
import PigeonTesting
import Testing

// `Person`, its definitions and `RenamePerson` are those of the example app, which is linked into the folder `People`.

struct Article: Codable, Equatable, Identifiable, Sendable {
    let id: Int
    var title: String
    var author: Person
}

protocol ArticleServer: Sendable {
    func articles(page: Int) async throws -> [Article]
}

struct PersonRow: Codable, Equatable, Identifiable, Sendable {
    let id: Int
    var name: String
}

extension Person {
    var row: PersonRow {
        get { PersonRow(id: id, name: name) }
        set { name = newValue.name }
    }
}

extension QueryDefinition {
    static func articles() -> Self where Value == Pages<[Article], Int> {
        .pages("articles", first: 1) { page, context in
            try await context[(any ArticleServer).self].articles(page: page)
        } next: { last, page in
            last.isEmpty ? nil : page + 1
        }.contains(each: Article.self).contains(each: \.author)
    }
}

private struct ScriptedPeople: Server, ArticleServer {
    let renames: ScriptedFetcher<Person>
    let pages: ScriptedFetcher<[Article]>

    func people(named text: String, page: Int) async throws -> [Person] { [] }
    func person(_ id: Int) async throws -> Person { throw URLError(.unsupportedURL) }
    func team(_ id: Int) async throws -> Team { throw URLError(.unsupportedURL) }
    func rename(_ id: Int, to name: String) async throws -> Person { try await renames.call(id, name) }
    func articles(page: Int) async throws -> [Article] { try await pages.call(page) }
}

@Suite("Article: one item in many places")
struct OneItemTests {
    private let lab = QueryLab()
    private let renames: ScriptedFetcher<Person>
    private let pages: ScriptedFetcher<[Article]>
    private let client: QueryClient

    private let people = QueryDefinition<Pages<[Person], Int>>.people()
    private let person = QueryDefinition<Person>.person(42)
    private let found = QueryDefinition<[Person]>.search("b")
    private let articles = QueryDefinition<Pages<[Article], Int>>.articles()

    private let ann = Person(id: 42, name: "Ann", teamID: 7)
    private let bea = Person(id: 42, name: "Bea", teamID: 7)
    private let eve = Person(id: 42, name: "Eve", teamID: 7)
    private let cid = Person(id: 43, name: "Cid", teamID: 8)

    init() {
        (renames, pages) = (lab.fetcher(returning: Person.self), lab.fetcher(returning: [Article].self))
        let server = ScriptedPeople(renames: renames, pages: pages)
        client = QueryClient(
            dependencies: Dependencies(server as any Server, server as any ArticleServer), environment: lab.environment)
    }

    /// Fills the list, the search, the detail and the articles with Bea.
    private func fill() throws {
        try client.set(Pages([.init(id: 1, page: [bea])], nextID: nil), for: people)
        try client.set([bea], for: found)
        try client.set(bea, for: person)
        let article = Article(id: 1, title: "", author: bea)
        try client.set(Pages([.init(id: 1, page: [article])], nextID: nil), for: articles)
    }

    private var names: [String?] {
        [
            client.value(of: people)?.items.first?.name, client.value(of: found)?.first?.name,
            client.value(of: person)?.name, client.value(of: articles)?.items.first?.author.name,
        ]
    }

    @Test func `a new name shows in each query, and goes back in each if it is refused`() throws {
        try fill()
        let client = client
        let refused = lab.start { try await client.mutate(RenamePerson(id: 42, name: "Ann")) }
        #expect(names == ["Ann", "Ann", "Ann", "Ann"])
        renames.fail(with: URLError(.badServerResponse))
        #expect(refused.error != nil && names == ["Bea", "Bea", "Bea", "Bea"])

        let accepted = lab.start { try await client.mutate(RenamePerson(id: 42, name: "Eve")) }
        renames.succeed(with: eve)
        #expect(accepted.value == eve && names == ["Eve", "Eve", "Eve", "Eve"])
    }

    @Test func `an item is edited, added and removed wherever it stands`() async throws {
        try fill()
        try client.set([bea, Person(id: 44, name: "Dan", teamID: 8)], for: found)
        client.update(Person.self, 42) { $0.name = "Ann" }  // wherever it stands
        client.insert(cid, at: .start, into: .query(.people()))  // in the lists that a filter selects
        client.remove(Person.self, 44)  // from all lists, and where it is optional
        await client.invalidate(.containing(Person.self, 42))  // makes stale what contains it
        #expect(client.value(of: people).map { Array($0.items) } == [cid, ann])
        #expect(client.value(of: found) == [ann] && client.value(of: person) == ann)
        #expect(client.value(of: articles)?.items.first?.author == ann)
        #expect(client.snapshot(of: people).isInvalidated && client.snapshot(of: articles).isInvalidated)
        client.remove(.person(42))
        #expect(client.value(of: person) == nil && client.value(of: found) == [ann])
    }

    private struct RenameRow: Mutating {
        let id: Int
        let name: String
        let answer: @Sendable () async throws -> Person
        func run(_ context: MutationContext) async throws -> Person { try await answer() }
        func optimistic(_ edits: inout OptimisticEdits) { edits.update(PersonRow.self, id) { $0.name = name } }
    }

    @Test func `a row and a detail of another type have the same name`() throws {
        let (client, renames) = (client, renames)
        let rows = QueryDefinition<[PersonRow]>.value("rows").contains(each: PersonRow.self)
        let detail = QueryDefinition<Person>.value("people", 42).contains(\.self).contains(\.row)
        var shown: [String?] { [client.value(of: rows)?.first?.name, client.value(of: detail)?.name] }
        try client.set([bea.row], for: rows)
        try client.set(ann, for: detail)
        #expect(shown == ["Ann", "Ann"])
        try client.set([bea.row], for: rows)
        #expect(shown == ["Bea", "Bea"] && client.value(of: detail)?.teamID == 7)

        let refused = lab.start {
            try await client.mutate(RenameRow(id: 42, name: "Eve") { try await renames.call() })
        }
        #expect(shown == ["Eve", "Eve"])
        renames.fail(with: URLError(.badServerResponse))
        #expect(refused.error != nil && shown == ["Bea", "Bea"])

        let accepted = lab.start { try await client.mutate(RenamePerson(id: 42, name: "Eve")) }
        #expect(shown == ["Bea", "Eve"])
        renames.succeed(with: eve)
        #expect(accepted.value == eve && shown == ["Eve", "Eve"])
    }

    @Test func `an event names the page that an item came from`() throws {
        let client = client
        try client.set(bea, for: person)
        let first = lab.start { try await client.fetch(.articles()) }
        pages.succeed(with: [Article(id: 1, title: "", author: cid)])
        let second = lab.start { try await client.fetchNextPage(of: .articles()) }
        pages.succeed(with: [Article(id: 2, title: "", author: ann)])
        #expect(first.value?.count == 1 && second.value?.count == 2)
        #expect(client.value(of: person) == ann)
        #expect(lab.log.contains("people/42 written (newer item in articles, page 2)"))
    }

    // MARK: The article's test

    @Test func `a list has the newest name, and an older answer does not undo it`() throws {
        let lab = QueryLab()
        let (lists, details) = (lab.fetcher(returning: [Person].self), lab.fetcher(returning: Person.self))
        let list = QueryDefinition("people", fetch: lists.fetch).contains(each: Person.self)
        let detail = QueryDefinition("people", 42, fetch: details.fetch).contains(\.self)
        let shown = lab.client.observe(list)
        lists.succeed(with: [bea])
        let screen = lab.client.observe(detail)
        details.succeed(with: ann)
        #expect(shown.value == [ann] && screen.value == ann)
        #expect(lab.log.contains("people written (newer item in people/42)"))

        let refresh = lab.start { [client = lab.client] in try await client.refetch(list) }
        try lab.client.set(eve, for: detail)  // while the list is fetched
        lists.succeed(with: [bea])
        #expect(refresh.value == [eve] && shown.value == [eve])
    }
}
