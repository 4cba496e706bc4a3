import Foundation
import PigeonREST
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// What the guide's table "Names that moved" says to write instead, for the rows that no other file of this folder tests.

@MainActor
@Suite("Siesta: what the guide says to write instead")
struct ReplacementTests {
    let network = StubNetwork(["GET /users/ann": .json(#"{"name": "Ann"}"#), "GET /users": .json(#"["ann", "bob"]"#)])
    let service: Service
    let user: Resource

    init() {
        service = Service(baseURL: "https://example.com", networking: network)
        user = service.resource("/users/ann")
    }

    @Test("guide: `Service(baseURL:standardTransformers:networking:)`")
    func client() {
        let client = QueryClient()
        let service = Service(
            baseURL: "https://example.com", standardTransformers: [.json], networking: network, client: client)
        #expect(service.client === client)
    }

    @Test("K33: the segments . and .. of a path")
    func dotSegments() async {
        // guide: dot segments in a path
        #expect(user.child("./c") === user.child("c"))
        #expect(user.relative("../bob") === service.resource("/bob"))
        for path in ["..", "../bob", "a/../../bob"] {
            let response = await end(of: user.child(path).load()).response
            guard case .failure = response else {
                Issue.record("\(path): \(response)")
                continue
            }
        }
        #expect(network.requests.isEmpty)
    }

    @Test("guide: `URLSessionConfiguration.ephemeral`, which is the default for `networking:`")
    func defaultNetworking() {
        #expect(Service.defaultNetworking.urlCache == nil)
        _ = Service(baseURL: "https://example.com", networking: URLSessionConfiguration.ephemeral)
    }

    @Test("guide: A program without a main run loop says so once")
    func immediate() async {
        let server = Service(baseURL: "https://example.com", networking: network, callbacks: .immediate)
        let users = server.resource("/users")
        await end(of: users.load())
        #expect(users.jsonArray.count == 2)
    }

    @Test("guide: headers of `configure { }` went to any server that an answer linked to")
    func headers() {
        service.configure { $0.headers["Token"] = "secret" }
        #expect(user.configuration.headers["Token"] == "secret")
        #expect(service.resource(absoluteURL: "https://other.org/").configuration.headers["Token"] == nil)
    }

    @Test("guide: `latestData: Entity<Any>?`")
    func typed() async {
        service.configureTransformer("/users/*") { User(name: ($0.content as [String: Any])["name"] as? String ?? "") }
        await end(of: user.load())
        let entity: Entity<User>? = user.typed(User.self).latestData
        #expect(entity?.content.name == "Ann")
    }

    @Test("guide: `overrideLocalContent(with:)` of a dictionary or an array with objects of your own in it")
    func ownObjects() {
        let content: [String: Sendable] = ["ann": User(name: "Ann"), "count": 1]
        user.overrideLocalContent(with: content)
        #expect(user.jsonDict["ann"] as? User == User(name: "Ann"))
        user.overrideLocalContent(with: ["ann": User(name: "Ann")])
        #expect(user.typedContent() == ["ann": User(name: "Ann")])
        user.overrideLocalContent(with: [1, "two", Date(), NSNull()] as [Any])
        #expect(user.jsonArray.count == 4)
    }

    @Test("guide: the service keeps its resources until memory is short")
    func resources() async {
        await end(of: service.resource("/users").load())
        weak var users: Resource?
        users = service.resource("/users")
        while users != nil { await Task.yield() }
        #expect(service.resource("/users").jsonArray.count == 2)
    }

    @Test("guide: `Response.description`")
    func responseDescription() {
        let response: Response = .success(Entity<Sendable>(content: "a", contentType: "text/plain"))
        #expect(String(describing: response).hasPrefix("success"))
    }

    @Test("guide: `RequestError` says nothing of where")
    func errors() async {
        network["GET /users/ann"] = .json("{}", status: 503, headers: ["Retry-After": "120"])
        await end(of: user.load())
        #expect(user.latestError?.url == user.url)
        #expect(user.latestError?.isCancellation == false)
        #expect(user.latestError?.isTransient == true)
        #expect(user.latestError?.retryAfter == .seconds(120))
    }

    @Test("guide: `StandardTransformer` without an initialiser")
    func standardTransformer() async {
        let own = StandardTransformer(
            name: "own", stage: .parsing, contentTypes: ["*/json"],
            transformer: ResponseContentTransformer { (entity: Entity<Data>) in entity.content.count })
        let service = Service(baseURL: "https://example.com", standardTransformers: [own], networking: network)
        let users = service.resource("/users")
        await end(of: users.load())
        #expect(users.typedContent() == 14)
    }

    @Test("guide: `ResponseContentTransformer`")
    func emptyBodies() {
        let empty: Response = .success(Entity<Sendable>(content: Data(), contentType: "application/json"))
        let counting = ResponseContentTransformer(onEmptyBody: .transform) { (entity: Entity<Data>) in
            entity.content.count
        }
        #expect((try? counting.process(empty).get().content as? Int) == 0)
    }

    @Test("guide: an `Entity` of a content type has no `charset` unless it is given")
    func charset() {
        #expect(Entity(content: "a", contentType: "text/plain; charset=ascii").charset == "ascii")
    }

    @Test("guide: `ResourceStatusOverlay`, a view; its `StateRule`")
    func overlay() async {
        let overlay = StatusOverlay()
        #expect(overlay.displayPriority == [.loading, .error, .anyData])
        overlay.displayPriority = [.manualLoading, .allData, .anyData, .loading, .error]
        overlay.watch(user)
        overlay.trackManualLoad(user.load())
        overlay.retryFailedRequests()
        overlay.unwatch(user)
    }

    @Test("guide: `ResourceState.map`")
    func states() {
        let state = ResourceState(
            content: 7, latestError: nil, isLoading: false, isRequesting: false, latestEvent: .newData(.network))
        #expect(throws: Refusal.self) { try state.map { _ -> String in throw Refusal() } }
        let tried: ResourceState<String> = state.tryMap { _ in throw Refusal() }
        #expect(tried.content == nil)
        #expect(tried.latestError?.cause is Refusal)
    }

    @Test("guide: `rowsSubscriber` of CombineDataSources")
    func lists() {
        let list = Names()
        let names = CurrentValueSubject<[String], Never>(["ann"])
        var subscriptions = Set<AnyCancellable>()
        names.bind(subscriber: list.itemsSubscriber()).store(in: &subscriptions)
        #expect(list.names == ["ann"])
        names.send(["ann", "bob"])
        #expect(list.names == ["ann", "bob"])
    }
}

/// A list of a program's own.
private final class Names: ItemList {
    var names: [String] = []

    func apply(_ changes: ListChanges, items: [String]) {
        names = items
    }
}
