import Pigeon
import PigeonTesting
import TestSupport
import Testing

private struct Parcel: Equatable {
    var depotID: Int?
    var note = ""
}

@MainActor
@Suite("queries that follow another query", .rule("B15"))
struct DependentQueryTests {
    private let lab = QueryLab()
    private let parcels: ScriptedFetcher<Parcel>
    private let depots: ScriptedFetcher<String>

    init() {
        parcels = lab.fetcher(returning: Parcel.self)
        depots = lab.fetcher(returning: String.self)
    }

    private func parcel(_ id: Int) -> QueryDefinition<Parcel> {
        QueryDefinition("parcels", id, fetch: parcels.fetch).staleAfter(.seconds(30))
    }

    private func depot(_ id: Int) -> QueryDefinition<String> {
        QueryDefinition("depots", id, fetch: depots.fetch).staleAfter(.seconds(30))
    }

    /// Creates a query of the depot of a parcel.
    private func depot<Request>(of parcel: Query<Request, Parcel>) -> Query<Void, String> {
        Query(following: parcel) { [self] parcel in parcel.depotID.map { depot($0) } ?? .nothing }
    }

    @Test func `nothing is fetched before the other query has a value`() async {
        let first = Query(parcel(1), client: lab.client)
        let second = depot(of: first)
        let log = StateLog(second)
        second.refetch(request: ())
        await second.refresh()
        #expect(depots.calls.isEmpty)
        parcels.succeed(with: Parcel(depotID: 7))
        #expect(depots.calls.map(\.key) == ["depots/7"])
        depots.succeed(with: "North")
        #expect(log.states == ["idle", "loading", "succeed(North)"])
    }

    @Test func `a value that is there is followed at once`() throws {
        try lab.client.set(Parcel(depotID: 7), for: parcel(1))
        let second = depot(of: Query(parcel(1), client: lab.client))
        #expect(second.state.isLoading && depots.calls.map(\.key) == ["depots/7"])
    }

    @Test func `a value with another key moves the query, and one with the same key fetches nothing`() throws {
        let second = depot(of: Query(parcel(1), client: lab.client))
        parcels.succeed(with: Parcel(depotID: 7))
        depots.succeed(with: "North")
        lab.advance(by: .seconds(31))
        try lab.client.set(Parcel(depotID: 7, note: "wet"), for: parcel(1))
        #expect(second.value == "North" && depots.calls.count == 1)
        try lab.client.set(Parcel(depotID: 8), for: parcel(1))
        #expect(second.state.isLoading && second.value == nil)
        depots.succeed(with: "South")
        #expect(second.value == "South" && depots.calls.map(\.key) == ["depots/7", "depots/8"])
        try lab.client.set(Parcel(depotID: nil), for: parcel(1))
        #expect(second.value == nil && !second.snapshot.isFetching && depots.calls.count == 2)
    }

    @Test func `a failure of the other query changes nothing, and its last value still counts`() {
        let first = Query(parcel(1), client: lab.client)
        let second = depot(of: first)
        parcels.fail(with: Broken())
        #expect(first.state.error is Broken)
        guard case .idle = second.state else {
            Issue.record("\(second.state)")
            return
        }
        first.refetch(request: ())
        parcels.succeed(with: Parcel(depotID: 7))
        depots.succeed(with: "North")
        lab.client.invalidate(parcel(1))
        parcels.fail(with: Broken())
        #expect(first.snapshot.error is Broken && second.state.value == "North")
    }

    @Test func `a placeholder of the other query names no data`() {
        let first = Query(request: 1, client: lab.client) { [self] id in parcel(id).placeholder(Parcel(depotID: 6)) }
        let second = depot(of: first)
        #expect(first.value?.depotID == 6 && depots.calls.isEmpty)
        parcels.succeed(with: Parcel(depotID: 7))
        depots.succeed(with: "North")
        first.refetch(request: 2)
        #expect(first.snapshot.isPlaceholder && second.value == nil && depots.calls.count == 1)
        parcels.succeed(with: Parcel(depotID: 7))
        #expect(second.value == "North" && depots.calls.count == 1)
    }

    @Test func `an invalidation refetches what the query has moved to, and no longer what it showed before`() throws {
        let second = depot(of: Query(parcel(1), client: lab.client))
        parcels.succeed(with: Parcel(depotID: 7))
        depots.succeed(with: "North")
        try lab.client.set(Parcel(depotID: 8), for: parcel(1))
        depots.succeed(with: "South")
        lab.client.invalidate(depot(7))
        #expect(depots.pendingCount == 0)
        lab.client.invalidate(depot(8))
        #expect(depots.pending.map(\.key) == ["depots/8"] && second.value == "South")
    }

    @Test func `the definition may be made with the help of the client`() {
        let client = lab.client
        let second: Query<Void, String> = Query(following: Query(parcel(1), client: client)) { [self] parcel in
            client.invalidate("elsewhere")
            return depot(parcel.depotID ?? 0)
        }
        parcels.succeed(with: Parcel(depotID: 7))
        depots.succeed(with: "North")
        #expect(second.value == "North")
    }

    @Test func `the query retains the other one, and is released with its last owner`() {
        var second: Query<Void, String>? = depot(of: Query(parcel(1), client: lab.client))
        parcels.succeed(with: Parcel(depotID: 7))
        #expect(depots.calls.count == 1)
        weak let gone = second
        second = nil
        #expect(gone == nil)
        #expect(lab.client.entries(matching: "parcels").first?.observerCount == 0)
    }
}
