import Foundation
import PigeonCore
import PigeonTesting
import Testing

/// Every callback uses the client in every way. A callback that is called under a lock would never return.
@Suite("Callbacks may use the client", .timeLimit(.minutes(1)))
struct ReentrancyTests {
    private let lab = QueryLab()
    private var client: QueryClient { lab.client }
    private let calls = Calls()

    private final class Calls: Sendable {
        private let count = Locked(0)
        /// Counts a call, and returns the number of calls so far.
        @discardableResult
        func add() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
        var value: Int { count.withLock { $0 } }
    }

    /// Reads, writes, subscribes, unsubscribes, invalidates, cancels and removes, at a separate key.
    private static func use(_ client: QueryClient) {
        let definition = QueryDefinition<Int>.value(QueryKey("used", "by callbacks").tagged("used"))
        _ = client.value(of: definition)
        try? client.set(1, for: definition)
        client.update(definition) { $0 += 1 }
        let observer = client.observe(definition)
        _ = observer.snapshot.value
        let subscriptions = [observer.onChange { _ in }, client.onEvent { _ in }]
        for subscription in subscriptions { subscription.cancel() }
        observer.cancel()
        client.invalidate(.tag("used"))
        client.cancel(.path("used"))
        client.reset(.path("used"))
        client.remove(.key("used", "by callbacks"))
        _ = client.entries(matching: .where { $0.isActive })
        _ = client.snapshot(of: definition)
        _ = client.count
    }

    /// Returns a callback that uses the client and counts its calls.
    private func poke() -> @Sendable () -> Void {
        let reference = WeakClient(client)
        return { [calls] in
            guard calls.add() < 1000, let client = reference.client else { return }
            Self.use(client)
        }
    }

    private final class WeakClient: @unchecked Sendable {  // set once; weak loads are atomic
        weak var client: QueryClient?
        init(_ client: QueryClient) { self.client = client }
    }

    private func expectCalls(_ location: SourceLocation = #_sourceLocation) {
        #expect((1..<1000).contains(calls.value), sourceLocation: location)
    }

    @Test("An observer's callback")
    func observer() throws {
        let poke = poke()
        let definition = QueryDefinition<Int>.value("a")
        let observer = client.observe(definition) { _ in poke() }
        let subscription = observer.onChange { _ in poke() }
        try client.set(1, for: definition)
        #expect(observer.value == 1)
        expectCalls()
        subscription.cancel()
    }

    @Test("An observer's callback that writes its own key is told of what it wrote, in order, and once")
    func ownKey() throws {
        let definition = QueryDefinition<Int>.value("a")
        let seen = Locked<[(Int, UInt64)]>([])
        let observer = client.observe(definition) { [client] snapshot in
            seen.withLock { $0.append((snapshot.value ?? -1, snapshot.version)) }
            if let value = snapshot.value, value < 5 { try? client.set(value + 1, for: definition) }
        }
        try client.set(1, for: definition)
        #expect(seen.withLock { $0.map(\.0) } == [1, 2, 3, 4, 5])
        #expect(seen.withLock { zip($0, $0.dropFirst()).allSatisfy { $0.1 < $1.1 } })
        #expect(observer.value == 5)
    }

    @Test("An observer's callback that ends its own subscription, or its observer, is not called again")
    func endsItself() throws {
        let definition = QueryDefinition<Int>.value("a")
        let subscription = Locked<QuerySubscription?>(nil)
        let observer = client.observe(definition)
        let made = observer.onChange { [calls] _ in
            calls.add()
            subscription.withLock { $0 }?.cancel()
        }
        subscription.withLock { $0 = made }
        let other = Locked<QueryObserver<Int>?>(nil)
        let ending = client.observe(definition) { [calls] _ in
            calls.add()
            other.withLock { $0 }?.cancel()
        }
        other.withLock { $0 = ending }
        for value in 1...3 { try client.set(value, for: definition) }
        #expect(calls.value == 2)
        #expect(observer.value == 3)
        #expect(client.entries().first?.observerCount == 1)
    }

