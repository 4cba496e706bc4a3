import Foundation
import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Lists of queries")
struct QueriesObserverTests {
    let desk = Desk()
    let users: [QueryDefinition<String>]

    init() {
        users = [desk.query("users/1").staleAfter(.never), desk.query("users/2").staleAfter(.never)]
    }

    @Test("the snapshots are there at once, in the order of the definitions", .rule("A60"))
    func atOnce() {
        let observer = desk.client.observe(all: users)
        #expect(observer.snapshots.map(\.brief) == ["pending…", "pending…"])
        desk.fetcher.succeed(1, with: "Bea")
        #expect(observer.snapshots.map(\.brief) == ["pending…", "Bea"])
        #expect(observer.snapshots.map(\.key) == ["users/1", "users/2"])
    }

    @Test("each change is an element, and a transaction with several changes is one", .rule("A60"))
    func sequence() {
        let seen = Recorder<[String]>()
        let observer = desk.client.observe(all: users)
        let task = desk.lab.start { for await snapshots in observer { seen.append(snapshots.map(\.brief)) } }
        desk.fetcher.succeed(with: "Ann")
        desk.fetcher.succeed(with: "Bea")
        #expect(seen.all == [["pending…", "pending…"], ["Ann", "pending…"], ["Ann", "Bea"]])
        seen.clear()
        desk.client.invalidate(.all, refetch: .none)
        desk.lab.settle()
        #expect(seen.all == [["Ann (stale)", "Bea (stale)"]])
        task.cancel()
        #expect(task.result != nil)
    }

    @Test("a slow reader skips lists, but never the last one", .rule("A60"))
    func slowReader() async {
        let observer = desk.client.observe(all: users)
        var reader = observer.makeAsyncIterator()
        #expect(await reader.next()?.map(\.brief) == ["pending…", "pending…"])
        desk.fetcher.succeed(with: "Ann")
        desk.fetcher.succeed(with: "Bea")
        #expect(await reader.next()?.map(\.brief) == ["Ann", "Bea"])
    }

    @Test("all snapshots are from one moment, also while another thread changes the values", .rule("A60"))
    func oneMoment() throws {
        let client = QueryClient()
        let numbers = (1...16).map { QueryDefinition<Int>.value(QueryKey("numbers", $0)) }
        for number in numbers { try client.set(0, for: number) }
        let observer = client.observe(all: numbers)
        Thread.detachNewThread {
            for count in 1...10_000 { client.update(.path("numbers"), as: Int.self) { $0 = count } }
        }
        var values: [Int?] = []
        while values.first != 10_000 {
            values = observer.snapshots.map(\.value)
            #expect(values.first == values.last)
        }
    }

    @Test("a query whose key has another type is a failure beside the others", .rule("A60"))
    func mismatch() {
        desk.receive("Ann", for: users[0])
        let observer = desk.client.observe(all: [QueryDefinition<Int>.value("users/1"), .value("numbers/1")])
        #expect(observer.snapshots.first?.error is QueryError && observer.snapshots.last?.error == nil)
    }

    @Test("a list without queries is one empty element", .rule("A60"))
    func empty() async {
        var reader = desk.client.observe(all: [QueryDefinition<String>]()).makeAsyncIterator()
        #expect(await reader.next()?.isEmpty == true)
    }

    @Test("The observer detaches when its last owner releases it, which may be an iteration")
    func lifetime() {
        var observer: QueriesObserver<String>? = desk.client.observe(all: users)
        var reader = observer?.makeAsyncIterator()
        observer = nil
        #expect(desk.client.entries(matching: "users").map(\.observerCount) == [1, 1])
        withExtendedLifetime(reader) {}
        reader = nil
        #expect(desk.client.entries(matching: "users").map(\.observerCount) == [0, 0])
    }

    @Test("values are fetched at the same time, and returned in the order of the definitions", .rule("A61"))
    func fetch() {
        let (client, users) = (desk.client, users)
        let task = desk.lab.start { try await client.fetch(all: users) }
        #expect(desk.fetcher.pending.map(\.key) == ["users/1", "users/2"])
        desk.fetcher.succeed(1, with: "Bea")
        desk.fetcher.succeed(0, with: "Ann")
        #expect(task.value == ["Ann", "Bea"])
        let again = desk.lab.start { try await client.fetch(all: users, .cacheOnly) }
        #expect(again.value == ["Ann", "Bea"] && desk.fetcher.calls.count == 2)
    }

    @Test("values of several types are fetched at the same time", .rule("A61"))
    func fetchOfSeveralTypes() {
        let (client, users) = (desk.client, users)
        let ages = desk.lab.fetcher(returning: Int.self)
        let age = QueryDefinition<Int>("ages", 1) { try await ages.fetch($0) }.staleAfter(.never)
        let task = desk.lab.start { try await client.fetch(users[0], age, users[1]) }
        #expect(desk.fetcher.pending.map(\.key) == ["users/1", "users/2"] && ages.pendingCount == 1)
        desk.fetcher.succeed(1, with: "Bea")
        ages.succeed(with: 7)
        #expect(task.value == nil)
        desk.fetcher.succeed(0, with: "Ann")
        #expect(task.value.map { $0 == ("Ann", 7, "Bea") } == true)
        let again = desk.lab.start { try await client.fetch(users[1], age) }
        #expect(again.value.map { $0 == ("Bea", 7) } == true)
        #expect(desk.fetcher.calls.count == 2 && ages.calls.count == 1)
    }

    @Test("a call that fails at once ends the wait for those that began before", .rule("A61"))
    func failureAtOnce() {
        let (client, users) = (desk.client, users)
        let shy = users[0].whenAbandoned(.cancel)
        let missing = QueryDefinition<String>.value("nobody")
        let task = desk.lab.start { try await client.fetch(shy, missing) }
        #expect(task.error as? QueryError == .noFetcher(key: "nobody"))
        #expect(desk.fetcher.pendingCount == 0)
        #expect(desk.lab.log.contains("users/1 cancelled (abandoned)"))
    }

    @Test("the first failure is thrown without waiting for the other fetches, which continue", .rule("A61"))
    func failure() {
        let (client, users) = (desk.client, users)
        let task = desk.lab.start { try await client.fetch(all: users) }
        desk.fetcher.fail(1, with: Trouble.first)
        #expect(task.error as? Trouble == .first)
        #expect(desk.fetcher.pending.map(\.key) == ["users/1"])
        desk.fetcher.succeed(with: "Ann")
        #expect(client.value(of: users[0]) == "Ann")
    }
}
