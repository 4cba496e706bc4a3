import Foundation
import Pigeon
import PigeonTesting
import Testing

// The face of the article is linked into the folder `ToyFace`, so that the article shows the face itself.

private func signals(_ client: QueryClient) {
    let user = Signal(.user(42), client)
    let title = effect { print(user()?.name ?? "Loading…") }
    user.refresh()
    withExtendedLifetime(title) {}
}

struct Charts: QueryFace {
    var decimals = 2
    var name: String? { "chart" }
}

@Suite("Article: write a face")
struct WriteAFaceTests {
    let lab = QueryLab()

    @Test func `events name the face`() {
        let fetcher = lab.fetcher(returning: User.self)
        let definition = QueryDefinition("users", 42, fetch: fetcher.fetch)
        let user = Signal(definition, lab.client)
        fetcher.succeed(with: User(id: 42, name: "Ann"))
        user.refresh()
        lab.settle()
        #expect(
            lab.log == [
                "users/42 fetching (observed by signal)", "users/42 fresh", "users/42 fetching (requested by signal)",
            ])
    }

    @Test func `an observer that knows only the key has the settings`() {
        let (client, fetcher) = (lab.client, lab.fetcher(returning: [Double].self))
        let prices = QueryDefinition("prices", fetch: fetcher.fetch)
        let chart = client.observe(prices.face(Charts(decimals: 4)))
        let legend = client.observe(QueryDefinition<[Double]>.value(prices.key))
        let decimals = (legend.snapshot.face as? Charts)?.decimals
        #expect(decimals == 4)
        withExtendedLifetime(chart) {}
    }

    @Test func `the engine names no module that is built on it`() throws {
        let names = /Pigeon(?:Store|HTTP|REST|UI|SQLite|Testing)\b|`Pigeon`|Siesta|StoreFlowable|cacheConfig/
        for file in Page.files(in: "Sources/PigeonCore", withExtension: "swift") {
            let found = try String(contentsOf: file, encoding: .utf8).matches(of: names).map { String($0.output) }
            #expect(found == [], "\(file.lastPathComponent)")
        }
    }
}