    @Test("An event handler, whose own events come after the one it handles")
    func events() throws {
        let seen = Locked<[UInt64]>([])
        let subscription = client.onEvent { [client, calls] event in
            seen.withLock { $0.append(event.sequence) }
            calls.add()
            if event.key == "a" { Self.use(client) }
        }
        try client.set(1, for: "a")
        expectCalls()
        #expect(seen.withLock { $0.count == 5 && $0 == $0.sorted() })
        subscription.cancel()
    }

    @Test("A fetcher, before and after it suspends, and its values on the way")
    func fetcher() {
        let (poke, fetcher) = (poke(), lab.fetcher(returning: Int.self))
        let definition = QueryDefinition("a") { context in
            poke()
            context.yield(1)
            poke()
            defer { poke() }
            return try await fetcher.fetch(context)
        }
        let task = lab.start { [client] in try await client.fetch(definition) }
        fetcher.succeed(with: 2)
        #expect(task.value == 2)
        expectCalls()
    }

    @Test("A fetcher that removes, cancels, writes or clears its own key")
    func fetcherOfOwnKey() {
        for step in 0..<5 {
            let definition = QueryDefinition("own", step) { [lab] context -> Int in
                let client = lab.client
                switch step {
                case 0: client.remove(.key(context.key))
                case 1: client.cancel(.key(context.key))
                case 2: try client.set(7, for: .value(context.key), during: .keep)
                case 3: _ = lab.start { try await client.clear() }
                default: client.invalidate(.key(context.key))
                }
                return 1
            }
            let task = lab.start { [client] in try await client.fetch(definition) }
            #expect(task.result != nil, "step \(step)")
            switch step {
            case 0, 1, 3: #expect(task.error is CancellationError)
            case 2: #expect(task.value == 7)
            default: #expect(task.value == 1)
            }
        }
    }

    @Test("A page loader, and what says which page comes next")
    func pages() {
        let poke = poke()
        let list = QueryDefinition<Pages<Int, Int>>.pages("list", first: 1, maxPages: 2) { id, _ in
            poke()
            return id
        } next: { _, id in
            poke()
            return id + 1
        } previous: { _, id in
            poke()
            return id - 1
        }
        for _ in 0..<3 { _ = lab.start { [client] in try await client.fetchNextPage(of: list) } }
        #expect(client.value(of: list).map { Array($0) } == [2, 3])
        expectCalls()
    }

    @Test("An edit, a condition, a retry policy, a cost, an initial value, a placeholder and a freshness")
    func closures() throws {
        struct Busy: TransientErrorType { var statusCode: Int? { 503 } }
        let poke = poke()
        let lab = QueryLab(budget: 1000)
        let use: @Sendable () -> Void = { [calls] in
            guard calls.add() < 1000 else { return }
            Self.use(lab.client)
        }
        let fetcher = lab.fetcher(returning: Int.self)
        let policy = RetryPolicy(
            limit: 1,
            delay: { _ in
                use(); return .seconds(1)
            }, hasJitter: false
        ) { _ in
            use()
            return true
        }
        let initial: @Sendable () -> Int = {
            use(); return 0
        }
        let definition = QueryDefinition("a", fetch: fetcher.fetch).retry(policy)
            .cost { _ in
                use(); return 1
            }
            .initial(initial())
            .placeholder { _ in
                use(); return 0
            }
            .staleAfter { _ in
                use(); return .zero
            }
        let observer = lab.client.observe(definition)
        fetcher.fail(with: Busy())
        lab.advance(by: .seconds(1))
        fetcher.succeed(with: 3)
        #expect(observer.value == 3)
        let before = calls.value
        lab.client.update(definition) {
            use(); $0 += 1
        }
        lab.client.invalidate(
            .all.and(
                .where { _ in
                    use(); return true
                }))
        lab.client.reset(
            .where { _ in
                use(); return true
            })
        #expect(calls.value > before + 3)
        try client.set(1, for: "b")
        client.update(QueryDefinition<Int>.value("b")) {
            poke()
            $0 += 1
        }
        #expect(client.value(of: "b") == 2)
    }

