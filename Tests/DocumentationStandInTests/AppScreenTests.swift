import Foundation
import PigeonHTTP
import PigeonUI
import SwiftUI
import Testing

/// The app of the article "Write an app", which is linked into the folder `People`, on a screen.
@MainActor
@Suite("Article: write an app, on a screen")
struct AppScreenTests {
    private let mock = MockTransport()

    private func screen() throws -> Screen {
        let ann = Person(id: 1, name: "Ann", teamID: 7)
        let north = try MockAnswer.json(Team(id: 7, name: "North"))
        mock.answer(.get, "/people") { request, _ in try .json(request.query("page") == "1" ? [ann] : []) }
        mock.answer(.get, "/people/:id", with: try .json(ann))
        mock.answer(.get, "/teams/:id", with: north)
        mock.answer(
            .patch, "/people/:id", with: try .json(["message": "The name is taken."], status: .unprocessableEntity))
        let url = try #require(URL(string: "https://people.example"))
        let session = AppSession(NetworkDispatcher(baseURL: url, transport: mock, policy: .people))
        return Screen(visibleRows: 12) { RootView(session: session) }
    }

    @Test func `a person opens with the team, and a refused name goes back`() async throws {
        let screen = try screen()
        #expect(await screen.wait { $0.contains("Ann >") })
        #expect(screen.tap("Ann"))
        #expect(await screen.wait { $0.contains("North") })
        screen.type("Bea", into: "Name")
        screen.submit("Name")
        #expect(await screen.wait { $0.contains("The name is taken.") && $0.contains("Ann") })
        screen.close()
    }

    @Test func `signing out leaves the screens`() async throws {
        let screen = try screen()
        #expect(await screen.wait { $0.contains("Ann >") })
        screen.tap("Settings")
        screen.tap("Sign Out")
        #expect(await screen.wait { $0.contains("[Sign In]") })
        screen.tap("Sign In")
        #expect(await screen.wait { $0.contains("Ann >") })
        screen.close()
    }
}
