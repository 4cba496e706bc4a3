import Foundation
import Pigeon
import PigeonHTTP
import PigeonTesting
import TestSupport
import Testing

@Suite("Article: use it on a server")
struct ServerTests {
    let api = Backend()

    struct Weather: Codable, Equatable, Sendable {
        var city: String
        var degrees: Double
    }

    struct WeatherService: Sendable {
        let dispatcher: NetworkDispatcher

        init(url: URL, transport: any HTTPTransport) {
            var policy = HTTPPolicy()
            policy.retry = .standard
            policy.totalTimeout = .seconds(10)
            policy.requestsPerHost = 64
            dispatcher = NetworkDispatcher(baseURL: url, transport: transport, policy: policy)
        }

        func weather(in city: String) -> QueryDefinition<Weather> {
            QueryDefinition("weather", city) { context in
                try await dispatcher.value(from: .get("/weather/\(city)"), for: context)
            }
            .staleAfter(.seconds(60))
            .timeLimit(.seconds(15))
        }
    }

    struct Request: Sendable {
        var parameters: [String: String]
        var user: User?
    }

    struct HTTPError: Error {
        var status: Int
    }

    struct WeatherController: Sendable {
        let client: QueryClient
        let service: WeatherService

        func get(_ request: Request) async throws -> Weather {
            guard let city = request.parameters["city"], city.allSatisfy(\.isLetter) else {
                throw HTTPError(status: 400)
            }
            return try await client.fetch(service.weather(in: city))
        }
    }

    static func makeClient() -> QueryClient {
        var options = QueryOptions()
        options.keepFor = .seconds(600)
        options.timeLimit = .seconds(30)
        let client = QueryClient(options: options, budget: 256 << 20)
        return client
    }

    func mock() -> MockTransport {
        let mock = MockTransport()
        mock.answer(.get, "/weather/:city") { _, values in
            try .json(Weather(city: values["city"] ?? "", degrees: 21))
        }
        return mock
    }

    #if os(Linux) || os(macOS)
        @Test func `many requests for one city are one request upstream`() async {
            // In a process of its own: beside all other tests the time limits of the article are too short.
            await #expect(processExitsWith: .success) {
                endProcess(after: 100)
                let mock = ServerTests().mock()
                let url = try #require(URL(string: "https://weather.example.com"))
                let service = WeatherService(url: url, transport: mock)
                let controller = WeatherController(client: Self.makeClient(), service: service)
                try await withThrowingTaskGroup(of: Weather.self) { group in
                    for _ in 0..<50 {
                        group.addTask { try await controller.get(Request(parameters: ["city": "Piran"])) }
                    }
                    for try await weather in group { #expect(weather.degrees == 21) }
                }
                #expect(mock.requests.count == 1)
                await #expect(throws: HTTPError.self) { try await controller.get(Request(parameters: [:])) }
                let other = Request(parameters: ["city": "../admin"])
                await #expect(throws: HTTPError.self) { try await controller.get(other) }
            }
        }
    #endif

    @Test func `one who leaves ends no fetch of the others`() {
        let lab = QueryLab()
        let (fetcher, client) = (lab.fetcher(returning: User.self), lab.client)
        let user = QueryDefinition("users", 1, fetch: fetcher.fetch)
        let (first, second) = (lab.start { try await client.fetch(user) }, lab.start { try await client.fetch(user) })
        first.cancel()
        fetcher.succeed(with: User(id: 1, name: "Ann"))
        #expect(first.error is CancellationError)
        #expect(second.value?.name == "Ann")
        #expect(fetcher.calls.count == 1)
    }

    func inbox(of user: User, _ api: Backend) -> QueryDefinition<[Post]> {
        QueryDefinition("users", user.id, "inbox") { _ in try await api.posts(page: user.id) }
    }

    func signOut(_ user: User, _ client: QueryClient) {
        client.remove(.path("users", user.id))
    }

    @Test func `what belongs to a user is below the user's key`() async throws {
        let (client, ann, bea) = (QueryClient(), User(id: 1, name: "Ann"), User(id: 2, name: "Bea"))
        let first = try await client.fetch(inbox(of: ann, api))
        let second = try await client.fetch(inbox(of: bea, api))
        #expect(first != second)
        signOut(ann, client)
        #expect(client.value(of: inbox(of: ann, api)) == nil)
        #expect(client.value(of: inbox(of: bea, api)) == second)
    }

    @Test func `a budget bounds the memory`() async throws {
        let (api, client) = (api, QueryClient(budget: 10_000))
        for id in 0..<1_000 {
            _ = try await client.fetch(
                QueryDefinition("users", id) { _ in try await api.user(id) }.cost { _ in 100 })
        }
        #expect(client.count <= 100)
    }

    @Test func `what nobody uses goes after its time`() async throws {
        let (lab, api) = (QueryLab(), api)
        let client = lab.client
        let task = lab.start {
            try await client.fetch(QueryDefinition("users", 1) { _ in try await api.user(1) }.keepFor(.seconds(60)))
        }
        #expect(task.value != nil && client.count == 1)
        lab.advance(by: .seconds(61))
        #expect(client.count == 0)
    }

    @Test func `single events can be seen, and a client can be closed`() async throws {
        let (api, client) = (api, QueryClient())
        let subscription = client.onEvent { event in
            if event.kind.isFailure { print(event) }
        }
        _ = try await client.fetch(QueryDefinition("users", 1) { _ in try await api.user(1) })
        await client.close()
        #expect(client.isClosed)
        subscription.cancel()
    }

    #if AsyncHTTPClient
        func transport() -> any HTTPTransport {
            let transport = AsyncHTTPClientTransport()
            return transport
        }
    #endif
}
