import Foundation
import Pigeon
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

@Suite("Resources with a type")
struct TypedResourceTests {
    let provider = ManualProvider()
    let client = QueryClient()
    let service: Service

    init() {
        service = Service(baseURL: "https://api.test", networking: provider, client: client)
    }

    @Test("show the resource's content, and change it")
    func content() throws {
        let typed = service.resource("/a").typed(String.self)
        #expect(typed.content == nil)
        typed.overrideLocalContent(with: "one")
        #expect(typed.content == "one")
        #expect(service.resource("/a").text == "one")
        #expect(typed.latestData?.contentType == "application/binary")
        #expect(typed == service.resource("/a").typed(String.self))
    }

    @Test("load as async functions", .rule("R3"))
    func loading() async throws {
        let typed = service.resource("/a").typed(String.self)
        async let loaded = typed.loadedIfNeeded()
        await until { !provider.exchanges.isEmpty }
        provider.last?.answer("one")
        #expect(try await loaded == "one")
        #expect(try await typed.loadedIfNeeded() == "one")
        #expect(provider.exchanges.count == 1)
        async let again = typed.loaded()
        await until { provider.exchanges.count >= 2 }
        provider.last?.answer("two")
        #expect(try await again == "two")
    }

    @Test("Cancelling the task of a load cancels the load", .rule("R3"))
    func cancelling() async {
        let typed = service.resource("/a").typed(String.self)
        let task = Task { try await typed.loaded() }
        await until { !provider.exchanges.isEmpty }
        task.cancel()
        await #expect(throws: RequestError.self) { try await task.value }
        #expect(provider.last?.isCancelled == true)
    }

    @Test("Cancelling one who waits leaves the load to others", .rule("R3"))
    func cancellingOneOfTwo() async throws {
        let typed = service.resource("/a").typed(String.self)
        let (one, two) = (Task { try await typed.loadedIfNeeded() }, Task { try await typed.loadedIfNeeded() })
        await until { !provider.exchanges.isEmpty }
        one.cancel()
        await #expect(throws: RequestError.self) { try await one.value }
        #expect(provider.last?.isCancelled == false)
        provider.last?.answer("one")
        #expect(try await two.value == "one")
    }

    @Test("Content of another type is an error that names both")
    func mismatch() async throws {
        let typed = service.resource("/a").typed(Int.self)
        service.resource("/a").overrideLocalContent(with: "one")
        #expect(typed.content == nil)
        #expect(typed.latestError?.cause is RequestError.Cause.WrongContentType)
        await #expect(throws: RequestError.self) { try await typed.loadedIfNeeded() }
    }

    // MARK: With queries

    @Test("Whoever watches the entry by its key sees the content, from the one entry there is", .rule("R2"))
    func watching() throws {
        let typed = service.resource("/a").typed(String.self)
        typed.overrideLocalContent(with: "one")
        let seen = Recorder<String?>()
        let observer = client.observe(typed.watched) { seen.append($0.value) }
        #expect(observer.snapshot.value == "one")
        typed.overrideLocalContent(with: "two")
        #expect(seen.all.last == "two")
    }

    @Test("Whoever watches content that is stale causes no load", .rule("R2"))
    func watchingStale() async throws {
        service.configure { $0.expirationTime = 0 }
        let resource = service.resource("/a")
        async let loaded = resource.loaded()
        await until { !provider.exchanges.isEmpty }
        provider.last?.answer("one")
        _ = try await loaded
        let observer = client.observe(resource.typed(String.self).watched)
        #expect(observer.snapshot.value == "one")
        invalidateAllObserved()
        #expect(provider.exchanges.count == 1)
        #expect(!resource.isLoading)
    }

    private func invalidateAllObserved() {
        client.invalidate(.path(service.queryKey))
    }

    @Test("A consumer of the Pigeon module shows a resource")
    @MainActor
    func consumer() async {
        let typed = service.resource("/a").typed(String.self)
        let consumer = Query<Void, String>.Consumer(key: typed.queryKey, client: client)
        #expect(consumer.value == nil)
        typed.overrideLocalContent(with: "one")
        #expect(consumer.value == "one")
    }

    @Test("A resource's definition is fetched, observed and invalidated as any other")
    func definition() async throws {
        let resource = service.resource("/a")
        async let fetched = client.fetch(resource.definition)
        await until { !provider.exchanges.isEmpty }
        provider.last?.answer("one")
        #expect(try await fetched.typedContent() == "one")
        #expect(resource.text == "one")
        let observer = client.observe(resource.definition)
        invalidateAll()
        #expect(provider.exchanges.count == 2)
        #expect(resource.isLoading)
        #expect(observer.snapshot.cause == .invalidated(by: .requested))
    }

    func invalidateAll() {
        client.invalidate(.path(service.queryKey), refetch: .all)
    }

    @Test("A resource can show what a query has")
    func query() async throws {
        let users = QueryDefinition<[String]>("users") { _ in ["Ann", "Bob"] }
        let resource = service.resource("/names")
        let load = resource.load(using: Resource.request(fetching: users, from: client))
        _ = await load.response()
        #expect(resource.typedContent() == ["Ann", "Bob"])
        #expect(provider.exchanges.isEmpty)
    }

    @Test("One event stream tells of resources and queries, with causes")
    func events() async throws {
        let lines = Recorder<String>()
        let subscription = client.onEvent { lines.append("\($0)") }
        let resource = service.resource("/a")
        let load = resource.load()
        provider.last?.answer("one")
        _ = await load.response()
        #expect(lines.all.contains { $0.contains("fetching (requested") && $0.contains("a") })
        subscription.cancel()
    }

    // MARK: Fakes

    @Test("Fakes are what they say, and touch no network")
    func fakes() async {
        #expect(Resource.fakeLoading().isLoading)
        #expect(TypedResource.fakeLoading("old").content == "old")
        #expect(TypedResource.fake("one").content == "one")
        #expect(TypedResource.fake("one").loadIfNeeded() == nil)
        let failing = Resource.fakeFailure(RequestError(userMessage: "No network", cause: nil), content: "old")
        _ = await failing.load().response()
        #expect(failing.latestError?.userMessage == "No network")
        #expect(failing.text == "old")
        let overlay = StatusOverlay(displayPriority: .loadingFirst)
        overlay.watch(failing)
        #expect(overlay.status.error?.userMessage == "No network")
    }
}