    @Test("The defaults of a path")
    func defaults() throws {
        let poke = poke()
        client.setDefaults(for: "a") {
            poke()
            $0.staleAfter = .seconds(7)
        }
        try client.set(1, for: "a")
        let observer = client.observe(QueryDefinition<Int>.value("a"))
        observer.observe(.value(QueryKey("a", 2)))
        _ = client.snapshot(of: QueryDefinition<Int>.value("a"))
        expectCalls()
        lab.advance(by: .seconds(6))
        #expect(!client.snapshot(of: QueryDefinition<Int>.value("a")).isStale)
    }

    @Test("A mutation: its optimistic edits, its body, its writes, its invalidations")
    func mutation() throws {
        let poke = poke()
        try client.set(1, for: "a")
        let server = MutationServer(lab)
        var mutation = ScriptedMutation(server)
        mutation.edits = { edits in
            poke()
            edits.update(QueryDefinition<Int>.value("a")) {
                poke()
                $0 += 1
            }
        }
        mutation.writes = { _, writes in
            poke()
            writes.update(QueryDefinition<Int>.value("a")) {
                poke()
                $0 += 1
            }
        }
        mutation.stale = [
            .where { _ in
                poke()
                return true
            }
        ]
        let task = lab.start { [client, mutation] in try await client.mutate(mutation) { _ in poke() } }
        #expect(client.value(of: "a") == 2)
        server.succeed(with: "done")
        #expect(task.value == "done")
        #expect(client.value(of: "a") == 2)
        expectCalls()
    }

    @Test("A cache that is written at once, and a store of records")
    func caches() throws {
        let (plain, store) = (PlainCache(), RecordStoreDouble())
        let poke = poke()
        plain.onSave { poke() }
        plain.onGet { poke() }
        store.onApply { _ in poke() }
        store.onRead { _ in poke() }
        try client.set(1, for: .value("a").persisted(in: plain))
        try client.set(1, for: .value("b").persisted(in: store))
        client.invalidate(.all)
        let task = lab.start { [client] in
            await client.flush()
            try await client.clear()
        }
        #expect(task.value != nil)
        expectCalls()
    }

    @Test("A cache that reads the key it is read for finds it as it is")
    func cacheOfOwnKey() {
        let store = RecordStoreDouble()
        let definition = QueryDefinition<Int>.value("a").persisted(in: store)
        store.onRead { [client, calls] _ in
            calls.add()
            _ = client.observe(definition).snapshot
            try? client.set(7, for: definition)
        }
        #expect(client.observe(definition).value == 7)
        #expect(calls.value == 1)
    }

    @Test("A signal's listener, and one that sets the signal itself")
    func signals() {
        let poke = poke()
        let signal = lab.environment.connectivity
        let heard = Locked<[Bool]>([])
        let subscriptions = [
            signal.onChange { isOn in
                poke()
                if !isOn { signal.set(true) }
            },
            signal.onChange { isOn in heard.withLock { $0.append(isOn) } },
        ]
        signal.set(false)
        #expect(heard.withLock { $0 } == [false, true], "the last one last")
        #expect(signal.isOn)
        let fetcher = lab.fetcher(returning: Int.self)
        let observer = client.observe(QueryDefinition("a", fetch: fetcher.fetch))
        #expect(observer.snapshot.isFetching, "the client is online, as the signal is")
        expectCalls()
        for subscription in subscriptions { subscription.cancel() }
    }

    /// A value whose comparison and deinit use the client.
    private struct Curious: Equatable, Sendable {
        let number: Int
        let poke: @Sendable () -> Void
        let token: Token

        init(_ number: Int, _ poke: @escaping @Sendable () -> Void) {
            self.number = number
            self.poke = poke
            token = Token(poke)
        }

        static func == (one: Curious, other: Curious) -> Bool {
            one.poke()
            return one.number == other.number
        }
    }

