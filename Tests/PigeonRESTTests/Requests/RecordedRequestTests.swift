import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("O5: requests that are sent whatever happens")
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

    @Test("O5: a request is recorded, and sent with the service's headers and the recorded key")
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

    @Test("O5: after a restart it waits for its service, counts no attempt meanwhile, and keeps its key")
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
        second.settle()
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

    @Test("O5: requests of one resource are sent in order, and what they change is loaded again")
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

    @Test("O5: what the server refuses is set aside, and a client without an outbox throws")
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
