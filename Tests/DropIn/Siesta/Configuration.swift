import Foundation
import PigeonREST
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A pattern of the program's own.
private struct PathSuffix: ConfigurationPatternConvertible {
    let suffix: String

    // guide: sendability of function types in `configurationPattern(for:)`
    func configurationPattern(for service: Service) -> @Sendable (URL) -> Bool {
        let suffix = self.suffix
        return { $0.path.hasSuffix(suffix) }
    }

    var configurationPatternDescription: String { "…" + suffix }
}

/// A value that configurations read when they are made.
private final class Flavor: @unchecked Sendable {  // used on the main thread, and where nothing else runs meanwhile
    var name = "vanilla"
}

@MainActor
@Suite("Siesta: configuration")
struct ConfigurationTests {
    let network = StubNetwork(["GET /items/1": .json("{}"), "POST /items/1": .json("{}")])
    let service: Service

    init() {
        service = Service(baseURL: "https://example.com", networking: network)
    }

    @Test("the defaults of a configuration")
    func defaults() {
        let configuration = service.resource("/items/1").configuration
        #expect(configuration.expirationTime == 30)
        #expect(configuration.retryTime == 1)
        #expect(configuration.progressReportingInterval == 0.05)
        #expect(configuration.headers == [:])
        #expect(configuration.pipeline.order == [.rawData, .decoding, .parsing, .model, .cleanup])
    }

    @Test("configure { }, and with methods and a description")
    func everything() {
        service.configure { $0.expirationTime = 5 }
        service.configure(requestMethods: [.post]) { $0.headers["X-Post"] = "yes" }
        service.configure(description: "retry") { $0.retryTime = 7 }
        service.configure(requestMethods: [.get], description: "progress") { $0.progressReportingInterval = 0.5 }
        let item = service.resource("/items/1")
        #expect(item.configuration.expirationTime == 5)
        #expect(item.configuration.retryTime == 7)
        #expect(item.configuration.progressReportingInterval == 0.5)
        #expect(item.configuration.headers["X-Post"] == nil)
        #expect(item.configuration(for: .post).headers["X-Post"] == "yes")
    }

    @Test("configure(_:requestMethods:description:) for a text, an expression, a resource and a pattern of one's own")
    func patterns() throws {
        let item = service.resource("/items/1")
        let expression = try NSRegularExpression(pattern: "/items/[0-9]+$")
        service.configure("/items/*") { $0.headers["A"] = "glob" }
        service.configure(expression, requestMethods: [.get]) { $0.headers["B"] = "expression" }
        service.configure(item, description: "one item") { $0.headers["C"] = "resource" }
        service.configure(PathSuffix(suffix: "1"), requestMethods: nil, description: nil) { $0.headers["D"] = "own" }
        #expect(item.configuration.headers == ["A": "glob", "B": "expression", "C": "resource", "D": "own"])
        #expect(item.child("x").configuration.headers == [:])
    }

    @Test("configure(whenURLMatches:requestMethods:description:)")
    func predicates() {
        service.configure(whenURLMatches: { $0.scheme == "https" }) { $0.headers["A"] = "1" }
        service.configure(whenURLMatches: { $0.scheme == "http" }, requestMethods: [.get], description: "plain") {
            $0.headers["B"] = "1"
        }
        // guide: `configure(whenURLMatches:)` with no predicate
        service.configure(whenURLMatches: { _ in true }) { $0.headers["C"] = "1" }
        #expect(service.resource("/items/1").configuration.headers == ["A": "1", "C": "1"])
        #expect(service.resource(absoluteURL: "https://other.org/").configuration.headers == ["A": "1", "C": "1"])
    }

    @Test("configurationPattern(for:) and its description, of each kind of pattern")
    func patternValues() throws {
        let item = service.resource("/items/1")
        let patterns: [ConfigurationPatternConvertible] = [
            "/items/*", try NSRegularExpression(pattern: "items"), item, PathSuffix(suffix: "1"),
        ]
        for pattern in patterns {
            let matches = pattern.configurationPattern(for: service)
            #expect(matches(item.url))
            #expect(!matches(item.relative("/other").url))
            #expect(!pattern.configurationPatternDescription.isEmpty)
        }
        #expect("/items/*".configurationPatternDescription == "/items/*")
    }

    @Test("configureTransformer: each argument left out and given")
    func transformers() async {
        service.configureTransformer("/items/*") { (entity: Entity<[String: Any]>) in entity.content.count }
        let item = service.resource("/items/1")
        await end(of: item.load())
        #expect(item.typedContent() == 0)

        service.configureTransformer(
            "/items/*", requestMethods: [.get], atStage: .cleanup, action: .appendToExisting,
            onInputTypeMismatch: .skip, transformErrors: true, description: "text of numbers"
        ) { (entity: Entity<Int>) -> String? in "\(entity.content)" }
        await end(of: item.load())
        #expect(item.text == "0")

        service.configureTransformer("/items/*", onInputTypeMismatch: .skipIfOutputTypeMatches) {
            ($0.content as [String: Any]).isEmpty
        }
        await end(of: item.load())
        #expect(item.typedContent() == true)
    }

    @Test("invalidateConfiguration() makes configurations anew")
    func invalidation() {
        let flavor = Flavor()
        service.configure { $0.headers["Flavor"] = flavor.name }
        let item = service.resource("/items/1")
        #expect(item.configuration.headers["Flavor"] == "vanilla")
        flavor.name = "chocolate"
        #expect(item.configuration.headers["Flavor"] == "vanilla")
        service.invalidateConfiguration()
        #expect(item.configuration.headers["Flavor"] == "chocolate")
    }

    @Test("mutateRequests(with:) and decorateRequests(with:)")
    func changes() async {
        service.configure("/items/*") {
            $0.mutateRequests { request in request.setValue("1", forHTTPHeaderField: "X-Mutated") }
            $0.mutateRequests { $0.timeoutInterval = 5 }
            $0.decorateRequests { resource, request in
                request.onCompletion { _ in resource.relative("/items/2").overrideLocalContent(with: "decorated") }
            }
        }
        await end(of: service.resource("/items/1").load())
        #expect(network.requests.last?.value(forHTTPHeaderField: "X-Mutated") == "1")
        #expect(network.requests.last?.timeoutInterval == 5)
        let other = service.resource("/items/2")
        #expect(other.latestData?.content as? String == "decorated")
    }

    @Test("configurations, pipelines and stages are values that functions of a program change")
    func values() {
        @Sendable func readText(_ configuration: inout Configuration) {
            configuration.headers["Accept"] = "text/plain"
            readText(in: &configuration.pipeline)
        }
        @Sendable func readText(in pipeline: inout Pipeline) {
            pipeline.clear()
            addText(to: &pipeline[.parsing])
        }
        @Sendable func addText(to stage: inout PipelineStage) {
            stage.add(TextResponseTransformer())
        }
        service.configure("/items/*", configurer: readText)
        let configuration: Configuration = service.resource("/items/1").configuration
        #expect(configuration.headers["Accept"] == "text/plain")
    }

    @Test("`configure` returns a token, which nobody has to take")
    func token() {
        // guide: `configure` and `configureTransformer` return nothing
        let token = service.configure { $0.headers["A"] = "1" }
        service.removeConfiguration(token)
        #expect(service.resource("/items/1").configuration.headers == [:])
    }
}
