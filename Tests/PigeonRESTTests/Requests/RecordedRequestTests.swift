import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("requests that are sent whatever happens", .rule("O5"))
struct RecordedRequestTests {
    private let store = InMemoryMutationStore()

    private func lab(seed: UInt64 = 1) -> QueryLab {
        QueryLab(seed: seed, outbox: Outbox.Setup(store: store, mutations: [RecordedRequest.self]))
    }

    private func service(_ lab: QueryLab, _ provider: ManualProvider) -> Service {
        let service = Service(
            baseURL: "https://api.example.com", networking: provider, client: lab.client, callbacks: .immediate)
        service.configure("**") { $0.headers["Authorization"] = "Bearer x" }
        return service
    }

    @Test("a request is recorded, and sent with the service's headers and the recorded key", .rule("O5"))
    func sent() throws {
        let (lab, provider) = (lab(), ManualProvider())
        let service = service(lab, provider)
        let note = service.resource("/notes/7")
        let task = lab.start { try await note.enqueue(.patch, json: ["title": "Milk"]) }
        #expect(task.value?.id == 1)
        let request = try #require(provider.last?.request)
        #expect(request.httpMethod == "PATCH")
        #expect(request.url == note.url)
        #expect(request.httpBody == Data(#"{"title":"Milk"}"#.utf8))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer x")
        let key = try #require(try store.changes(after: -1, in: nil)?.records.first?.mutation.key)
        #expect(request.value(forHTTPHeaderField: "Idempotency-Key") == key)
        let answer = lab.start { try await task.value?.output().content as? String }
        provider.last?.answer("done")
        lab.settle()
        #expect(answer.value == "done")
        #expect(lab.client.outbox.snapshot.isEmpty)
    }

    @Test("after a restart it waits for its service, counts no attempt meanwhile, and keeps its key", .rule("O5"))
    func restart() throws {
        let (first, provider) = (lab(), ManualProvider())
        let one = service(first, provider)
        first.setOnline(false)
        _ = first.start { try await one.resource("/notes").enqueue(.post, json: ["title": "Milk"]) }
        let second = lab(seed: 2)
        second.settle()
        #expect(provider.exchanges.isEmpty)
        #expect(second.client.outbox.snapshot.waiting.map(\.attempts) == [0])
        let two = service(second, provider)
        second.advance(by: .seconds(1))
        #expect(provider.exchanges.count == 1)
        provider.last?.answer("", status: 503)
        second.advance(by: .seconds(2))
        #expect(provider.exchanges.count == 2)
        let keys = provider.exchanges.compactMap { $0.request.value(forHTTPHeaderField: "Idempotency-Key") }
        #expect(Set(keys).count == 1)
        provider.last?.answer("done", status: 201)
        second.settle()
        #expect(second.client.outbox.snapshot.isEmpty)
        withExtendedLifetime(two) {}
    }

    @Test(
        "after a restart a request is sent once its service has had time for its configuration", .rule("O5"),
        arguments: ["use", "time", "drain"])
    func configuredFirst(by way: String) throws {
        let (first, provider) = (lab(), ManualProvider())
        let one = service(first, provider)
        first.setOnline(false)
        _ = first.start { try await one.resource("/notes").enqueue(.post, json: ["title": "Milk"]) }
        let second = lab(seed: 2)
        let two = Service(
            baseURL: "https://api.example.com", networking: provider, client: second.client, callbacks: .immediate)
        second.settle()
        #expect(provider.exchanges.isEmpty)
        two.configure("**") { $0.headers["Authorization"] = "Bearer y" }
        second.settle()
        #expect(provider.exchanges.isEmpty)
        switch way {
        case "use": two.resource("/users/1").load()
        case "time": second.advance(by: .seconds(1))
        default: _ = second.start { await second.client.outbox.drain() }
        }
        second.settle()
        let posts = provider.exchanges.map(\.request).filter { $0.httpMethod == "POST" }
        #expect(posts.map { $0.value(forHTTPHeaderField: "Authorization") } == ["Bearer y"])
        second.advance(by: .seconds(1))
        #expect(provider.exchanges.count { $0.request.httpMethod == "POST" } == 1)
    }

    @Test("requests of one resource are sent in order, and what they change is loaded again", .rule("O5"))
    func order() {
        let (lab, provider) = (lab(), ManualProvider())
        let service = service(lab, provider)
        let (list, note) = (service.resource("/notes"), service.resource("/notes/7"))
        list.addObserver(owner: note) { _, _ in }
        list.load()
        provider.last?.answer("[]")
        lab.settle()
        _ = lab.start { try await note.enqueue(.put, json: ["title": "a"], reloading: [list]) }
        _ = lab.start { try await note.enqueue(.delete) }
        #expect(provider.exchanges.map(\.request.httpMethod) == ["GET", "PUT"])
        provider.last?.answer("done")
        lab.settle()
        #expect(provider.exchanges.map(\.request.httpMethod).contains("DELETE"))
        #expect(!list.isUpToDate)
    }

