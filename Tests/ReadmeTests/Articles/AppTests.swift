import Foundation
import Pigeon
import PigeonHTTP
import PigeonTesting
import Testing

// The app of the article is linked into the folder `People`, so that the article shows the app itself.

private struct ScriptedServer: Server {
    let lists: ScriptedFetcher<[Person]>
    let persons: ScriptedFetcher<Person>
    let teams: ScriptedFetcher<Team>

    init(_ lab: QueryLab) {
        lists = lab.fetcher(returning: [Person].self)
        persons = lab.fetcher(returning: Person.self)
        teams = lab.fetcher(returning: Team.self)
    }

    func people(named text: String, page: Int) async throws -> [Person] { try await lists.call(text, page) }
    func person(_ id: Int) async throws -> Person { try await persons.call(id) }
    func team(_ id: Int) async throws -> Team { try await teams.call(id) }
    func rename(_ id: Int, to name: String) async throws -> Person { try await persons.call("rename", id, name) }
}

protocol TeamServer: Sendable {
    func team(_ id: Int, for context: FetchContext<Team>) async throws -> Team
}

extension NetworkDispatcher: TeamServer {
    func team(_ id: Int, for context: FetchContext<Team>) async throws -> Team {
        try await value(from: .get("/teams/\(id)"), for: context)
    }
}

@MainActor
@Suite("Article: write an app")
struct AppTests {
    @Test func `a team is requested once its person is there`() {
        let lab = QueryLab()
        let server = ScriptedServer(lab)
        let session = AppSession(server, environment: lab.environment)
        let model = PersonModel(1, client: session.client)
        #expect(server.teams.calls.isEmpty)
        server.persons.succeed(with: Person(id: 1, name: "Ann", teamID: 7))
        server.teams.succeed(with: Team(id: 7, name: "North"))
        #expect(model.team.value?.name == "North")
    }

    @Test func `a value that has not changed is not transferred again`() async throws {
        let mock = MockTransport()
        mock.answer(.get, "/teams/7") { request, _ in
            guard request.headers["If-None-Match"] == nil else { return .status(.notModified) }
            return try .json(Team(id: 7, name: "North"), headers: ["ETag": "\"v1\""])
        }
        let url = try #require(URL(string: "https://api.example.com"))
        let server = NetworkDispatcher(baseURL: url, transport: mock)
        let client = QueryClient(dependencies: Dependencies(server as any TeamServer))
        let team = QueryDefinition<Team>("teams", 7) { context in
            try await context[(any TeamServer).self].team(7, for: context)
        }
        for _ in 1...2 { #expect(try await client.refetch(team).name == "North") }
        #expect(mock.requests.map { $0.headers["If-None-Match"] } == [nil, "\"v1\""])
    }
}
