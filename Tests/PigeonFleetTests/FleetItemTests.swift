import PigeonBase
import PigeonCore
import PigeonFleet
import PigeonTesting
import TestSupport
import Testing

@Suite("Items in a fleet")
struct FleetItemTests {
    struct User: Identifiable, Codable, Equatable, Sendable {
        let id: Int
        var name: String
    }

    private let lab = QueryLab()
    private let store: InMemoryFleetStore
    private let lists: ScriptedFetcher<[User]>
    private let details: ScriptedFetcher<User>

    init() {
        store = InMemoryFleetStore(clock: lab.clock)
        (lists, details) = (lab.fetcher(returning: [User].self), lab.fetcher(returning: User.self))
    }

    private func member() -> QueryClient {
        let client = QueryClient(
            fleet: Fleet.Setup(store: store, staleBound: .seconds(10)), environment: lab.environment)
        lab.settle()
        return client
    }

    private var list: QueryDefinition<[User]> {
        QueryDefinition("users", fetch: lists.fetch).contains(each: User.self).staleAfter(.seconds(60)).shared()
    }

    private var detail: QueryDefinition<User> {
        QueryDefinition("users", 1, fetch: details.fetch).contains(\.self).staleAfter(.seconds(60)).shared()
    }

    private func names(_ client: QueryClient) -> [String?] {
        [client.value(of: list)?.first?.name, client.value(of: detail)?.name]
    }

    @Test("an edit by item in one member reaches the entries of the others", .rule("A99"), .rule("A72"))
    func edit() {
        let (one, other) = (member(), member())
        let observers = [one, other].map { ($0.observe(list), $0.observe(detail)) }
        lists.succeed(with: [User(id: 1, name: "Ann")])
        details.succeed(with: User(id: 1, name: "Ann"))
        lab.advance(by: .milliseconds(200))
        #expect(names(one) == ["Ann", "Ann"] && names(other) == ["Ann", "Ann"])
        one.update(User.self, 1) { $0.name = "Bea" }
        lab.advance(by: .milliseconds(200))
        #expect(names(one) == ["Bea", "Bea"] && names(other) == ["Bea", "Bea"])
        withExtendedLifetime(observers) {}
    }

    @Test("a value that another member has fetched is as old as it was there", .rule("A100"), .rule("A72"))
    func age() {
        let (one, other) = (member(), member())
        let first = lab.start { [list] in try await one.fetch(list) }
        lists.succeed(with: [User(id: 1, name: "Ann")])
        #expect(first.value?.first?.name == "Ann")
        lab.advance(by: .seconds(20))
        let shown = lab.start { [detail] in try await other.fetch(detail) }
        details.succeed(with: User(id: 1, name: "Bea"))
        #expect(shown.value?.name == "Bea")
        // The list is twenty seconds older than the detail.
        let taken = lab.start { [list] in try await other.fetch(list) }
        lab.settle()
        #expect(taken.value?.first?.name == "Bea" && lists.calls.count == 1)
        #expect(names(other) == ["Bea", "Bea"])
    }
}
