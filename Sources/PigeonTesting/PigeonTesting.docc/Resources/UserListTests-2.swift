import Pigeon
import PigeonTesting
import Testing

@testable import TutorialList

@MainActor
@Suite("The list of users")
struct UserListTests {
    let lab = QueryLab()
    let server: ScriptedFetcher<[String]>
    let list: UserList

    init() {
        let server = lab.fetcher(returning: [String].self)
        self.server = server
        list = UserList(client: lab.client, cache: InMemoryQueryCache()) { context in
            try await server.fetch(context)
        }
    }

    @Test func `it shows the names when the answer comes`() {
        list.appear()
        #expect(list.text == "Loading…")
        server.succeed(with: ["Ann", "Bea"])
        #expect(list.text == "Ann, Bea")
    }

    @Test func `it says when nothing came`() {
        list.appear()
        server.fail(with: NotAllowed())
        #expect(list.text == "That did not work. Try again?")
    }

    @Test func `it keeps the names when a refresh fails`() {
        list.appear()
        server.succeed(with: ["Ann", "Bea"])
        list.appear()
        server.fail(with: NotAllowed())
        #expect(list.text == "Ann, Bea (from earlier)")
    }
}

struct NotAllowed: Error {}
