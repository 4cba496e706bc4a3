import Foundation
import PigeonHTTP
import PigeonTesting
import Testing

@testable import People

/// A server whose answers a test decides.
struct ScriptedServer: Server {
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

/// The server over HTTP, with a transport that needs no network.
func dispatcher(over mock: MockTransport) throws -> NetworkDispatcher {
    let url = try #require(URL(string: "https://people.example"))
    return NetworkDispatcher(baseURL: url, transport: mock, policy: .people)
}
