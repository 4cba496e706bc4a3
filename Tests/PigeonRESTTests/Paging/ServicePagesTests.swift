import Foundation
import PigeonHTTP
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Lists of pages by Link headers")
struct ServicePagesTests {
    let transport = MockTransport()
    let client = QueryClient()
    let service: Service

    init() {
        service = Service(baseURL: "https://api.test", networking: transport, client: client)
        service.configureTransformer("/repos**") { (entity: Entity<[Any]>) in entity.content as? [String] }
        transport.answer(.get, "/repos") { request, _ in
            let page =
                URLComponents(url: request.url, resolvingAgainstBaseURL: false)?
                .queryItems?.first { $0.name == "page" }?.value.flatMap(Int.init) ?? 1
            var links = ["</repos?page=3>; rel=\"last\""]
            if page < 3 { links.append("<https://api.test/repos?page=\(page + 1)>; rel=\"next\"") }
            if page > 1 { links.append("<https://api.test/repos?page=\(page - 1)>; rel=prev") }
            let eTag = "\"\(page)\""
            let headers: HTTPHeaders = ["Link": links.joined(separator: ", "), "ETag": eTag]
            if request.headers["If-None-Match"] == eTag { return .status(.notModified, headers: headers) }
            return try .json(["\(page)a", "\(page)b"], headers: headers)
        }
    }

    var list: QueryDefinition<Pages<ResourcePage<String>, URL>> { service.pages("/repos", of: String.self) }
    var items: [String] { client.value(of: list)?.flatMap(\.items) ?? [] }

    @Test("The first page, then one after the other, to the end")
    func pages() async throws {
        #expect(try await client.fetch(list).flatMap(\.items) == ["1a", "1b"])
        #expect(client.value(of: list)?.hasNext == true)
        #expect(try await client.fetchNextPage(of: list).flatMap(\.items) == ["1a", "1b", "2a", "2b"])
        #expect(try await client.fetchNextPage(of: list).flatMap(\.items).count == 6)
        #expect(client.value(of: list)?.hasNext == false)
        #expect(try await client.fetchNextPage(of: list).flatMap(\.items).count == 6)
        #expect(transport.requests.count == 3)
    }

    @Test("The first page is the resource's own content, and each page a resource")
    func sharedContent() async throws {
        _ = try await client.fetch(list)
        try await client.fetchNextPage(of: list)
        #expect(service.resource("/repos").typedContent() == ["1a", "1b"])
        #expect(service.resource("/repos").withParam("page", "2").typedContent() == ["2a", "2b"])
        #expect(service.resource("/repos").isUpToDate)
    }

    @Test("A reload asks for every page, and is told that they are as they were")
    func reload() async throws {
        _ = try await client.fetch(list)
        try await client.fetchNextPage(of: list)
        #expect(try await client.refetch(list).flatMap(\.items) == ["1a", "1b", "2a", "2b"])
        #expect(transport.requests.suffix(2).map { $0.headers["If-None-Match"] } == ["\"1\"", "\"2\""])
    }

