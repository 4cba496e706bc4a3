import Foundation
import Pigeon
import PigeonTesting
import Testing

@Suite("Article: why did it refetch?")
struct CausesTests {
    let api = Backend()
    let lab = QueryLab()

    func log(_ client: QueryClient) async {
        for await event in client.events { print(event) }
    }

    @Test func `events tell the story`() {
        let (api, client) = (api, lab.client)
        let user = QueryDefinition("users", 42) { _ in try await api.user(42) }
        let screen = client.observe(user)
        lab.settle()
        client.invalidate(.path("users"))
        lab.settle()
        lab.setActive(false)
        lab.advance(by: .seconds(10))
        lab.setActive(true)
        #expect(
            lab.log == [
                "users/42 fetching (observed)",
                "users/42 fresh",
                "users/42 invalidated (requested)",
                "users/42 fetching (invalidated by requested)",
                "users/42 fresh",
                "users/42 fetching (foreground)",
                "users/42 fresh",
            ])
        #expect(screen.snapshot.cause == nil)
    }

    struct RenameUser: Mutating {
        var api: Backend
        func run(_ context: MutationContext) async throws -> User { try await api.rename(42, to: "Zoe") }
        func invalidates(_ user: User) -> [KeyFilter] { [.path("users")] }
    }

    @Test func `a mutation's name is in the cause`() {
        let (api, client) = (api, lab.client)
        let screen = client.observe(QueryDefinition("users", 42) { _ in try await api.user(42) })
        lab.settle()
        lab.clearLog()
        _ = lab.start { try await client.mutate(RenameUser(api: api)) }
        #expect(
            lab.log == [
                "mutation RenameUser started",
                "mutation RenameUser succeeded",
                "users/42 invalidated (mutation RenameUser)",
                "users/42 fetching (invalidated by mutation RenameUser)",
                "users/42 fresh",
            ])
        withExtendedLifetime(screen) {}
    }

    private final class Counter: Sendable {
        private let counts = Locked<[String: Int]>([:])
        func count(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }
        var all: [String: Int] { counts.withLock { $0 } }
    }

    @Test func `fetches are counted by cause`() {
        let (api, client, metrics) = (api, lab.client, Counter())
        let subscription = client.onEvent { event in
            if case .fetching = event.kind { metrics.count("\(event.cause.origin)") }
        }
        let user = QueryDefinition<User>("users", 42) { context in
            if context.cause == .poll { print("only a poll") }
            return try await api.user(42)
        }
        let screen = client.observe(user.poll(every: .seconds(10)))
        lab.settle()
        lab.advance(by: .seconds(20))
        #expect(metrics.all == ["observed": 1, "poll": 2])
        withExtendedLifetime((subscription, screen)) {}
    }

    @Test func `each cause can be turned off`() {
        let (api, client) = (api, lab.client)
        let calm = QueryDefinition("users", 42) { _ in try await api.user(42) }
            .staleAfter(.seconds(60))
            .refetchOnForeground(.never)
            .refetchOnReconnect(.never)
            .refetchOnAttach(.never)
        let screen = client.observe(calm)
        lab.settle()
        lab.advance(by: .seconds(100))
        lab.setActive(false)
        lab.advance(by: .seconds(10))
        lab.setActive(true)
        lab.setOnline(false)
        lab.setOnline(true)
        let other = client.observe(calm)
        lab.settle()
        #expect(api.calls.count == 1)
        withExtendedLifetime((screen, other)) {}
    }

    @Test func `the present fetch says why it runs`() {
        let fetcher = lab.fetcher(returning: User.self)
        let screen = lab.client.observe(QueryDefinition("users", 42, fetch: fetcher.fetch))
        if let cause = screen.snapshot.cause { print("fetching because: \(cause)") }
        #expect(screen.snapshot.cause == .observed)
        for entry in lab.client.entries(matching: .path("users")) {
            print(entry.key, entry.isActive, entry.isStale, entry.activity)
        }
    }
}
