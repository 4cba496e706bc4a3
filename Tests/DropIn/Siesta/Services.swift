import Foundation
import PigeonREST
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An address of a type of the program's own.
private struct Host: URLConvertible {
    let name: String

    var url: URL? { URL(string: "https://\(name)/") }
}

/// A service as the user guide recommends it: a subclass, with a function for each resource.
/// guide: class must restate inherited '@unchecked Sendable' conformance
private final class UserAPI: Service, @unchecked Sendable {
    init(network: StubNetwork) {
        super.init(baseURL: "https://example.com/api", networking: network)
        configureTransformer("/users/*") { User(name: ($0.content as [String: Any])["name"] as? String ?? "") }
    }

    func user(_ name: String) -> Resource { resource("/users").child(name) }
}

@MainActor
@Suite("Siesta: services")
struct ServiceTests {
    let network = StubNetwork(["GET /api/users/ann": .json(#"{"name": "Ann"}"#)])

    @Test("Service(baseURL:standardTransformers:networking:): each argument left out and given")
    func initializers() {
        #expect(Service().baseURL == nil)
        #expect(Service(baseURL: nil).baseURL == nil)
        #expect(Service(baseURL: "https://example.com").baseURL?.absoluteString == "https://example.com/")
        #expect(
            Service(baseURL: URL(string: "https://example.com/a")).baseURL?.absoluteString == "https://example.com/a/")
        #expect(Service(baseURL: Host(name: "example.com")).baseURL?.host == "example.com")
        #expect(Service(standardTransformers: []).baseURL == nil)
        #expect(Service(networking: URLSessionConfiguration.default).baseURL == nil)
        let all = Service(
            baseURL: "https://example.com", standardTransformers: [.json, .text, .image], networking: network)
        #expect(all.baseURL != nil)
        _ = Service(baseURL: "https://example.com", standardTransformers: [.text, .image])
        _ = Service(baseURL: "https://example.com", networking: URLSession(configuration: .ephemeral))
        _ = Service(networking: URLSessionProvider(session: URLSession(configuration: .ephemeral)))
    }

    @Test("a subclass of Service, with resources as functions")
    func subclass() async {
        let api = UserAPI(network: network)
        let user = api.user("ann")
        await end(of: user.loadIfNeeded())
        let content: User? = user.typedContent()
        #expect(content == User(name: "Ann"))
        #expect(user.service === api)
    }

    @Test("resource(_:), resource(baseURL:path:), resource(absoluteURL:)")
    func resources() async {
        let service = Service(baseURL: "https://example.com/api", networking: network)
        let user = service.resource("/users/ann")
        #expect(user === service.resource("users/ann"))
        #expect(user === service.resource(absoluteURL: "https://example.com/api/users/ann"))
        #expect(user === service.resource(absoluteURL: URL(string: "https://example.com/api/users/ann")))
        #expect(
            service.resource(baseURL: "https://other.org/v2", path: "/a").url.absoluteString == "https://other.org/v2/a"
        )
        #expect(
            service.resource(baseURL: Host(name: "other.org"), path: "a").url.absoluteString == "https://other.org/a")
        let failed = await end(of: service.resource(absoluteURL: nil).load())
        guard case .failure(let error) = failed.response else {
            Issue.record("no address was loaded")
            return
        }
        #expect(error.cause is RequestError.Cause.InvalidURL)
    }

    @Test("String and URL as URLConvertible")
    func addresses() {
        let addresses: [URLConvertible] = ["https://example.com", URL(fileURLWithPath: "/"), Host(name: "example.com")]
        #expect(addresses.map { $0.url != nil } == [true, true, true])
    }

    @Test("wipeResources(), of a predicate, a pattern, a resource and a predicate of URLs")
    func wiping() async {
        let service = Service(baseURL: "https://example.com/api", networking: network)
        let user = service.resource("/users/ann")
        func loaded() async -> Bool {
            await end(of: user.load())
            return user.latestData != nil
        }
        #expect(await loaded())
        service.wipeResources()
        #expect(user.latestData == nil)
        #expect(await loaded())
        service.wipeResources { $0.url.path.hasSuffix("bob") }
        #expect(user.latestData != nil)
        service.wipeResources(matching: { $0 === user })
        #expect(user.latestData == nil)
        #expect(await loaded())
        service.wipeResources(matching: "/users/*")
        #expect(user.latestData == nil)
        #expect(await loaded())
        service.wipeResources(matching: user)
        #expect(user.latestData == nil)
        #expect(await loaded())
        service.wipeResources(withURLsMatching: { $0.host == "example.com" })
        #expect(user.latestData == nil)
    }

    @Test("cachedResourceCountLimit, flushUnusedResources(), reloadAllResourcesIfNeeded()")
    func memory() async {
        let service = Service(baseURL: "https://example.com/api", networking: network)
        #expect(service.cachedResourceCountLimit == 2048)
        service.cachedResourceCountLimit = 100
        #expect(service.cachedResourceCountLimit == 100)
        let user = service.resource("/users/ann")
        let observer = Recorder()
        user.addObserver(observer)
        service.reloadAllResourcesIfNeeded()
        await observer.saw(.newData(.network))
        service.flushUnusedResources()
        #expect(user.latestData != nil)
    }

    @Test("the service keeps the content of a resource that the program has let go")
    func content() async {
        let service = Service(baseURL: "https://example.com/api", networking: network)
        await end(of: service.resource("/users/ann").load())
        #expect(service.resource("/users/ann").jsonDict["name"] as? String == "Ann")
        // The request that has just ended may still hold the resource.
        while service.resource("/users/ann").latestData != nil {
            await Task.yield()
            service.flushUnusedResources()
        }
    }
}
