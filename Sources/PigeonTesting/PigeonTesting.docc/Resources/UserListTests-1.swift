import Pigeon
import PigeonTesting
import Testing

@testable import TutorialList

@MainActor
@Suite("The list of users")
struct UserListTests {
    let lab = QueryLab()
    let server: ScriptedFetcher<[String]>
    let client: QueryClient

    init() {
        server = lab.fetcher(returning: [String].self)
        client = QueryClient(
            dependencies: Dependencies(ScriptedUserAPI(server: server) as any UserAPI), environment: lab.environment)
    }

    @Test func `it shows the names when the answer comes`() {
        let list = UserList(client: client)
        #expect(list.text == "Loading…")
        server.succeed(with: ["Ann", "Bea"])
        #expect(list.text == "Ann, Bea")
    }
}

struct ScriptedUserAPI: UserAPI {
    let server: ScriptedFetcher<[String]>

    func names() async throws -> [String] { try await server.call() }
}
