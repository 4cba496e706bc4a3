import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Validators stay with the value they came with")
struct ValidatorTests {
    /// Answers at once with the answers of a script, and records the tags of the requests.
    private final class Server: Sendable {
        private let state = Locked<(answers: [(value: String?, tag: String?)], asked: [String?])>(([], []))

        init(_ answers: (value: String?, tag: String?)...) {
            state.withLock { $0.answers = answers.reversed() }
        }

        var asked: [String?] { state.withLock { $0.asked } }

        var user: QueryDefinition<String> {
            QueryDefinition("users", 1) { [self] context in
                let answer = state.withLock { state in
                    state.asked.append(context.validators.eTag)
                    return state.answers.popLast()
                }
                guard let value = answer?.value else { return try context.notModified() }
                context.validators.eTag = answer?.tag
                return value
            }
        }
    }

    @Test func `a program asks with them after a restart too`() async {
        let server = Server(("Ann", "1"), (nil, nil))
        let store = RecordStoreDouble()
        let first = QueryLab(seed: 1, cache: store)
        let watching = first.client.observe(server.user.persisted())
        first.advance(by: .seconds(1))
        let second = QueryLab(seed: 2, cache: store)
        let watchingAgain = second.client.observe(server.user.persisted())
        #expect(server.asked == [nil, "1"])
        #expect(watchingAgain.value == "Ann")
        #expect(second.log.last == "users/1 not modified")
        withExtendedLifetime(watching) {}
    }

    @Test func `who is told of a value can have it asked for again with its tag at once`() {
        let server = Server(("Ann", "1"), (nil, nil))
        let lab = QueryLab(seed: 1)
        let hasInvalidated = Locked(false)
        let observer = lab.client.observe(server.user.enabled(false)) { [client = lab.client] snapshot in
            let isFirst =
                snapshot.value != nil
                && hasInvalidated.withLock { was in
                    defer { was = true }
                    return !was
                }
            if isFirst { client.invalidate(.key("users", 1)) }
        }
        observer.setEnabled(true)
        lab.settle()
        #expect(server.asked == [nil, "1"])
    }

    @Test func `an answer without a tag takes the old one away`() async throws {
        let server = Server(("Ann", "1"), ("Bea", nil), ("Cid", nil))
        let client = QueryClient()
        for _ in 1...3 { _ = try await client.refetch(server.user) }
        #expect(server.asked == [nil, "1", nil])
    }

    @Test func `what the program wrote is not asked for with the tag of what the server gave`() async throws {
        let server = Server(("Ann", "1"), ("Ann", "1"))
        let client = QueryClient()
        _ = try await client.fetch(server.user)
        client.update(server.user) { $0 = "Zoe" }
        #expect(try await client.refetch(server.user) == "Ann")
        #expect(server.asked == [nil, nil])
    }

    @Test func `"not modified" after a write during the fetch is the server's value`() throws {
        let lab = QueryLab(seed: 1)
        let fetcher = lab.fetcher(returning: String.self)
        let user = QueryDefinition("users", 1, fetch: fetcher.fetch)
        let observer = lab.client.observe(user)
        fetcher.succeed(with: "Ann")
        let refetch = lab.start { try await lab.client.refetch(user) }
        lab.client.update(user, during: .fetchWins) { $0 = "Zoe" }
        #expect(observer.value == "Zoe")
        fetcher.notModified()
        #expect(refetch.value == "Ann")
        #expect(observer.value == "Ann")
    }

    @Test func `"not modified" after a write that is to be kept leaves what was written`() throws {
        let lab = QueryLab(seed: 1)
        let fetcher = lab.fetcher(returning: String.self)
        let user = QueryDefinition("users", 1, fetch: fetcher.fetch)
        let observer = lab.client.observe(user)
        fetcher.succeed(with: "Ann")
        _ = lab.start { try await lab.client.refetch(user) }
        lab.client.update(user, during: .keep) { $0 = "Zoe" }
        fetcher.notModified()
        #expect(observer.value == "Zoe")
    }

    @Test(.rule("A50")) func `a page is asked for with its own tag, and not with that of the page before it`()
        async throws
    {
        let asked = Locked<[String?]>([])
        let list = QueryDefinition.pages("list", first: 1) { (page: Int, context: PageContext<[Int]>) in
            asked.withLock { $0.append(context.validators.eTag) }
            context.validators.eTag = "tag of \(page)"
            return [page]
        } next: { _, page in
            page < 2 ? page + 1 : nil
        }
        let client = QueryClient()
        try await client.fetchNextPage(of: list)
        try await client.fetchNextPage(of: list)
        asked.withLock { $0 = [] }
        #expect(try await client.refetch(list).count == 2)
        #expect(asked.withLock { $0 } == ["tag of 1", "tag of 2"])
    }
}