    @Test("Two who ask for the next page at once get one")
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    func joined() async throws {
        let provider = ManualProvider()
        let service = Service(baseURL: "https://api.test", networking: provider, client: client)
        service.configureTransformer("/repos**") { (entity: Entity<[Any]>) in entity.content as? [String] }
        defer { withExtendedLifetime(service) {} }
        let list = service.resource("/repos").typed([String].self).pages()
        let json = ["Content-Type": "application/json"]
        let first = Task.immediate { [client] in try await client.fetch(list) }
        provider.last?.answer("[\"1\"]", headers: json.merging(["Link": "<?page=2>; rel=next"]) { $1 })
        _ = try await first.value
        // After this statement, both tasks have requested the page.
        let tasks = (0..<2).map { _ in
            Task.immediate { [client] in try await client.fetchNextPage(of: list).flatMap(\.items) }
        }
        provider.last?.answer("[\"2\"]", headers: json)
        for task in tasks { #expect(try await task.value == ["1", "2"]) }
        #expect(provider.exchanges.count == 2)
    }

    @Test("A page that fails leaves what is there, with the server's words")
    func failure() async throws {
        _ = try await client.fetch(list)
        transport.answer(.get, "/repos", with: .text("{\"message\": \"no\"}", status: .serviceUnavailable))
        await #expect(throws: ResourceRequestError.self) { try await client.fetchNextPage(of: list) }
        #expect(items == ["1a", "1b"])
        #expect(client.snapshot(of: list).nextPage.error is ResourceRequestError)
    }

    @Test("a list is fresh for the shortest time that the answers for its pages set", .rule("A51"))
    func freshness() async throws {
        let clock = ManualClock()
        let client = QueryClient(environment: QueryEnvironment(clock: clock))
        let headers: HTTPHeaders = ["Content-Type": "application/json", "Cache-Control": "max-age=5"]
        transport.answer(.get, "/list", with: .data(Data("[]".utf8), headers: headers))
        let service = Service(baseURL: "https://api.test", networking: transport, client: client)
        service.configureTransformer("/list") { (entity: Entity<[Any]>) in entity.content as? [String] }
        defer { withExtendedLifetime(service) {} }
        let list = service.pages("/list", of: String.self)
        _ = try await client.fetch(list)
        clock.advance(by: .seconds(4))
        _ = try await client.fetch(list)
        #expect(transport.requests.count == 1)
        clock.advance(by: .seconds(2))
        _ = try await client.fetch(list)
        #expect(transport.requests.count == 2)
    }

    @Test("Wiping the service takes the list too")
    func wiping() async throws {
        _ = try await client.fetch(list)
        service.wipeResources()
        #expect(items.isEmpty)
        #expect(client.value(of: list) == nil)
    }

    @Test("A path and its typed resource name one list, which a limit keeps short")
    func limit() async throws {
        #expect(service.resource("/repos").typed([String].self).pages().key == list.key)
        let limited = service.pages("/repos", of: String.self, maxPages: 1)
        _ = try await client.fetch(limited)
        #expect(try await client.fetchNextPage(of: limited).flatMap(\.items) == ["2a", "2b"])
        #expect(try await client.fetchPreviousPage(of: limited).flatMap(\.items) == ["1a", "1b"])
    }

    @Test("A list does not retain its service, and fails without it")
    func serviceGone() async throws {
        var service: Service? = Service(baseURL: "https://api.test", networking: transport, client: client)
        let list = try #require(service?.pages("/repos", of: String.self))
        service = nil
        await #expect(throws: ResourceRequestError.self) { try await client.fetch(list) }
        #expect(transport.requests.isEmpty)
    }

    @Test("A list without a valid address fails with that cause, and asks nobody")
    func wrongAddress() async throws {
        let service = Service(networking: transport, client: client)
        let list = service.pages("/repos", of: String.self)
        let error = await #expect(throws: ResourceRequestError.self) { try await client.fetch(list) }
        #expect(error?.cause is ResourceRequestError.Cause.InvalidURL)
        #expect(transport.requests.isEmpty)
    }

    @Test("Snapshots tell of each page as it comes")
    func snapshots() async throws {
        var counts: [Int] = []
        for await snapshot in client.observe(list) {
            guard let count = snapshot.value?.count, count != counts.last, !snapshot.nextPage.isFetching else {
                continue
            }
            counts.append(count)
            guard count < 3 else { break }
            Task { [client, list] in try await client.fetchNextPage(of: list) }
        }
        #expect(counts == [1, 2, 3])
    }

    @Test(
        "Links are read as RFC 8288 writes them",
        arguments: [
            ("<https://a.test/2>; rel=\"next\"", "https://a.test/2"),
            ("</2>;rel=next", "https://api.test/2"),
            ("<?page=2>; title=\"a, \\\"b\\\"; rel=x\"; rel=\"next\"", "https://api.test/list?page=2"),
            ("<https://a.test/1>; rel=\"first\", <https://a.test/2>; rel=\"last NEXT\"", "https://a.test/2"),
            ("<https://a.test/1>; rel=prev, <https://a.test/2>; REL=\"next\"; rel=last", "https://a.test/2"),
            ("<https://a.test/2,3>; rel=next", "https://a.test/2,3"),
            ("rel=next", nil), ("<https://a.test/2", nil), ("<https://a.test/2>; rel=", nil), ("", nil),
            ("<https://a.test/2>; rel=\"next", "https://a.test/2"),
            ("<https://a.test/1> <https://a.test/2>; rel=next", "https://a.test/2"),
        ])
    func links(_ field: String, _ next: String?) async throws {
        let (transport, client) = (MockTransport(), QueryClient())
        let headers: HTTPHeaders = ["Link": field, "Content-Type": "application/json"]
        transport.answer(.get, "/list", with: .data(Data("[]".utf8), headers: headers))
        let service = Service(baseURL: "https://api.test", networking: transport, client: client)
        service.configureTransformer("/list") { (entity: Entity<[Any]>) in entity.content as? [String] }
        defer { withExtendedLifetime(service) {} }
        let list = service.pages("/list", of: String.self)
        _ = try await client.fetch(list)
        #expect(client.value(of: list)?.nextID?.absoluteString == next)
    }

    @Test("a field of nothing but addresses is read in one pass", .rule("H15"), .timeLimit(.minutes(1)))
    func flood() async throws {
        try await links(String(repeating: "<>", count: 145_000) + "<https://a.test/2>; rel=next", "https://a.test/2")
    }
}
