import PigeonCore
import TestSupport
import Testing

@Suite("Task-locals")
struct TaskLocalTests {
    private enum Caller {
        @TaskLocal static var name: String?
    }

    private func client(_ launch: QueryEnvironment.Launch? = nil) -> QueryClient {
        QueryClient(environment: QueryEnvironment(launch: launch))
    }

    private let name = QueryDefinition<String>("name") { _ in Caller.name ?? "none" }

    @Test("a fetch has none of the caller who starts it, because others share its value", .rule("A80"))
    func fetches() async throws {
        let client = client()
        let value = try await Caller.$name.withValue("Ann") { try await client.fetch(name) }
        #expect(value == "none")
        let pages = QueryDefinition<Pages<[String], Int>>.pages("names", first: 1) { _, _ in
            [Caller.name ?? "none"]
        } next: { _, page in
            page + 1
        }
        let list = try await Caller.$name.withValue("Ann") {
            _ = try await client.fetch(pages)
            return try await client.fetchNextPage(of: pages)
        }
        #expect(Array(list.items) == ["none", "none"])
    }

    @Test("a fetch has them if the program asks for that", .rule("A80"))
    func asked() async throws {
        let client = client(QueryEnvironment.launchImmediately)
        #expect(try await Caller.$name.withValue("Ann") { try await client.fetch(name) } == "Ann")
    }

    @Test("a mutation has one caller, and keeps them", .rule("A80"))
    func mutations() async throws {
        let client = client()
        let value = try await Caller.$name.withValue("Ann") {
            try await client.mutate("save") { _ in Caller.name }
        }
        #expect(value == "Ann")
    }

    @Test("a fetch keeps the priority of the caller who starts it", .rule("A80"))
    func priority() async throws {
        let client = client()
        let query = QueryDefinition<TaskPriority>("priority") { _ in Task.currentPriority }
        let task = Task.detached(priority: .low) { try await client.fetch(query) }
        // Waiting for the task would raise its priority.
        let value = Watched<TaskPriority?>(nil)
        Task.detached(priority: .low) { [value] in
            let priority = try? await client.fetch(query.staleAfter(.never))
            value.update { $0 = priority }
        }
        await value.wait { $0 != nil }
        #expect(value.update { $0 } == .low)
        _ = try await task.value
    }

    @Test("a fetch finds the shared client of the test in which it runs", .rule("A80"), OwnSharedState())
    func sharedClient() async throws {
        let shared = QueryClient.shared
        let query = QueryDefinition<Bool>("own") { _ in QueryClient.shared === shared }
        #expect(try await shared.fetch(query))
    }
}
