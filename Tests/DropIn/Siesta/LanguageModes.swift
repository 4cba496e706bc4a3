import Foundation
import PigeonREST
import Testing

// Code that needs something else in Swift 6: for each row of the guide's first table, the old code in Swift 5 mode, where it
// builds without a warning, and what the guide says to write in Swift 6 mode.

#if swift(>=6)
    // guide: a type does not conform to `Sendable`
    private struct Model: Sendable {
        let name: String

        init(json: [String: Any]) {
            name = json["name"] as? String ?? ""
        }
    }

    // guide: a global `let` is not concurrency-safe, or capture of `self` with a non-Sendable type
    @MainActor
    private final class API {
        private let service: Service
        private var credentials: ConfigurationToken?

        init(network: StubNetwork) {
            service = Service(baseURL: "https://example.com", networking: network)
            service.configureTransformer("/users/*") { Model(json: $0.content) }
            // guide: type `Any` does not conform to `Sendable`
            service.configureTransformer("/raw/*") { $0.content as [String: Sendable] }
        }

        func logIn(token: String) {
            if let credentials { service.removeConfiguration(credentials) }
            credentials = service.configure("**") { $0.headers["Token"] = token }
        }

        func resource(_ path: String) -> Resource { service.resource(path) }
    }
#else
    private class Model {
        let name: String

        init(json: [String: Any]) {
            name = json["name"] as? String ?? ""
        }
    }

    private class API {
        private let service: Service
        private var token = "" {
            didSet { service.invalidateConfiguration() }
        }

        init(network: StubNetwork) {
            service = Service(baseURL: "https://example.com", networking: network)
            service.configureTransformer("/users/*") { Model(json: $0.content) }
            service.configureTransformer("/raw/*") { $0.content as [String: Any] }
            // A service of a singleton, as most are.
            service.configure("**") { $0.headers["Token"] = self.token }
        }

        func logIn(token: String) {
            self.token = token
        }

        func resource(_ path: String) -> Resource { service.resource(path) }
    }

    /// An observer that names itself by a variable of its own, and says nothing of actors.
    private class Titled: ResourceObserver {
        let title = "a"

        func resourceChanged(_ resource: Resource, event: ResourceEvent) {}

        var observerIdentity: AnyHashable { title }
    }
#endif

@MainActor
@Suite("Siesta: code of Swift 5, and what it is in Swift 6")
struct LanguageModeCodeTests {
    let network = StubNetwork([
        "GET /users/ann": .json(#"{"name": "Ann"}"#), "GET /raw/ann": .json(#"{"name": "Ann"}"#),
    ])

    @Test("a class that has a service, with models of its own as content")
    func models() async {
        let api = API(network: network)
        api.logIn(token: "secret")
        let user = api.resource("/users/ann")
        await end(of: user.load())
        let model: Model? = user.typedContent()
        #expect(model?.name == "Ann")
        #expect(network.requests.last?.value(forHTTPHeaderField: "Token") == "secret")
        user.overrideLocalContent(with: Model(json: ["name": "Bob"]))
        #expect((user.latestData?.content as? Model)?.name == "Bob")
    }

    @Test("a transformer that only asks for a type")
    func asking() async {
        let raw = API(network: network).resource("/raw/ann")
        await end(of: raw.load())
        #expect(raw.jsonDict["name"] as? String == "Ann")
    }

    @Test("an Entity<Any> of what a resource has")
    func entities() async {
        let user = API(network: network).resource("/raw/ann")
        await end(of: user.load())
        // guide: cannot convert `Entity<any Sendable>` to `Entity<Any>`
        let entity: Entity<Any>? = user.latestData?.withContentRetyped()
        #expect(entity?.jsonDict["name"] as? String == "Ann")
        #expect(entity?.contentType == "application/json")
    }

    @Test("hooks and observers that are in variables")
    func variables() async {
        // guide: converting a non-Sendable function value
        var names: [String] = []
        let hook: @MainActor @Sendable (Entity<Sendable>) -> Void = {
            names.append($0.jsonDict["name"] as? String ?? "")
        }
        let raw = API(network: network).resource("/raw/ann")
        await end(of: raw.load().onSuccess(hook))
        #expect(names == ["Ann"])
    }

    @Test("predicates of wipes that come from elsewhere")
    func predicates() async {
        // guide: passing non-escaping parameter to a function expecting an `@escaping` closure
        func wipe(_ service: Service, where isMeant: @escaping @Sendable (URL) -> Bool) {
            service.wipeResources(withURLsMatching: isMeant)
        }
        let raw = API(network: network).resource("/raw/ann")
        await end(of: raw.load())
        wipe(raw.service) { $0.path == "/raw/ann" }
        #expect(raw.latestData == nil)
    }

    #if !swift(>=6)
        @Test("an observer's own identity")
        func identity() {
            #expect(Titled().observerIdentity == Titled().observerIdentity)
        }
    #endif
}
