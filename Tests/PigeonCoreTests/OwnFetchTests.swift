import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("A fetcher that awaits its own key")
struct OwnFetchTests {
    private let desk = Desk()
    private var client: QueryClient { desk.client }
    private let refused = QueryError.awaitsItself(key: "own")

    /// Creates a query whose fetcher performs an action, and answers with its outcome.
    private func query(
        _ action: @escaping @Sendable (QueryClient) async throws -> Void
    ) -> QueryDefinition<String> {
        QueryDefinition("own") { [client] _ in
            do {
                try await action(client)
                return "done"
            } catch {
                return "\((error as? QueryError).map(\.description) ?? "\(error)")"
            }
        }
    }

    private let same = QueryDefinition<String>("own") { _ in "another" }

    @Test("it is told that it would wait for itself, and the event stream too", .rule("E13"))
    func refuses() {
        let task = desk.fetch(query { [same] in _ = try await $0.fetch(same) })
        #expect(task.value == refused.description)
        #expect(
            desk.lab.log == ["own fetching (requested)", "own misuse: \(refused.description)", "own fresh"])
    }

    @Test("so is a refetch, which would begin again for ever", .rule("E13"))
    func refetch() throws {
        try client.set("Ann", for: same)
        let task = desk.refetch(query { [same] in _ = try await $0.refetch(same) })
        #expect(task.value == refused.description)
    }

    @Test("what waits for many keys does not wait for the fetch that it is part of", .rule("E13"))
    func many() {
        let observer = client.observe(
            query { client in
                await client.invalidate(.all)
                await client.refetch(.all)
            })
        #expect(observer.value == "done")
    }

    @Test("Other tasks of a fetcher may join its fetch, and it may await other keys")
    func others() {
        let (client, lab, same, user) = (desk.client, desk.lab, same, desk.user)
        let joined = Recorder<LabTask<String>>()
        let task = desk.fetch(
            query { _ in
                joined.append(lab.start { try await client.fetch(same) })
                _ = try await client.fetch(user)
            })
        desk.fetcher.succeed(with: "Ann")
        #expect(task.value == "done")
        #expect(joined.all.map(\.value) == ["done"])
    }

    @Test("A retry may be awaited by others, whatever ran the attempt before")
    func retry() {
        let policy = RetryPolicy(limit: 1, delay: { _ in .seconds(1) }, hasJitter: false) { _ in true }
        let tasks = [desk.fetch(desk.user.retry(policy))]
        desk.fetcher.fail(with: Trouble.first)
        let later = (0..<20).map { _ in desk.fetch(desk.user.retry(policy)) }
        desk.lab.advance(by: .seconds(1))
        desk.fetcher.succeed(with: "Ann")
        #expect((tasks + later).allSatisfy { $0.value == "Ann" })
    }

    @Test("a fetcher that awaits its own key in a child task is told, too", .rule("A47"))
    func child() {
        let task = desk.fetch(
            QueryDefinition("own") { [same] context in
                async let value = context.fetch(same)
                return try await value
            })
        #expect((task.error as? QueryError)?.description == refused.description)
    }

    @Test("so is one that awaits it in a list", .rule("A47"))
    func list() {
        let task = desk.fetch(
            QueryDefinition("own") { [same] context in try await context.fetch(all: [same]).joined() })
        #expect((task.error as? QueryError)?.description == refused.description)
    }

    @Test("queries that await each other in a circle all receive an error", .rule("A47"), arguments: 2...5)
    func circle(count: Int) {
        @Sendable func member(_ index: Int) -> QueryDefinition<String> {
            QueryDefinition("circle", index) { context in
                try await context.fetch(member((index + 1) % count), .networkOnly)
            }
        }
        let task = desk.fetch(member(0))
        #expect((task.error as? QueryError)?.description == QueryError.awaitsItself(key: "circle/0").description)
        #expect(desk.lab.log.contains { $0.hasPrefix("circle/0 misuse") })
        for index in 0..<count { #expect(!client.snapshot(of: member(index)).isFetching) }
    }

    @Test("two queries that share a third, and one that is asked for twice, are no circle", .rule("A47"))
    func diamond() {
        let bottom = desk.query("bottom")
        @Sendable func side(_ name: String) -> QueryDefinition<String> {
            QueryDefinition("sides", name) { try await $0.fetch(bottom) + name }
        }
        let top = QueryDefinition<String>("top") { context in
            async let left = context.fetch(side("left"))
            async let right = context.fetch(side("right"))
            async let again = context.fetch(side("left"))
            return try await "\(left) \(right) \(again)"
        }
        let tasks = [desk.fetch(top), desk.fetch(side("left")), desk.fetch(top)]
        #expect(desk.fetcher.pendingCount == 1)
        desk.fetcher.succeed(with: "at ")
        #expect(tasks.map(\.value) == ["at left at right at left", "at left", "at left at right at left"])
    }
}
