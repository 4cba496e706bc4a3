import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Resources as queries", .rule("R9"))
struct ServiceDefinitionTests {
    private let bench = RESTBench(transformers: [.text])

    private var service: Service { bench.service }
    private var client: QueryClient { bench.client }
    /// Made anew at each use, as programs do.
    private var user: QueryDefinition<String> { service.definition("/users/1") }

    private func fetch(_ policy: FetchPolicy? = nil) -> LabTask<String> {
        let definition = user
        return bench.lab.start { [client] in try await client.fetch(definition, policy) }
    }

    @Test("The configuration, the pipeline and the freshness of the address apply", .rule("R9"))
    func configuration() {
        service.configure("/users/*") {
            $0.headers["Authorization"] = "Bearer 1"
            $0.expirationTime = 60
            $0.pipeline[.model].add(ResponseContentTransformer { (entity: Entity<String>) in entity.content + "!" })
        }
        let first = fetch()
        #expect(bench.asked.map { $0.request.url?.absoluteString } == ["https://api.test/v1/users/1"])
        #expect(bench.asked.first?.request.value(forHTTPHeaderField: "Authorization") == "Bearer 1")
        bench.answer("Ann")
        #expect(first.value == "Ann!")
        bench.lab.advance(by: .seconds(59))
        #expect(fetch().value == "Ann!")
        #expect(bench.asked.count == 1)
        bench.lab.advance(by: .seconds(2))
        let second = fetch()
        #expect(second.result == nil)
        bench.answer("Bea")
        #expect(second.value == "Bea!")
    }

