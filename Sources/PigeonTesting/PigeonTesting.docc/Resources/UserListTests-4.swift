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

    @Test func `it tries once more, after a second`() {
        list.appear()
        server.fail(with: URLError(.timedOut))
        #expect(list.text == "Loading…")
        #expect(server.calls.count == 1)
        lab.advance(by: .seconds(1))
        #expect(server.calls.count == 2)
        server.succeed(with: ["Ann", "Bea"])
        #expect(list.text == "Ann, Bea")
    }

    @Test func `it waits for the network`() {
        lab.setOnline(false)
        list.appear()
        #expect(list.text == "You are offline.")
        #expect(server.calls.isEmpty)
        lab.setOnline(true)
        server.succeed(with: ["Ann", "Bea"])
        #expect(list.text == "Ann, Bea")
        #expect(lab.log == ["names paused (requested)", "names resumed", "names fetching (requested)", "names fresh"])
    }
}

struct NotAllowed: Error {}
