import Foundation
import PigeonCore
import PigeonTesting
import Testing

/// A value that calls a closure when it is released.
final class Token: Sendable {
    private let onDeinit: @Sendable () -> Void
    init(_ onDeinit: @escaping @Sendable () -> Void = {}) { self.onDeinit = onDeinit }
    deinit { onDeinit() }
}

/// Returns true if the object that a closure creates is released after it.
private func isFreed<Object: AnyObject>(_ make: () throws -> Object) rethrows -> Bool {
    weak var object: Object?
    try { object = try make() }()
    return object == nil
}

@Suite("Freed when let go")
struct LifetimeTests {
    private let lab = QueryLab()

    private func client(cache: (any QueryCacheType)? = nil) -> QueryClient {
        QueryClient(cache: cache, environment: lab.environment)
    }

    @Test("A client is freed, its fetches are cancelled, and no alarm is left")
    func clientWithFetches() throws {
        let fetcher = lab.fetcher(returning: Int.self)
        let server = PageServer(lab)
        let isClientFreed = isFreed {
            let client = client()
            let definition = QueryDefinition("users", fetch: fetcher.fetch).staleAfter(.seconds(5))
            let observers = [client.observe(definition), client.observe(definition.poll(every: .seconds(1)))]
            let list = client.observe(server.list())
            fetcher.succeed(with: 1)
            server.answer("a")
            lab.advance(by: .seconds(1))
            client.startPage(.next, of: server.list())
            #expect(fetcher.pendingCount == 1 && server.pendingCount == 1)
            #expect(lab.clock.alarmCount > 0)
            for observer in observers { observer.cancel() }
            list.cancel()
            return client
        }
        #expect(isClientFreed)
        lab.settle()
        #expect(fetcher.pendingCount == 0 && server.pendingCount == 0)
        #expect(lab.clock.alarmCount == 0)
    }

    @Test("A client that is let go frees its values, also those of fetches and page loads under way")
    func values() throws {
        let count = Locked(0)
        let token: @Sendable () -> Token = {
            count.withLock { $0 += 1 }
            return Token { count.withLock { $0 -= 1 } }
        }
        let ignoring = lab.fetcher(returning: Token.self, ignoringCancellation: true)
        do {
            let client = client()
            let definition = QueryDefinition("a", fetch: ignoring.fetch)
            let observer = client.observe(definition)
            ignoring.succeed(with: token())
            let list = QueryDefinition<Pages<Token, Int>>.pages("list", first: 1) { _, _ in
                token()
            } next: {
                $1 + 1
            }
            _ = lab.start { try await client.fetchNextPage(of: list) }
            _ = lab.start { try await client.fetchNextPage(of: list) }
            observer.observe(definition, fetching: AttachedFetch(.requested, mode: .restart))
            #expect(count.withLock { $0 } == 3)
            observer.cancel()
        }
        lab.settle()
        #expect(count.withLock { $0 } == 1, "the fetcher that goes on holds the value that it began with")
        ignoring.succeed(with: token())
        #expect(count.withLock { $0 } == 0, "a late answer goes nowhere")
    }

    @Test("An entry that is removed or replaced is freed with its values, though nobody observes it any more")
    func entries() throws {
        let client = client()
        let count = Locked(0)
        let token: @Sendable () -> Token = {
            count.withLock { $0 += 1 }
            return Token { count.withLock { $0 -= 1 } }
        }
        let list = QueryDefinition<Pages<Token, Int>>.pages("list", first: 1) { _, _ in
            token()
        } next: {
            $1 + 1
        }
        for _ in 0..<3 { _ = lab.start { try await client.fetchNextPage(of: list) } }
        #expect(count.withLock { $0 } == 3)
        client.remove(.all)
        #expect(count.withLock { $0 } == 0)
        try client.set(token(), for: "a")
        do {
            let observer = client.observe(QueryDefinition<Token>.value("a"))
            #expect(observer.snapshot.value != nil)
        }
        try client.set(token(), for: "a")
        #expect(count.withLock { $0 } == 1, "the last entry state does not retain the old one")
        client.dropUnobserved()
        #expect(count.withLock { $0 } == 0)
    }

    @Test("Alarms that a callback brings forward are called off with the client")
    func alarms() throws {
        let isClientFreed = try isFreed {
            let client = client()
            let definition = QueryDefinition<Int>.value("a").staleAfter(.seconds(50))
            let observers = Locked<[QueryObserver<Int>]>([])
            let observer = client.observe(definition) { [weak client] _ in
                guard let client else { return }
                let other = client.observe(QueryDefinition<Int>.value("b").staleAfter(.seconds(5)))
                observers.withLock { $0.append(other) }
                try? client.set(1, for: "b")
            }
            try client.set(1, for: definition)
            observer.cancel()
            observers.withLock { $0 = [] }
            return client
        }
        #expect(isClientFreed)
        #expect(lab.clock.alarmCount == 0)
    }

    @Test("A client with a cache, subscriptions and defaults is freed, and so is the cache")
    func clientWithCache() throws {
        weak var cache: InMemoryQueryCache?
        let isClientFreed = try isFreed {
            let made = InMemoryQueryCache()
            cache = made
            let client = client(cache: made)
            client.setDefaults(for: "a") { [client = Weak(client)] in
                $0.staleAfter = client.object == nil ? .zero : .never
            }
            try client.set(1, for: QueryDefinition<Int>.value("a").persisted())
            let subscription = client.onEvent { _ in }
            let events = client.events
            let request = client.onInvalidation(of: "a") { _ in }
            withExtendedLifetime((subscription, events, request)) {}
            return client
        }
        #expect(isClientFreed)
        #expect(cache == nil)
    }

