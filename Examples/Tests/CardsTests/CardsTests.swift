import Foundation
import Network
import PigeonHTTP
import PigeonUI
import SwiftUI
import Testing

@testable import Cards

@MainActor
@Suite("The cards app")
struct CardsTests {
    private let server = SampleServer(delay: .zero)
    private let cache = InMemoryQueryCache()
    private let shop: Shop

    init() {
        shop = Shop(transport: server.transport, cache: cache)
    }

    private func screen(_ shop: Shop? = nil) -> Screen {
        let shop = shop ?? self.shop
        return Screen(visibleRows: 12) { ShopView(shop) }
    }

    private func asked(_ path: String) -> Int {
        server.transport.requests.count { $0.path.hasPrefix(path) }
    }

    @Test func `cards come page by page, and each opens`() async {
        let screen = screen()
        #expect(await screen.wait { $0.contains("Frost Otter >") })
        #expect(asked("/cards") == 1)
        screen.scrollDown(by: 10)
        #expect(await screen.wait { _ in asked("/cards") > 1 })
        #expect(screen.tap("Frost Otter"))
        #expect(await screen.wait { $0.contains("# Card 1") && $0.contains("Number 1 of 70") })
        screen.goBack()
        #expect(screen.text.contains("# Cards"))
    }

    @Test func `all pages are there in the end`() async {
        let screen = screen()
        screen.scrollDown(by: 200)
        #expect(await screen.wait { $0.split(separator: "\n").count { $0.hasSuffix(" >") } == 70 })
        #expect(!screen.text.contains("(progress)"))
    }

    @Test func `a name changes at once, and goes back when the server refuses`() async {
        let screen = screen()
        screen.tap("People")
        #expect(await screen.wait { $0.contains("Ann") && $0.contains("Dora") })
        screen.type("Anna", into: "New name for Ann")
        screen.tap("Rename Ann")
        #expect(await screen.wait { $0.contains("Rename Anna") })
        #expect(await screen.wait { _ in asked("/people/1") == 1 })
        screen.type("Doris", into: "New name for Dora")
        screen.tap("Rename Dora")
        #expect(await screen.wait { $0.contains("Doris was refused") && $0.contains("Rename Dora") })
    }

    @Test func `without a network a change is shown, waits, and is sent when there is one`() async {
        let screen = screen()
        screen.tap("People")
        #expect(await screen.wait { $0.contains("Bea") })
        // The system says that there is a network, once it has looked; what the test says comes after that.
        #expect(await screen.wait { _ in NWPathMonitor.Home.everywhere.watching.allSatisfy { !$0.isTelling } })
        shop.client.environment.connectivity.set(false)
        screen.type("Beatrix", into: "New name for Bea")
        screen.tap("Rename Bea")
        #expect(await screen.wait { $0.contains("Rename Beatrix") })
        #expect(asked("/people/2") == 0)
        shop.client.environment.connectivity.set(true)
        #expect(await screen.wait { _ in asked("/people/2") == 1 })
        #expect(await screen.wait { $0.contains("Rename Beatrix") })
    }

    @Test func `a second start shows what the first one knew, without a network`() async {
        let first = screen()
        #expect(await first.wait { $0.contains("Frost Otter >") })
        await shop.client.flush()
        first.close()
        let silent = Shop(transport: MockTransport(), cache: cache)
        silent.client.environment.connectivity.set(false)
        let second = screen(silent)
        #expect(second.text.contains("Frost Otter >"))
    }

    @Test func `the activity says why, and everything can be forgotten`() async throws {
        let screen = screen()
        #expect(await screen.wait { $0.contains("Frost Otter >") })
        screen.tap("Activity")
        #expect(await screen.wait { $0.contains("cards fetching") })
        screen.toggle("No network")
        #expect(!shop.client.environment.connectivity.isOn)
        screen.toggle("No network")
        screen.tap("Forget everything")
        #expect(
            await screen.wait { _ in shop.client.entries().allSatisfy { $0.activity != .idle } || cache.count == 0 })
    }

    @Test func `previews show each state, and fetch nothing`() {
        let screen = Screen { CardDetailPreviews.previews }
        let parts = screen.text.components(separatedBy: "# Card 1\n").dropFirst().map { $0 }
        #expect(parts.count == 4)
        #expect(parts.first == "(progress)\n")
        #expect(parts.dropFirst().first == "Frost Otter\nWorth 3 points.\n")
        #expect(parts.dropFirst(2).first?.hasSuffix("[Try Again]\n") == true)
        #expect(parts.last?.hasPrefix("Frost Otter\n") == true && parts.last?.contains("Try Again") == true)
    }
}
