import Foundation
import Pigeon
import PigeonHTTP
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

struct Book: Codable, Equatable, Identifiable, Sendable {
    var id: Int
    var title: String
}

private let bookServer = MockTransport()
private let bookClock = ManualClock()
private let bookStart = Date()
private let library = makeLibrary(
    networking: bookServer,
    client: QueryClient(
        environment: QueryEnvironment(
            clock: bookClock,
            wallClock: { bookStart.addingTimeInterval(Double(bookClock.now().nanoseconds) / 1e9) })))

func makeLibrary(
    networking: any NetworkingProviderConvertible = Service.defaultNetworking, client: QueryClient = .shared
) -> Service {
    let library = Service(baseURL: "https://api.example.com", networking: networking, client: client)
    library.configure("**") {
        $0.headers["Accept"] = "application/json"
        $0.expirationTime = 60
    }
    library.configure("/books/*", decoding: Book.self)
    library.configure("/authors/*/books", decoding: [Book].self)
    library.configure("/authors/*/books") {
        $0.expirationTime = 5
        $0.query { $0.pollEvery = .seconds(30) }
    }
    return library
}

extension QueryDefinition where Value == Book {
    static func book(_ id: Book.ID) -> Self { library.definition("/books/\(id)") }
}

extension QueryDefinition where Value == [Book] {
    static func books(by author: Int) -> Self { library.definition("/authors/\(author)/books") }
}

extension QueryDefinition where Value == Pages<ResourcePage<Book>, URL> {
    static func pagedBooks(by author: Int) -> Self { library.pages("/authors/\(author)/books") }
}

struct RenameBook: Mutating {
    var id: Book.ID
    var title: String

    func run(_ context: MutationContext) async throws -> Book {
        try await library.resource("/books/\(id)").request(.patch, json: ["title": title]).content()
    }
    func optimistic(_ edits: inout OptimisticEdits) { edits.update(.book(id)) { $0.title = title } }
    func succeeded(_ book: Book, _ writes: CacheWrites) { writes.set(book, for: .book(id)) }
}

/// The service is one for the whole program, as in the article, so its tests run one after another.
@MainActor
@Suite("Article: one configuration for many addresses", .serialized)
struct UseAServiceWithQueriesTests {
    private let before: Int

    private var client: QueryClient { library.client }
    /// The requests of the test so far.
    private var asked: [String] {
        bookServer.requests.dropFirst(before).map { "\($0.methodName) \($0.path)" }
    }

    init() throws {
        library.wipeResources()
        before = bookServer.requests.count
        bookServer.answer(.get, "/books/42", with: try .json(Book(id: 42, title: "Emma")))
        bookServer.answer(.get, "/books/7", with: try .json(Book(id: 7, title: "Persuasion")))
        bookServer.answer(.get, "/authors/1/books", with: try .json([Book(id: 42, title: "Emma")]))
        bookServer.answer(.patch, "/books/42", with: try .json(Book(id: 42, title: "Emma, 2nd edition")))
    }

    @Test func `the configuration of the patterns applies to the queries`() async throws {
        let first = try await client.fetch(.book(42))
        #expect(first.title == "Emma")
        #expect(bookServer.requests.last?.headers["Accept"] == "application/json")
        _ = try await client.fetch(.books(by: 1))
        bookClock.advance(by: .seconds(10))
        _ = try await client.fetch(.book(42))
        #expect(asked == ["GET /books/42", "GET /authors/1/books"])
        _ = try await client.fetch(.books(by: 1))
        #expect(asked == ["GET /books/42", "GET /authors/1/books", "GET /authors/1/books"])
        bookClock.advance(by: .seconds(51))
        _ = try await client.fetch(.book(42))
        #expect(asked.last == "GET /books/42")
        #expect(asked.count == 4)
    }

    @Test func `options of the configuration apply to a query`() async {
        let books = Query(.books(by: 1), client: library.client)
        await until { books.value != nil }
        #expect(asked.count == 1)
        await until {
            bookClock.advance(by: .seconds(30))
            return asked.count > 1
        }
    }

    @Test func `modifiers of a definition win`() async throws {
        _ = try await client.fetch(.book(42))
        bookClock.advance(by: .seconds(100))
        _ = try await client.fetch(.book(42).staleAfter(.minutes(10)))
        #expect(asked == ["GET /books/42"])
    }

    @Test func `a screen and a call use the same definitions`() async throws {
        let book = Query(.book(42), client: library.client)
        let other = try await library.client.fetch(.book(7))
        #expect(other.title == "Persuasion")
        await until { book.value?.title == "Emma" }
        #expect(asked.sorted() == ["GET /books/42", "GET /books/7"])
    }

    /// Answers with two pages of an author's books, as a server with `Link` headers does.
    private func sendPages() {
        bookServer.answer(.get, "/authors/1/books") { request, _ in
            let isSecond = request.url.query == "page=2"
            let eTag = isSecond ? "\"2\"" : "\"1\""
            var headers: HTTPHeaders = ["ETag": eTag]
            if !isSecond { headers["Link"] = "</authors/1/books?page=2>; rel=\"next\"" }
            if request.headers["If-None-Match"] == eTag { return .status(.notModified, headers: headers) }
            let book = isSecond ? Book(id: 7, title: "Persuasion") : Book(id: 42, title: "Emma")
            return try .json([book], headers: headers)
        }
    }

