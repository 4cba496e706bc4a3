import Foundation
import Network
import PigeonTesting
import PigeonUI
import SwiftUI

@testable import Cards

/// A user with the app in front of them. The clock stands still until the test lets time pass.
@MainActor
final class Visit {
    let lab: QueryLab
    let server: SampleServer
    let shop: Shop
    let cache: InMemoryQueryCache
    let screen: Screen
    private let suite = "CardsTests.\(UUID().uuidString)"

    /// - Parameters:
    ///   - name: The user who is signed in. `nil` for none.
    ///   - cache: What an earlier visit left.
    ///   - isFailing: Whether the server refuses each request.
    ///   - rows: The number of rows that lists have room for.
    init(
        _ name: String? = "Ann", cache: InMemoryQueryCache = InMemoryQueryCache(), isFailing: Bool = false,
        rows: Int = 12, type: DynamicTypeSize = .large
    ) {
        lab = QueryLab()
        server = SampleServer(clock: lab.clock)
        let shop = Shop(server: server, cache: cache, environment: lab.environment)
        if let name { try? shop.client.set(User(name: name), for: .me) }
        shop.isFailing = isFailing
        let settings = UserDefaults(suiteName: suite) ?? .standard
        screen = Screen(visibleRows: rows) {
            ShopView(shop).environment(\.dynamicTypeSize, type).defaultAppStorage(settings)
        }
        (self.shop, self.cache) = (shop, cache)
    }

    /// Removes the settings from the disk.
    func removeSettings() { UserDefaults.standard.removePersistentDomain(forName: suite) }

    var text: String { screen.text }

    /// Lets time pass until the screen is as wished. False if that never happens.
    func passes(until isReady: @escaping (String) -> Bool) async -> Bool {
        await screen.wait { [lab] text in
            if isReady(text) { return true }
            lab.advance(by: .milliseconds(100))
            return false
        }
    }

    /// Lets time pass until the screen has all these texts.
    func shows(_ texts: String...) async -> Bool {
        await passes { shown in texts.allSatisfy(shown.contains) }
    }

    /// Stops time, and works off all that needs none, until the screen is as wished.
    func settles(until isReady: @escaping (String) -> Bool) async -> Bool {
        await screen.wait { [lab] text in
            lab.settle()
            return isReady(text)
        }
    }

    /// Waits until the system has said that there is a network, which it says once. What a test switches comes after that.
    func systemHasReported() async -> Bool {
        await settles { _ in NWPathMonitor.Home.everywhere.watching.allSatisfy { !$0.isTelling } }
    }

    /// Opens a tab, and turns the network off or on in the settings first.
    func switchNetwork(thenOpen tab: String) async {
        _ = await systemHasReported()
        screen.tap("Settings")
        screen.toggle("No network")
        screen.tap(tab)
    }

    /// Renames the card that is open.
    func rename(to name: String) {
        screen.tap("Rename")
        screen.type(name, into: "Name")
        screen.tap("Save")
    }

    /// Pulls the list down, and lets time pass until it has been loaded again. False if it cannot be pulled.
    func pullsDown() async -> Bool {
        let pull = Task { await screen.pullToRefresh() }
        var hasRefreshed: Bool?
        Task { hasRefreshed = await pull.value }
        return await passes { _ in hasRefreshed != nil } && hasRefreshed == true
    }

    func requests(_ path: String) -> Int { server.transport.requests.count { $0.path.hasPrefix(path) } }
}
