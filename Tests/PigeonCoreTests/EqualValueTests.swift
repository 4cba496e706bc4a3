import PigeonCore
import PigeonTesting
import TestSupport
import Testing

@Suite("Values that compare equal")
struct EqualValueTests {
    final class Counter: Sendable {
        private let count = Locked(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    /// A value that counts its comparisons.
    struct Counted: Equatable, Sendable {
        let text: String
        let count: Counter

        static func == (one: Counted, other: Counted) -> Bool {
            one.count.add()
            return one.text == other.text
        }
    }

    let lab = QueryLab()

    @Test("an equal value changes only the time; the old instance stays", .rule("A3", "T59"))
    func keepsInstance() {
        final class Instance: Equatable, Sendable {
            static func == (one: Instance, other: Instance) -> Bool { true }
        }
        let fetcher = lab.fetcher(returning: Instance.self)
        let user = QueryDefinition("users", fetch: fetcher.fetch)
        let observer = lab.client.observe(user)
        let first = Instance()
        fetcher.succeed(with: first)
        let before = observer.snapshot
        lab.advance(by: .seconds(10))
        let task = lab.start { [client = lab.client] in try await client.refetch(user) }
        fetcher.succeed(with: Instance())
        #expect(task.value === first)
        #expect(observer.value === first)
        #expect(observer.snapshot.valueVersion == before.valueVersion)
        #expect(observer.snapshot.version > before.version)
        #expect(observer.snapshot.age == .zero)
    }

    @Test("a value is compared once per write, whatever the number of observers", .rule("A3"))
    func comparesOnce() {
        let counter = Counter()
        let fetcher = lab.fetcher(returning: Counted.self)
        let user = QueryDefinition("users", fetch: fetcher.fetch)
        let observers = (0..<20).map { _ in lab.client.observe(user) { _ in } }
        fetcher.succeed(with: Counted(text: "Ann", count: counter))
        #expect(counter.value == 0, "there was nothing to compare with")
        let task = lab.start { [client = lab.client] in try await client.refetch(user) }
        fetcher.succeed(with: Counted(text: "Ann", count: counter))
        #expect(task.value?.text == "Ann")
        #expect(counter.value == 1)
        #expect(observers.allSatisfy { $0.value?.text == "Ann" })
    }

    @Test("values that cannot be compared always count as changed", .rule("A3"))
    func notEquatable() {
        struct Opaque: Sendable { let text: String }
        let fetcher = lab.fetcher(returning: Opaque.self)
        let user = QueryDefinition("users", fetch: fetcher.fetch)
        let observer = lab.client.observe(user)
        fetcher.succeed(with: Opaque(text: "Ann"))
        let before = observer.snapshot.valueVersion
        let task = lab.start { [client = lab.client] in try await client.refetch(user) }
        fetcher.succeed(with: Opaque(text: "Ann"))
        #expect(task.value?.text == "Ann")
        #expect(observer.snapshot.valueVersion > before)
    }

    @Test("comparing runs outside the lock: it may use the client", .rule("A3"))
    func comparesOutsideLock() {
        struct Curious: Equatable, Sendable {
            let client: QueryClient
            static func == (one: Curious, other: Curious) -> Bool { one.client.count == other.client.count }
        }
        let user = QueryDefinition<Curious>.value("users")
        for _ in 0..<2 { #expect(throws: Never.self) { try lab.client.set(Curious(client: lab.client), for: user) } }
        #expect(lab.client.count == 1)
    }

    @Test("The sequence of values skips equal ones")
    func valuesSequence() {
        let desk = Desk()
        let observer = desk.client.observe(desk.user)
        desk.fetcher.succeed(with: "Ann")
        let seen = Recorder<String>()
        let task = desk.lab.start { for await value in observer.values { seen.append(value) } }
        for value in ["Ann", "Bea"] { desk.receive(value, for: desk.user) }
        #expect(seen.all == ["Ann", "Bea"])
        task.cancel()
    }
}