    @Test func `a screen shows a list page by page`() async {
        sendPages()
        let list = library.pages("/authors/1/books", of: Book.self)
        let books = PaginatedQuery(list, items: \.items, client: library.client)
        await until { books.items.map(\.title) == ["Emma"] }
        #expect(books.hasNextPage)
        books.fetchNextPage()
        await until { books.items.map(\.title) == ["Emma", "Persuasion"] }
        #expect(!books.hasNextPage)
        #expect(asked == ["GET /authors/1/books", "GET /authors/1/books"])
    }

    @Test func `a call reads a list page by page`() async throws {
        sendPages()
        var list = try await library.client.fetch(.pagedBooks(by: 1))
        while list.hasNext {
            list = try await library.client.fetchNextPage(of: .pagedBooks(by: 1))
        }
        let titles = list.flatMap { $0.items.map(\.title) }
        #expect(titles == ["Emma", "Persuasion"])
        let known = list
        #expect(library.resource("/authors/1/books").typedContent() == [Book(id: 42, title: "Emma")])

        #expect(try await client.refetch(.pagedBooks(by: 1)) == known)
        let eTags = bookServer.requests.dropFirst(before).map { $0.headers["If-None-Match"] }
        #expect(eTags == [nil, nil, "\"1\"", "\"2\""])

        bookServer.answer(.get, "/authors/1/books", with: .status(.notFound))
        await #expect(throws: ResourceRequestError.self) { try await client.refetch(.pagedBooks(by: 1)) }
        #expect(client.value(of: .pagedBooks(by: 1)) == known)
    }

    @Test func `the example of a list's documentation`() async throws {
        sendPages()
        let list = library.pages("/authors/1/books", of: Book.self)
        let first = try await library.client.fetch(list)
        let both = try await library.client.fetchNextPage(of: list)
        let titles = both.flatMap(\.items).map(\.title)
        #expect(first.flatMap(\.items).map(\.title) == ["Emma"])
        #expect(titles == ["Emma", "Persuasion"])
    }

    @Test func `errors are those of requests, beside the value`() async throws {
        let book = Query(.book(42), client: library.client)
        await until { book.value != nil }
        bookServer.answer(.get, "/books/42", with: .status(.notFound))
        await #expect(throws: ResourceRequestError.self) { try await client.refetch(.book(42)) }
        await until { book.snapshot.error != nil }
        let error = book.snapshot.error as? ResourceRequestError
        #expect(error?.httpStatusCode == 404)
        #expect(book.value?.title == "Emma")
    }

    @Test func `a mutation is shown at once, and replaces the content of the resource`() async throws {
        let resource = library.resource("/books/42").typed(Book.self)
        let book = Query(.book(42), client: library.client)
        await until { book.value?.title == "Emma" }
        let (released, gate) = AsyncStream.makeStream(of: Void.self)
        let answer = try MockAnswer.json(Book(id: 42, title: "Emma, 2nd edition"))
        bookServer.answer(.patch, "/books/42") { _, _ in
            for await _ in released { break }
            return answer
        }
        let renaming = Task { [client] in try await client.mutate(RenameBook(id: 42, title: "Emma II")) }
        await until { book.value?.title == "Emma II" }
        #expect(resource.content?.title == "Emma")
        gate.finish()
        #expect(try await renaming.value.title == "Emma, 2nd edition")
        await until { book.value?.title == "Emma, 2nd edition" && resource.content?.title == "Emma, 2nd edition" }
        #expect(asked == ["GET /books/42", "PATCH /books/42"])
    }

    @Test func `a refused mutation is rolled back`() async throws {
        let book = Query(.book(42), client: library.client)
        await until { book.value != nil }
        bookServer.answer(.patch, "/books/42", with: .status(.forbidden))
        await #expect(throws: ResourceRequestError.self) {
            try await client.mutate(RenameBook(id: 42, title: "Emma II"))
        }
        await until { book.value?.title == "Emma" }
        #expect(library.resource("/books/42").typed(Book.self).content?.title == "Emma")
    }

    @Test func `loads, overrides, invalidations and wipes are shared with the resource`() async throws {
        let resource = library.resource("/books/42").typed(Book.self)
        resource.load()
        let book = Query(.book(42), client: library.client)
        await until { book.value?.title == "Emma" && !book.snapshot.isFetching }
        #expect(asked == ["GET /books/42"])

        resource.overrideLocalContent(with: Book(id: 42, title: "Sanditon"))
        await until { book.value?.title == "Sanditon" }
        client.update(.book(42)) { $0.title = "Lady Susan" }
        await until { resource.content?.title == "Lady Susan" }

        await client.invalidate(.book(42))
        #expect(asked == ["GET /books/42", "GET /books/42"])
        await until { book.value?.title == "Emma" && resource.content?.title == "Emma" }
        await client.invalidate(.path(library.queryKey))
        await until { asked.count == 3 && !book.snapshot.isFetching }

        library.wipeResources()
        await until { book.value == nil }
        #expect(resource.content == nil)
        #expect(asked.count == 3)
    }

    @Test func `a typed resource of an older screen is a definition too`() async throws {
        let older = library.resource("/books/42").typed(Book.self)
        let shown = Query(older.definition, client: library.client)
        let watched = Query(older.watched, client: library.client)
        await until { shown.value?.title == "Emma" && watched.value?.title == "Emma" }
        #expect(older.definition.key == QueryDefinition<Book>.book(42).key)
        #expect(asked == ["GET /books/42"])
    }

    @Test func `a definition fails once its service is gone`() async throws {
        var service: Service? = makeLibrary(networking: bookServer, client: client)
        let definition: QueryDefinition<Book> = try #require(service?.definition("/books/7"))
        service = nil
        await #expect(throws: ResourceRequestError.self) { try await client.fetch(definition) }
        #expect(asked.isEmpty)
    }
}
