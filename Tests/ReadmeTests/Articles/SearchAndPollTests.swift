import Foundation
import Pigeon
import PigeonHTTP
import PigeonTesting
import Testing

struct Export: Codable, Equatable, Sendable {
    var isReady: Bool
}

protocol CityAPI: Sendable {
    func cities(named text: String) async throws -> [String]
    func export(_ id: Int) async throws -> Export
}

extension QueryDefinition {
    static func cities(_ text: String) -> Self where Value == [String] {
        QueryDefinition("cities", text) { context in try await context[(any CityAPI).self].cities(named: text) }
            .debounced(by: .milliseconds(300))
            .placeholder { $0 }
    }

    static func export(_ id: Int) -> Self where Value == Export {
        QueryDefinition("exports", id) { context in try await context[(any CityAPI).self].export(id) }
            .poll(every: .seconds(5)) { $0.isReady }
    }
}

@MainActor
final class CitySearch {
    let results: Query<String, [String]>
    var text = "" { didSet { results.refetch(request: text) } }

    init(client: QueryClient) {
        results = Query(client: client) { text in text.isEmpty ? .nothing : .cities(text) }
    }
}

private struct ScriptedCities: CityAPI {
    let lists: ScriptedFetcher<[String]>
    let exports: ScriptedFetcher<Export>

    func cities(named text: String) async throws -> [String] { try await lists.call(text) }
    func export(_ id: Int) async throws -> Export { try await exports.call(id) }
}

@MainActor
@Suite("Article: search, poll and retry")
struct SearchAndPollTests {
    private let lab: QueryLab
    private let cities: ScriptedCities
    private let client: QueryClient

    init() {
        lab = QueryLab()
        cities = ScriptedCities(
            lists: lab.fetcher(returning: [String].self), exports: lab.fetcher(returning: Export.self))
        client = QueryClient(dependencies: Dependencies(cities as any CityAPI), environment: lab.environment)
    }

    @Test func `only the text at which the user pauses is fetched`() {
        let server = cities.lists
        let search = CitySearch(client: client)
        search.text = "b"
        lab.advance(by: .milliseconds(200))
        search.text = "be"
        lab.advance(by: .milliseconds(300))
        #expect(server.calls.map(\.arguments) == [["be"]])
        server.succeed(with: ["Berlin", "Bern"])
        search.text = "ber"
        #expect(search.results.value == ["Berlin", "Bern"])
        #expect(search.results.snapshot.isPlaceholder)
        search.text = ""
        lab.advance(by: .seconds(1))
        #expect(search.results.value == nil && server.calls.count == 1)
    }

    @Test func `polling ends when the export is ready`() {
        let (server, client) = (cities.exports, client)
        let export = Query(.export(1), client: client)
        server.succeed(with: Export(isReady: false))
        lab.advance(by: .seconds(5))
        server.succeed(with: Export(isReady: true))
        lab.advance(by: .seconds(3600))
        #expect(server.calls.count == 2)
        #expect(export.value?.isReady == true)
    }

    @Test func `a definition and a policy that both retry do not multiply`() throws {
        let mock = MockTransport()
        mock.answer(.get, "/capital", with: .status(.serviceUnavailable))
        let url = try #require(URL(string: "https://cities.example"))
        var policy = HTTPPolicy()
        policy.retry = RetryPolicy(limit: 1, hasJitter: false)
        let http = NetworkDispatcher(baseURL: url, transport: mock, policy: policy, clock: lab.clock)
        let capital = QueryDefinition<String>("capital") { _ in try await http.string(from: .get("/capital")) }
            .retry(RetryPolicy(limit: 1, hasJitter: false))
        let observer = lab.client.observe(capital)
        lab.advance(by: .seconds(60))
        #expect(mock.requests.count == 2)
        #expect(observer.snapshot.failureCount == 1)
    }
}
