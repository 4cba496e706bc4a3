import Foundation
import PigeonCore
import PigeonREST
import PigeonTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Configurations of services")
struct ConfigurationTests {
    let bench = RESTBench()

    @Test("configurations are applied in the order in which they were added", .rule("Siesta 5"))
    func order() {
        for word in ["a", "b", "c"] {
            bench.service.configure("**") { $0.headers["Order", default: ""] += word }
        }
        #expect(bench.resource().configuration.headers["Order"] == "abc")
    }

    @Test("a configuration is made when it is needed, once for a method, and anew when it is to be", .rule("Siesta 5"))
    func lazy() {
        let made = Locked(0)
        bench.service.configure("**") { _ in made.withLock { $0 += 1 } }
        let resource = bench.resource("/users").child("1").relative("2").withParam("a", "b")
        #expect(made.withLock { $0 } == 0)
        _ = (resource.configuration, resource.configuration, resource.configuration(for: .get))
        #expect(made.withLock { $0 } == 1)
        _ = resource.configuration(for: .post)
        #expect(made.withLock { $0 } == 2)
        bench.service.invalidateConfiguration()
        _ = resource.configuration
        #expect(made.withLock { $0 } == 3)
        bench.service.configure("/other") { _ in }
        _ = resource.configuration
        #expect(made.withLock { $0 } == 4)
    }

    @Test("a configuration holds for the methods that it names", .rule("Siesta 5"))
    func methods() {
        bench.service.configure("**", requestMethods: [.post, .put]) { $0.headers["A"] = "b" }
        let resource = bench.resource()
        let methods = RequestMethod.allCases.filter { resource.configuration(for: $0).headers["A"] != nil }
        #expect(methods == [.post, .put])
    }

    @Test("a request keeps the configuration that it was made with")
    func underWay() async {
        bench.service.configureTransformer("**") { (_: Entity<Data>) in "first" }
        let request = bench.resource().request(.get)
        bench.service.configureTransformer("**") { (_: Entity<Data>) in "second" }
        bench.answer("Ann")
        #expect(await request.response().response.content(String.self) == "first")
    }

    @Test(
        "a transformer takes the place of those of its stage, for methods whose answers have content", .rule("Siesta 7")
    )
    func transformer() async {
        bench.service.configureTransformer("**") { (_: Entity<Data>) in "one" }
        bench.service.configureTransformer("**") { (_: Entity<Data>) in "two" }
        bench.service.configureTransformer("**", action: .appendToExisting) { (entity: Entity<String>) in
            entity.content + "!"
        }
        for method in RequestMethod.allCases {
            let pipeline = bench.resource().configuration(for: method).pipeline
            let content: String? = await pipeline.process(.success(.body("raw"))).response.content()
            #expect(content == ([.head, .options].contains(method) ? nil : "two!"), "\(method)")
        }
    }

    @Test("a configuration can be taken back", .rule("Siesta S32"))
    func removal() {
        let token = bench.service.configure("**") { $0.expirationTime = 7 }
        let resource = bench.resource()
        #expect(resource.configuration.expirationTime == 7)
        bench.service.removeConfiguration(token)
        #expect(resource.configuration.expirationTime == 30)
        bench.service.removeConfiguration(token)
    }

    @Test(
        "headers that are set for all resources do not go to other servers", .rule("R4", "Siesta S33"),
        arguments: ["https://evil.test/v1/a", "http://api.test/v1/a", "https://api.test:8443/v1/a", "//evil.test/a"])
    func foreign(href: String) {
        configureAll()
        let resource = bench.resource("/users/1").relative(href)
        resource.load()
        #expect(bench.asked.last?.header("Authorization") == nil)
        #expect(bench.asked.last?.header("X-Token") == nil)
        #expect(resource.configuration.expirationTime == 7, "all else holds")
    }

    @Test(
        "headers that are set for all resources go to the base address's server", .rule("Siesta S33"),
        arguments: ["/elsewhere", "https://API.test:443/v2", "2"])
    func own(href: String) {
        configureAll()
        bench.resource("/users/1").relative(href).load()
        #expect(bench.asked.last?.header("Authorization") == "secret")
        #expect(bench.asked.last?.header("X-Token") == "secret")
    }

    private func configureAll() {
        bench.service.configure {
            $0.headers["Authorization"] = "secret"
            $0.mutateRequests { $0.setValue("secret", forHTTPHeaderField: "X-Token") }
            $0.expirationTime = 7
        }
    }

    @Test("two stars stand for what is below the base address, and nothing else", .rule("Siesta 6", "Siesta S33"))
    func doubleStar() {
        bench.service.configure("**") { $0.headers["Authorization"] = "secret" }
        for href in ["https://evil.test/v1/a", "/elsewhere"] {
            bench.resource("/a").relative(href).load()
            #expect(bench.asked.last?.header("Authorization") == nil)
        }
        bench.resource("/a/b/c").load()
        #expect(bench.asked.last?.header("Authorization") == "secret")
    }

    @Test("headers go anywhere when a pattern says so", .rule("Siesta S33"), arguments: [true, false])
    func anywhere(isExpression: Bool) throws {
        if isExpression {
            bench.service.configure(try NSRegularExpression(pattern: "evil")) { $0.headers["A"] = "b" }
        } else {
            bench.service.configure(whenURLMatches: { _ in true }) { $0.headers["A"] = "b" }
        }
        bench.service.resource(absoluteURL: "https://evil.test/").load()
        #expect(bench.asked.last?.header("A") == "b")
    }

    @Test("the expiration time overrides the stale time of the query options", .rule("Siesta 18"))
    func staleTime() {
        bench.service.configure("**") {
            $0.query { $0.staleAfter = .never }
            $0.expirationTime = 7
        }
        var options = QueryOptions()
        bench.resource().typed([String].self).pages().overrides?.apply(to: &options)
        #expect(options.staleAfter == .seconds(7))
    }

    @Test("a resource is a pattern for itself")
    func resourcePattern() {
        bench.service.configure(bench.resource("/a")) { $0.headers["A"] = "b" }
        #expect(bench.resource("/a").configuration.headers["A"] == "b")
        #expect(bench.resource("/a/b").configuration.headers["A"] == nil)
    }
}
