import Pigeon
import PigeonTesting
import TestSupport
import Testing

// The tool of the article is linked into the folder `Parcels`, so that the article shows the tool itself.

private struct ScriptedParcels: ParcelAPI {
    let lists: ScriptedFetcher<[Parcel]>
    let items: ScriptedFetcher<Parcel>
    let depots: ScriptedFetcher<Depot>

    init(_ lab: QueryLab) {
        lists = lab.fetcher(returning: [Parcel].self)
        items = lab.fetcher(returning: Parcel.self)
        depots = lab.fetcher(returning: Depot.self)
    }

    func parcels(page: Int, for context: PageContext<[Parcel]>) async throws -> [Parcel] { try await lists.call(page) }
    func parcels(named text: String) async throws -> [Parcel] { try await lists.call(text) }
    func parcel(_ id: Int) async throws -> Parcel { try await items.call(id) }
    func depot(_ id: Int) async throws -> Depot { try await depots.call(id) }
    func rename(_ id: Int, to name: String) async throws -> Parcel { try await items.call("rename", id, name) }
}

@Suite("Article: write a tool")
struct ToolTests {
    @Test func `watch prints each status until the delivery`() {
        let (lab, lines) = (QueryLab(), Recorder<String>())
        let server = ScriptedParcels(lab)
        let client = QueryClient(dependencies: Dependencies(server as any ParcelAPI), environment: lab.environment)
        let tool = ParcelTool(client: client, output: { lines.append($0) })
        let watch = lab.start { try await tool.run(["watch", "1"]) { nil } }
        server.depots.succeed(with: Depot(name: "North"))
        server.items.succeed(with: Parcel(id: 1, name: "Books", status: .shipped, depotID: 7))
        lab.advance(by: .seconds(2))
        server.items.succeed(with: Parcel(id: 1, name: "Books", status: .delivered, depotID: 7))
        #expect(lines.all == ["shipped", "delivered"])
        #expect(watch.value == true)
    }
}
