import Foundation
import Pigeon
package import SwiftUI
import Testing

/// Checks what Pigeon's README says about its code, in each language of the README. `site` is the server that the code
/// uses. It has Ann and Bob unless a test changes that.
@MainActor
package struct Readme {
    private let site: Site
    private let world = World()

    package init(_ site: Site) {
        self.site = site
        UserDefaultsQueryCache.shared.removeAll()
        answer("Ann", "Bob")
    }

    private func answer(_ names: String...) {
        let users = names.enumerated().map { #"{"id": \#($0.offset + 1), "name": "\#($0.element)"}"# }
        site.begin(["/users": Site.Answer("[\(users.joined(separator: ", "))]")])
    }

    private func rows(_ names: String...) -> String { (["List"] + names.map { "  \($0)" }).joined(separator: "\n") }

    /// Checks that the users are fetched when the view appears, and shown.
    package func fetches(_ view: @escaping @MainActor () -> some View) async {
        await world.start {
            let screen = Screen { view() }
            #expect(screen.text == "List")
            #expect(await screen.wait(for: rows("Ann", "Bob")) == rows("Ann", "Bob"))
            #expect(site.asked == ["GET /users"])
        }
    }

    /// Checks that each state has a view: loading, then the users or the failure.
    package func shows(failure: String, _ view: @escaping @MainActor () -> some View) async {
        await world.start {
            let screen = Screen { view() }
            #expect(screen.text == "Loading...")
            #expect(await screen.wait(for: rows("Ann", "Bob")) == rows("Ann", "Bob"))
        }
        site.begin([:])
        await world.start {
            let screen = Screen { view() }
            #expect(screen.text == "Loading...")
            #expect(await screen.wait(for: failure) == failure)
            #expect(site.asked == ["GET /users"])
        }
    }

    /// Checks that the users are fetched again every two seconds, and no longer once the view is gone.
    package func polls(_ view: @escaping @MainActor () -> some View) async {
        await world.start {
            let screen = Screen { view() }
            _ = await screen.wait(for: rows("Ann", "Bob"))
            for name in ["Cid", "Dee"] {
                answer(name)
                // The users are shown shortly before their publisher finishes. A tick before that would find the query
                // fetching.
                #expect(await screen.wait { _ in world.isAtRest })
                world.pass(seconds: 1.9)
                world.pass(seconds: 0.1)
                #expect(await screen.wait(for: rows(name)) == rows(name))
                #expect(site.asked == ["GET /users"])
            }
            screen.close()
            #expect(await screen.wait { _ in world.isLeft })
        }
        answer("Ann", "Bob")
        world.pass(seconds: 10)
        await fetches(view)
    }

    /// Checks that a mutation returns its value, and refetches the users.
    package func mutates(_ view: @escaping @MainActor () -> some View) async {
        await world.start {
            let screen = Screen { view() }
            _ = await screen.wait(for: rows("Ann", "Bob") + "\n[Mutate]")
            answer("Ann", "Bob", "Cid")
            #expect(screen.tap("Mutate"))
            let text = rows("Ann", "Bob", "Cid") + "\n[Mutate]\n10 Pepe"
            #expect(await screen.wait(for: text) == text)
            #expect(site.asked == ["GET /users"])
        }
    }

    /// Checks that each request has its own value in the cache.
    package func adapts(_ view: @escaping @MainActor () -> some View) async {
        await world.start {
            let screen = Screen { view() }
            let (first, second) = (rows("User 1") + "\n[Second]", rows("User 2") + "\n[Second]")
            #expect(await screen.wait(for: first) == first)
            #expect(screen.tap("Second"))
            #expect(await screen.wait(for: second) == second)
            let cached = ["1", "2"].map { id in
                let users: [CachedUser]? = UserDefaultsQueryCache.shared.get(
                    for: QueryKey(value: "users").appending(id))
                return users?.map(\.name)
            }
            #expect(cached == [["User 1"], ["User 2"]])
        }
    }

    /// Checks that pages are fetched one after the other, and then again from the first.
    package func pages(_ view: @escaping @MainActor () -> some View) async {
        await world.start {
            let screen = Screen { view() }
            let buttons = "\n[More]\n[Again]"
            #expect(screen.text == "List" + buttons)
            for (button, text) in [
                ("Again", rows("User 0")), ("More", rows("User 0", "User 20")),
                ("More", rows("User 0", "User 20", "User 40")), ("Again", rows("User 0")),
            ] {
                #expect(screen.tap(button))
                #expect(await screen.wait(for: text + buttons) == text + buttons)
            }
        }
    }

    /// Checks that cached cards are used instead of a fetch, also after a restart of the app, until 1000 seconds have
    /// passed.
    package func caches(_ view: @escaping @MainActor () -> some View, printed: Journal) async {
        let cards = rows("Ace", "King")
        _ = printed.take()
        for (pause, fetches) in [(0.0, 1), (999, 0), (1, 1)] {
            world.pass(seconds: pause)
            await world.start {
                let screen = Screen { view() }
                if fetches == 0 { #expect(screen.text == cards) }
                #expect(await screen.wait(for: cards) == cards)
                screen.close()
            }
            let lines = printed.take()
            #expect(lines.count == fetches && lines.allSatisfy { $0.hasPrefix("Fetching page no. ") })
        }
    }
}

struct CachedUser: Codable, Sendable {
    let name: String
}