    /// A service with repositories, and stars that change their counts.
    private func starService(_ lab: QueryLab, _ provider: ManualProvider) -> Service {
        let service = service(lab, provider)
        service.configureTransformer("/repos/*") { (entity: Entity<String>) in Int(entity.content) }
        service.configure("/repos/*") {
            $0.optimistic { (stars: inout Int, request) in stars += request.method == .put ? 1 : -1 }
            $0.optimistic { (other: inout String, _) in other = "not of this type" }
        }
        return service
    }

    @Test("a resource shows what waits at once, over each answer, until it is sent and loaded again", .rule("O4", "O5"))
    func optimistic() {
        let (lab, provider) = (lab(), ManualProvider())
        let service = starService(lab, provider)
        let (repository, star) = (service.resource("/repos/atlas"), service.resource("/starred/atlas"))
        repository.load()
        provider.last?.answer("41", headers: ["ETag": "\"1\""])
        lab.settle()
        lab.setOnline(false)
        _ = lab.start { try await star.enqueue(.put, reloading: [repository]) }
        #expect(repository.typedContent() == 42)
        #expect(lab.client.outbox.items(editing: repository.typed(Int.self).watched).count == 1)
        repository.load()
        #expect(provider.last?.request.value(forHTTPHeaderField: "If-None-Match") == nil)
        provider.last?.answer("50")
        lab.settle()
        #expect(repository.typedContent() == 51)
        _ = lab.start { try await star.enqueue(.delete, reloading: [repository]) }
        #expect(repository.typedContent() == 50)
        repository.addObserver(owner: star) { _, _ in }
        let loads = { provider.exchanges.count { $0.request.httpMethod == "GET" } }
        let before = loads()
        lab.setOnline(true)
        provider.exchanges.last { $0.request.httpMethod == "PUT" }?.answer("done")
        lab.settle()
        #expect(loads() == before + 1)
        let delete = provider.exchanges.last { $0.request.httpMethod == "DELETE" }
        delete?.answer("no", status: 403)
        lab.settle()
        provider.exchanges.last { $0.request.httpMethod == "GET" }?.answer("51")
        lab.settle()
        #expect(repository.typedContent() == 51)
        #expect(lab.client.outbox.snapshot.setAside.count == 1)
    }

    @Test("after a restart, what waits shows as soon as there is a service, and moves to a new one", .rule("O4", "O5"))
    func optimisticRestart() {
        let (first, provider) = (lab(), ManualProvider())
        let one = starService(first, provider)
        first.setOnline(false)
        let counted = one.resource("/repos/atlas")
        _ = first.start { try await one.resource("/starred/atlas").enqueue(.put, reloading: [counted]) }
        let second = lab(seed: 2)
        second.setOnline(false)
        second.settle()
        for start in [10, 20] {
            let service = starService(second, provider)
            let repository = service.resource("/repos/atlas")
            repository.load()
            provider.last?.answer("\(start)")
            second.settle()
            #expect(repository.typedContent() == start + 1)
            second.setOnline(start == 20)
            second.settle()
            guard start == 20 else { continue }
            #expect(provider.last?.request.httpMethod == "PUT")
            provider.last?.answer("done")
            second.settle()
            #expect(repository.typedContent() == 21)
            #expect(!repository.isUpToDate)
        }
    }

    @Test("the session of a user is a hash, the same each time, and of nobody else", .rule("O6"))
    func session() {
        let session = DataIsolation.perUser(identifiedBy: "ann").session
        #expect(session?.count == 64)
        #expect(session?.contains("ann") == false)
        #expect(session == DataIsolation.perUser(identifiedBy: "ann").session)
        #expect(session != DataIsolation.perUser(identifiedBy: "bob").session)
        #expect(DataIsolation.sharedByAllUsers.session == nil)
    }

    @Test("what the server refuses is set aside, and a client without an outbox throws", .rule("O5"))
    func refused() {
        let (lab, provider) = (lab(), ManualProvider())
        let service = service(lab, provider)
        _ = lab.start { try await service.resource("/notes/7").enqueue(.delete) }
        provider.last?.answer("no", status: 403)
        lab.settle()
        #expect(lab.client.outbox.snapshot.setAside.map(\.stage) == [.setAside("403")])
        let plain = QueryLab()
        let other = self.service(plain, provider)
        let task = plain.start { try await other.resource("/notes/7").enqueue(.delete) }
        #expect(task.error as? OutboxError == .noStore(name: RecordedRequest.name))
    }
}