    @Test("What the server says of freshness counts, and it is asked with the validators that it sent", .rule("R9"))
    func validators() {
        let first = fetch()
        bench.answer("Ann", headers: ["ETag": "\"1\"", "Cache-Control": "max-age=300"])
        #expect(first.value == "Ann")
        bench.lab.advance(by: .seconds(200))
        #expect(fetch().value == "Ann")
        #expect(bench.asked.count == 1)
        bench.lab.advance(by: .seconds(200))
        let observer = client.observe(user)
        bench.lab.settle()
        #expect(observer.snapshot.isRefetching)
        #expect(bench.asked.last?.request.value(forHTTPHeaderField: "If-None-Match") == "\"1\"")
        bench.answer(status: 304, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=300"])
        #expect(observer.snapshot.value == "Ann")
        #expect(!observer.snapshot.isStale)
        #expect(!observer.snapshot.isFetching)
    }

    @Test(
        "A wipe empties a query that nobody observes at once, in every way of wiping", .rule("R9"),
        arguments: [true, false])
    func wipesUnobserved(ofService: Bool) {
        let first = fetch()
        bench.answer("Ann")
        #expect(first.value == "Ann")
        if ofService { service.wipeResources() } else { service.resource("/users/1").wipe() }
        #expect(client.value(of: user) == nil)
        let observer = client.observe(user)
        #expect(observer.snapshot.value == nil)
        bench.lab.settle()
        bench.answer("Bea")
        #expect(observer.snapshot.value == "Bea")
    }

    @Test("A query that has seen a load sends no request of its own, also if the load ends before it asks", .rule("R9"))
    func lateFetch() {
        let typed = service.resource("/users/1").typed(String.self)
        typed.load()
        let observer = client.observe(user)
        // The fetch of the query has begun, and its task has not run yet.
        bench.provider.exchanges.last?.answer("Ann")
        bench.lab.settle()
        #expect(observer.snapshot.value == "Ann")
        #expect(bench.asked.count == 1)
        let refetch = bench.lab.start { try await observer.refetch() }
        #expect(bench.asked.count == 2)
        bench.answer("Bea")
        #expect(refetch.value == "Bea")
    }

    @Test("A load that ends while a query looks at the resource is enough for both", .rule("R9"))
    func landingLoad() async throws {
        for seed: UInt64 in 0..<300 {
            let asked = try await Interleaving(seed: seed).run { environment in
                let provider = ManualProvider()
                let service = Service(
                    baseURL: "https://api.test/v1", standardTransformers: [.text], networking: provider,
                    client: QueryClient(environment: environment), callbacks: .immediate)
                service.resource("/users/1").load()
                async let answer: Void? = provider.exchanges.last?.answer("Ann")
                async let text = service.client.fetch(service.definition("/users/1", as: String.self))
                _ = await answer
                let shown = try await text
                #expect(shown == "Ann")
                return provider.exchanges.count
            }
            #expect(asked == 1, "seed \(seed)")
        }
    }

    @Test("A query and the resource share content, loads, invalidations and wipes", .rule("R9"))
    func sharing() {
        let resource = bench.loaded("/users/1", "Ann")
        let heard = bench.record(resource)
        let observer = client.observe(user)
        #expect(observer.snapshot.value == "Ann")
        #expect(bench.asked.count == 1)

        resource.load()
        bench.answer("Bea")
        #expect(observer.snapshot.value == "Bea")
        resource.overrideLocalContent(with: "Cleo")
        bench.lab.settle()
        #expect(observer.snapshot.value == "Cleo")

        resource.invalidate()
        bench.lab.settle()
        #expect(observer.snapshot.isStale)
        let again = fetch()
        #expect(bench.asked.count == 3)
        bench.answer("Dora")
        #expect(again.value == "Dora")
        #expect(resource.text == "Dora")
        #expect(!observer.snapshot.isStale)

        resource.wipe()
        bench.lab.settle()
        #expect(observer.snapshot.value == nil)
        #expect(bench.asked.count == 3)
        #expect(heard.all.count > 0)
    }

    @Test("A query waits for a load that the resource has begun", .rule("R9"))
    func joining() {
        let resource = bench.resource()
        resource.load()
        let task = fetch()
        #expect(bench.asked.count == 1)
        bench.answer("Ann")
        #expect(task.value == "Ann")
        #expect(bench.asked.count == 1)
    }

    @Test("What a query writes replaces the content of the resource", .rule("R9"))
    func writing() throws {
        let resource = bench.loaded("/users/1", "Ann")
        let observer = client.observe(user)
        try client.set("Bea", for: user)
        bench.lab.settle()
        #expect(resource.text == "Bea")
        #expect(client.update(user) { $0 += "!" })
        bench.lab.settle()
        #expect(resource.text == "Bea!")
        #expect(observer.snapshot.value == "Bea!")
        #expect(bench.asked.count == 1)
    }

    private struct Rename: Mutating {
        let user: QueryDefinition<String>
        func run(_ context: MutationContext) async throws -> String { "Bea" }
        func optimistic(_ edits: inout OptimisticEdits) { edits.set("Bea", for: user) }
    }

    @Test("A mutation edits the query, and the resource once it is confirmed", .rule("R9"))
    func mutating() {
        let resource = bench.loaded("/users/1", "Ann")
        let observer = client.observe(user)
        let definition = user
        let task = bench.lab.start { [client] in try await client.mutate(Rename(user: definition)) }
        #expect(task.value == "Bea")
        bench.lab.settle()
        #expect(observer.snapshot.value == "Bea")
        #expect(resource.text == "Bea")
    }

    @Test("An invalidation of the query makes the resource load, also by the path of the service", .rule("R9"))
    func invalidating() {
        let resource = bench.loaded("/users/1", "Ann")
        let observer = client.observe(user)
        let definition = user
        _ = bench.lab.start { [client] in await client.invalidate(definition) }
        bench.lab.settle()
        #expect(bench.asked.count == 2)
        bench.answer("Bea")
        #expect(observer.snapshot.value == "Bea")
        #expect(resource.isUpToDate)
        _ = bench.lab.start { [client, service] in await client.invalidate(.path(service.queryKey)) }
        bench.lab.settle()
        #expect(bench.asked.count == 3)
        bench.answer("Cleo")
        #expect(observer.snapshot.value == "Cleo")
    }

    @Test("A refetch sends a request, however fresh the content is", .rule("R9"))
    func refetching() {
        service.configure { $0.expirationTime = 1000 }
        _ = bench.loaded("/users/1", "Ann")
        let definition = user
        let task = bench.lab.start { [client] in try await client.refetch(definition) }
        #expect(bench.asked.count == 2)
        bench.answer("Bea")
        #expect(task.value == "Bea")
    }

    @Test("Failures are request errors, and leave what is shown", .rule("R9"))
    func failing() {
        _ = bench.loaded("/users/1", "Ann")
        bench.lab.advance(by: .seconds(100))
        let observer = client.observe(user)
        bench.answer("{}", status: 500)
        #expect(observer.snapshot.value == "Ann")
        #expect((observer.snapshot.error as? RequestError)?.httpStatusCode == 500)
    }

    @Test("Content of another type is an error that names both types", .rule("R9"))
    func wrongType() {
        let definition: QueryDefinition<Int> = service.definition("/users/1")
        let task = bench.lab.start { [client] in try await client.fetch(definition) }
        bench.answer("Ann")
        let cause = (task.error as? RequestError)?.cause as? RequestError.Cause.WrongContentType
        #expect(cause != nil)
        #expect("\(cause as Any)".contains("Int"))
    }

    @Test("An address that is not valid fails at once, and sends nothing", .rule("R9"))
    func wrongAddress() {
        let service = Service(networking: bench.provider, client: client)
        let definition: QueryDefinition<String> = service.definition("/users/1")
        let task = bench.lab.start { [client] in try await client.fetch(definition) }
        bench.lab.settle()
        #expect(task.error is RequestError)
        #expect(bench.asked.isEmpty)
    }

    @Test("Signing out empties both, and nothing comes back", .rule("R9"))
    func signingOut() {
        let resource = bench.loaded("/users/1", "Ann")
        let observer = client.observe(user)
        resource.load()
        let clearing = bench.lab.start { [client] in try await client.clear() }
        bench.lab.settle()
        #expect(clearing.result != nil)
        bench.answer("Bea")
        #expect(observer.snapshot.value == nil)
        #expect(resource.latestData == nil)
    }

    @Test(
        "Neither the service nor the resource is retained by a definition, or by what was fetched with it", .rule("R9"))
    func lifetime() {
        weak var gone: Service?
        do {
            let service = Service(
                baseURL: "https://api.test", standardTransformers: [.text], networking: bench.provider, client: client,
                callbacks: .immediate)
            gone = service
            let definition: QueryDefinition<String> = service.definition("/users/1")
            let observer = client.observe(definition)
            bench.answer("Ann")
            #expect(observer.snapshot.value == "Ann")
            observer.cancel()
            bench.lab.settle()
        }
        #expect(gone == nil)
    }

    @Test("Equal content is not shown again, though its type is not Equatable", .rule("R9"))
    func sameContent() {
        struct Plain: Sendable { let text: String }
        service.configure {
            $0.pipeline[.model].add(
                ResponseContentTransformer { (entity: Entity<String>) in Plain(text: entity.content) })
        }
        let definition: QueryDefinition<Plain> = service.definition("/users/1")
        let heard = Recorder<String>()
        let observer = client.observe(definition) { heard.append($0.value?.text ?? "-") }
        bench.answer("Ann", headers: ["Cache-Control": "max-age=300"])
        let before = observer.snapshot.valueVersion
        for _ in 0..<3 {
            let task = bench.lab.start { [client] in try await client.fetch(definition) }
            #expect(task.value?.text == "Ann")
        }
        #expect(observer.snapshot.valueVersion == before)
    }
}
