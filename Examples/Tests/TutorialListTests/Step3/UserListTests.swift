import Foundation
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

    @Test func `it says when nothing came`() {
        let list = UserList(client: client)
        server.fail(with: NotAllowed())
        #expect(list.text == "That did not work. Try again?")
    }

    @Test func `it keeps the names when a refresh fails`() {
        let list = UserList(client: client)
        server.succeed(with: ["Ann", "Bea"])
        client.invalidateWithoutWaiting(.names)
        server.fail(with: NotAllowed())
        #expect(list.text == "Ann, Bea (from earlier)")
    }

    @Test func `it tries once more, after a second`() {
        let list = UserList(client: client)
        server.fail(with: URLError(.timedOut))
        #expect(list.text == "Loading…")
        #expect(server.calls.count == 1)
        lab.advance(by: .seconds(1))
        #expect(server.calls.count == 2)
        server.succeed(with: ["Ann", "Bea"])
        #expect(list.text == "Ann, Bea")
    }
}

struct ScriptedUserAPI: UserAPI {
    let server: ScriptedFetcher<[String]>

    func names() async throws -> [String] { try await server.call() }
}

struct NotAllowed: Error {}