    @Test("A value's comparison and its end, however it comes to it")
    func values() throws {
        let poke = poke()
        let definition = QueryDefinition<Curious>.value("a")
        let observer = client.observe(definition)
        for number in [1, 1, 2] { try client.set(Curious(number, poke), for: definition) }
        #expect(observer.value?.number == 2)
        client.update(definition) { $0 = Curious(3, poke) }
        let fetching = QueryDefinition("a") { _ in Curious(3, poke) }
        _ = lab.start { [client] in try await client.refetch(fetching) }
        client.reset(.all)
        try client.set(Curious(4, poke), for: definition)
        let clearing = lab.start { [client] in try await client.clear() }
        #expect(clearing.value != nil)
        observer.cancel()
        try client.set(Curious(5, poke), for: "b")
        client.dropUnobserved()
        expectCalls()
    }

    @Test("The end of a value or an error that an entry does not take")
    func dropped() {
        struct Refused: Error { let token: Token }
        let fetcher = lab.fetcher(returning: Curious.self, ignoringCancellation: true)
        let definition = QueryDefinition("a", fetch: fetcher.fetch)
        for number in 0..<3 {
            _ = lab.start { [client] in try await client.fetch(definition) }
            client.cancel(.all)
            let poke = poke()
            if number == 0 {
                fetcher.succeed(with: Curious(1, poke))
            } else {
                fetcher.fail(with: Refused(token: Token(poke)))
            }
            #expect(client.value(of: definition) == nil)
        }
        let kept = QueryDefinition("b") { [poke = poke()] _ in Curious(2, poke) }
        _ = client.observe(kept)
        client.remove(.all)
        expectCalls()
    }

    @Test("A value's end while it waits for its cache, its mutation or its delivery")
    func waitingValues() throws {
        let (poke, store, server) = (poke(), RecordStoreDouble(), MutationServer(lab))
        struct Stored: Codable, Sendable {
            var number = 0
            private enum CodingKeys: CodingKey { case number }
            var token: Token?
        }
        let definition = QueryDefinition<Stored>.value("a").persisted(in: store)
        for number in 0..<3 { try client.set(Stored(number: number, token: Token(poke)), for: definition) }
        var mutation = ScriptedMutation(server)
        mutation.edits = { $0.set(Stored(number: 9, token: Token(poke)), for: definition) }
        for _ in 0..<2 { _ = lab.mutate(mutation) }
        server.succeed()
        struct Refused: Error {}
        server.fail(with: Refused())
        let clearing = lab.start { [client] in try await client.clear() }
        #expect(clearing.value != nil)
        expectCalls()
    }

    @Test("A comparison that removes the entry it is for does not lose the write")
    func removedWhileCompared() throws {
        let definition = QueryDefinition<Curious>.value("a")
        let once = Locked(true)
        let poke: @Sendable () -> Void = { [client] in
            let isFirst = once.withLock { once in
                defer { once = false }
                return once
            }
            if isFirst { client.remove(.key("a")) }
        }
        try client.set(Curious(1, {}), for: definition)
        try client.set(Curious(2, poke), for: definition)
        #expect(client.value(of: definition)?.number == 2)
        #expect(client.entries().count == 1)
    }

    @Test("What a retry policy holds, when its options give way to others")
    func options() {
        let poke = poke()
        @Sendable func policy() -> RetryPolicy {
            let token = Token(poke)
            return RetryPolicy(limit: 1, shouldRetry: { _ in withExtendedLifetime(token) { false } })
        }
        let observer = client.observe(QueryDefinition("a") { _ in 1 }.retry(policy()))
        for _ in 0..<3 {
            _ = lab.start { [client] in try await client.fetch(QueryDefinition("a") { _ in 1 }.retry(policy())) }
            observer.observe(QueryDefinition("a") { _ in 1 }.retry(policy()))
        }
        client.setDefaults(for: "b") { [held = policy()] in $0.retry = held }
        client.setDefaults(for: "b") { _ in }
        observer.cancel()
        client.dropUnobserved()
        expectCalls()
    }
}