    private final class Weak<Object: AnyObject & Sendable>: @unchecked Sendable {  // set once; weak loads are atomic
        weak var object: Object?
        init(_ object: Object) { self.object = object }
    }

    @Test("An observer is freed when let go, and detaches; while held, it keeps its client")
    func observer() {
        weak var client: QueryClient?
        do {
            let observer: QueryObserver<Int>
            do {
                let made = self.client()
                client = made
                observer = made.observe(QueryDefinition<Int>.value("a"))
            }
            #expect(client?.entries().first?.observerCount == 1)
            weak var second: QueryObserver<Int>?
            do {
                let made = client?.observe(QueryDefinition<Int>.value("a"))
                second = made
                #expect(client?.entries().first?.observerCount == 2)
            }
            #expect(second == nil)
            #expect(client?.entries().first?.observerCount == 1)
            withExtendedLifetime(observer) {}
        }
        #expect(client == nil)
    }

    @Test("A listener and what it holds are freed when its subscription or observer is")
    func listeners() {
        let client = client()
        let observer = client.observe(QueryDefinition<Int>.value("a"))
        let isFirstFreed = isFreed {
            let token = Token()
            let subscription = observer.onChange { _ in withExtendedLifetime(token) {} }
            withExtendedLifetime(subscription) {}
            return token
        }
        #expect(isFirstFreed)
        let isSecondFreed = isFreed {
            let token = Token()
            let other = client.observe(QueryDefinition<Int>.value("a")) { _ in withExtendedLifetime(token) {} }
            withExtendedLifetime(other) {}
            return token
        }
        #expect(isSecondFreed)
        let isThirdFreed = isFreed {
            let token = Token()
            client.onEvent { _ in withExtendedLifetime(token) {} }.cancel()
            return token
        }
        #expect(isThirdFreed)
    }

    @Test("An iteration keeps its observer while it goes on, and frees it at its end")
    func iterators() {
        let client = client()
        let definition = QueryDefinition<Int>.value("a")
        let task = lab.start {
            for await snapshot in client.observe(definition) where snapshot.value == 2 { return true }
            return false
        }
        #expect(client.entries().first?.observerCount == 1)
        try? client.set(1, for: definition)
        lab.settle()
        #expect(client.entries().first?.observerCount == 1)
        try? client.set(2, for: definition)
        lab.settle()
        #expect(task.value == true)
        #expect(client.entries().first?.observerCount == 0)
        let cancelled = lab.start { for await _ in client.observe(definition) {} }
        #expect(client.entries().first?.observerCount == 1)
        cancelled.cancel()
        #expect(cancelled.result != nil)
        #expect(client.entries().first?.observerCount == 0)
    }

    @Test("The event stream ends with its client, and its subscription with the stream")
    func eventStream() {
        let seen = Locked<[String]>([])
        var client: QueryClient? = self.client()
        let reading = lab.start { [events = client?.events] in
            guard let events else { return }
            for await event in events { seen.withLock { $0.append(event.description) } }
        }
        try? client?.set(1, for: "a")
        lab.settle()
        #expect(reading.result == nil)
        client = nil
        lab.settle()
        #expect(reading.result != nil)
        #expect(seen.withLock { $0 } == ["a written"])
    }

    @Test("A signal, its listeners and a subscription are freed")
    func signals() {
        let isSignalFreed = isFreed {
            let signal = EnvironmentSignal(true)
            let subscription = signal.onChange { _ in }
            withExtendedLifetime(subscription) {}
            return signal
        }
        #expect(isSignalFreed)
        let signal = EnvironmentSignal(true)
        let count = Locked(0)
        let isListenerFreed = isFreed {
            let token = Token()
            let subscription = signal.onChange { _ in withExtendedLifetime(token) { count.withLock { $0 += 1 } } }
            signal.set(false)
            subscription.cancel()
            signal.set(true)
            return token
        }
        #expect(isListenerFreed)
        #expect(count.withLock { $0 } == 1)
        let ended = Locked(0)
        let isSubscriptionFreed = isFreed { QuerySubscription { ended.withLock { $0 += 1 } } }
        #expect(isSubscriptionFreed)
        #expect(ended.withLock { $0 } == 1)
    }

    @Test("Caches free their values, when these are replaced, evicted or removed and with themselves")
    func caches() throws {
        let suite = "pigeon.tests.lifetime"
        let defaults = try #require(UserDefaults(suiteName: suite))
        #expect(isFreed { UserDefaultsQueryCache(defaults: defaults) })
        let isCacheFreed = isFreed {
            let cache = InMemoryQueryCache()
            cache.save(1, for: "a", andTimestamp: Date(timeIntervalSinceReferenceDate: 0))
            return cache
        }
        #expect(isCacheFreed)
    }

    @Test("A mutation keeps its client while it runs, and frees it after")
    func mutations() {
        weak var client: QueryClient?
        let task: LabTask<String>
        do {
            let server = MutationServer(lab)
            do {
                let made = self.client()
                client = made
                task = lab.start { [mutation = ScriptedMutation(server)] in try await made.mutate(mutation) }
            }
            #expect(client != nil)
            server.succeed(with: "done")
        }
        #expect(task.value == "done")
        #expect(client == nil)
    }
}
