import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("what a client is doing", .rule("A65"))
struct ActivityTests {
    let desk = Desk()

    private func counts(_ filter: KeyFilter = .all) -> [Int] {
        let activity = desk.client.activity(of: filter)
        return [activity.fetchCount, activity.mutationCount]
    }

    /// The activity that is counted on request and the one that is observed are found in two ways.
    @Test("fetches that run are counted, of the entries of a filter", .rule("A65"), arguments: [false, true])
    func fetches(_ isObserved: Bool) {
        let subscription = isObserved ? desk.client.onActivity {} : nil
        let observers = [
            desk.client.observe(desk.query("users/1").tagged("people")), desk.client.observe(desk.query("users/2")),
            desk.client.observe(desk.query("posts")),
        ]
        #expect(counts() == [3, 0])
        #expect(counts("users") == [2, 0] && counts(.key("users/1")) == [1, 0] && counts(.tag("people")) == [1, 0])
        #expect(counts(.all.and(.where { $0.key != "posts" })) == [2, 0])
        #expect(desk.client.isFetching("users") && !desk.client.isFetching("teams"))
        desk.fetcher.succeed(with: "Ann")
        #expect(counts("users") == [1, 0] && counts(.tag("people")) == [0, 0])
        desk.fetcher.fail(with: Trouble.first)
        desk.client.cancel("posts")
        #expect(counts() == [0, 0])
        withExtendedLifetime((observers, subscription)) {}
    }

    @Test(
        "a fetch that waits for the network does not count, and one that waits for a retry does", .rule("A65"),
        arguments: [false, true])
    func waiting(_ isObserved: Bool) {
        let subscription = isObserved ? desk.client.onActivity {} : nil
        desk.lab.setOnline(false)
        let observer = desk.client.observe(desk.user.retry(RetryPolicy(limit: 1, hasJitter: false)))
        #expect(counts() == [0, 0])
        desk.lab.setOnline(true)
        #expect(counts() == [1, 0])
        desk.fetcher.fail(with: Status(503))
        #expect(counts() == [1, 0])
        desk.client.remove(.all)
        #expect(counts() == [0, 0])
        withExtendedLifetime((observer, subscription)) {}
    }

    @Test("an entry that is removed while it is fetched is no longer counted", .rule("A65"))
    func removed() {
        let seen = Recorder<Int>()
        let task = watch(seen)
        let caller = desk.fetch(desk.user)
        desk.client.remove(.all)
        desk.lab.settle()
        #expect(counts() == [0, 0] && seen.all == [0, 1, 0])
        #expect(caller.error is CancellationError)
        task.cancel()
    }

    @Test("a page load counts as a fetch of its list", .rule("A65"))
    func pages() {
        let pages = desk.lab.fetcher(returning: [Int].self)
        let list = QueryDefinition.pages("list", first: 0) { _, _ in
            try await pages.call()
        } next: { _, page in
            page + 1
        }
        let observer = desk.client.observe(list)
        pages.succeed(with: [1])
        #expect(counts() == [0, 0])
        let task = desk.lab.start { [client = desk.client] in try await client.fetchNextPage(of: list) }
        #expect(counts() == [1, 0])
        pages.succeed(with: [2])
        #expect(counts() == [0, 0] && task.value?.count == 2)
        withExtendedLifetime(observer) {}
    }

    @Test("a mutation counts from its begin to its end, also while it waits, and after a sign-out", .rule("A65"))
    func mutations() async throws {
        let server = MutationServer(desk.lab)
        var mutation = ScriptedMutation(server)
        mutation.scope = "names"
        let tasks = (1...3).map { _ in desk.lab.mutate(mutation) }
        #expect(counts() == [0, 3] && desk.client.activity().isMutating)
        server.succeed(with: "Ann")
        #expect(counts() == [0, 2])
        server.fail(with: Trouble.first)
        #expect(counts() == [0, 1])
        tasks[2].cancel()
        desk.lab.settle()
        #expect(counts() == [0, 0])
        _ = desk.lab.mutate(mutation)
        #expect(counts() == [0, 1])
        _ = desk.lab.start { [client = desk.client] in try await client.clear() }
        desk.lab.settle()
        #expect(counts() == [0, 0])
    }

    private func watch(_ seen: Recorder<Int>, _ filter: KeyFilter = .all) -> LabTask<Void> {
        desk.lab.start { [client = desk.client] in
            for await activity in client.activities(of: filter) {
                seen.append(activity.fetchCount + 10 * activity.mutationCount)
            }
        }
    }

    @Test("an iteration begins with the current activity, and receives each one that differs", .rule("A65"))
    func iteration() {
        let (all, users) = (Recorder<Int>(), Recorder<Int>())
        let observer = desk.client.observe(desk.query("posts"))
        let tasks = [watch(all), watch(users, "users")]
        let other = desk.client.observe(desk.query("users/1"))
        desk.lab.settle()
        desk.fetcher.succeed(with: "post")
        desk.fetcher.succeed(with: "Ann")
        desk.client.update(desk.query("posts")) { $0 = "written" }
        desk.lab.settle()
        #expect(all.all == [1, 2, 1, 0] && users.all == [0, 1, 0])
        for task in tasks { task.cancel() }
        withExtendedLifetime((observer, other)) {}
    }

    @Test("an iteration receives the begin and the end of each mutation", .rule("A65"))
    func mutationIteration() {
        let (seen, server) = (Recorder<Int>(), MutationServer(desk.lab))
        let task = watch(seen, "users")
        let mutations = (1...2).map { _ in
            desk.lab.start { [client = desk.client] in try await client.mutate(ScriptedMutation(server)) }
        }
        #expect(seen.all == [0, 10, 20])
        server.succeed()
        server.fail(with: Trouble.first)
        #expect(seen.all == [0, 10, 20, 10, 0])
        #expect(mutations.allSatisfy { $0.result != nil })
        task.cancel()
    }

    @Test("the last activity reaches every reader, also while other threads fetch", .rule("A65"))
    func lastOne() async throws {
        let client = QueryClient()
        var reader = client.activities().makeAsyncIterator()
        await withTaskGroup(of: Void.self) { group in
            for number in 1...50 {
                group.addTask {
                    _ = try? await client.fetch(
                        QueryDefinition<Int>("numbers", number) { _ in
                            await Task.yield()
                            return number
                        })
                }
            }
        }
        var last = await reader.next()
        while last?.fetchCount != 0 { last = await reader.next() }
        #expect(last == client.activity())
    }
}
