#if Server
    import Metrics
    import MetricsTestKit
    import PigeonBase
    import PigeonCore
    import PigeonFleet
    import PigeonServer
    import PigeonTesting
    import TestSupport
    import Testing

    @Suite("Metrics")
    struct MetricsTests {
        private struct Down: Error {}

        private struct Search: Mutating {
            static let policy = RetryPolicy(limit: 1, hasJitter: false, shouldRetry: { _ in true })

            let server: ScriptedFetcher<String>
            var retry: RetryPolicy { Self.policy }
            var isIdempotent: Bool { true }

            func run(_ context: MutationContext) async throws -> String { try await server.call() }
        }

        private let lab = QueryLab(budget: 1_000_000)
        private let metrics = TestMetrics()
        private let server: ScriptedFetcher<String>

        init() {
            server = lab.fetcher(returning: String.self)
        }

        private func user(_ id: Int) -> QueryDefinition<String> {
            QueryDefinition("users", id, fetch: server.fetch).staleAfter(.seconds(30)).keepFor(.seconds(60))
        }

        private func fetch(_ definition: QueryDefinition<String>) -> LabTask<String> {
            lab.start { [client = lab.client] in try await client.fetch(definition) }
        }

        private func seconds(_ name: String, _ dimensions: [(String, String)]) throws -> [Double] {
            try metrics.expectTimer(name, dimensions).values.map { Double($0) / 1e9 }
        }

        @Test("fetches are timed by query and outcome, with joins, retries, hits and evictions", .rule("A82"))
        func fetches() throws {
            let recording = lab.client.recordMetrics(with: metrics, every: .seconds(5))
            defer { recording.cancel() }
            let retried = user(1).retry(Search.policy)
            _ = (fetch(retried), fetch(retried))
            lab.advance(by: .seconds(2))
            server.fail(with: Down())
            lab.advance(by: .seconds(1))
            server.succeed(with: "Ann")
            _ = (fetch(user(1)), fetch(user(1)), fetch(user(2)))
            lab.advance(by: .seconds(4))
            server.fail(with: Down())
            let success = [("pigeon.query", "users"), ("pigeon.outcome", "success"), ("error.type", "none")]
            #expect(try seconds("pigeon.fetch.duration", success) == [3])
            let failure = [("pigeon.query", "users"), ("pigeon.outcome", "failure"), ("error.type", "Down")]
            #expect(try seconds("pigeon.fetch.duration", failure) == [4])
            let query = [("pigeon.query", "users")]
            #expect(try metrics.expectCounter("pigeon.joins", query).totalValue == 1)
            let retries = query + [("pigeon.mutation", "none"), ("error.type", "Down")]
            #expect(try metrics.expectCounter("pigeon.retries", retries).totalValue == 1)
            lab.advance(by: .seconds(5))
            #expect(try metrics.expectCounter("pigeon.hits").totalValue == 2)
            #expect(try metrics.expectGauge("pigeon.entries").lastValue == 2)
            #expect(try #require(metrics.expectGauge("pigeon.memory").lastValue) > 0)
            lab.advance(by: .seconds(70))
            #expect(try metrics.expectCounter("pigeon.evictions", [("pigeon.cause", "unused")]).totalValue == 2)
            #expect(try metrics.expectGauge("pigeon.entries").lastValue == 0)
        }

        @Test(
            "a fetch that exceeds its time limit is a failure, and errors of the engine are counted without their keys",
            .rule("A82")
        )
        func ownErrors() throws {
            let recording = lab.client.recordMetrics(with: metrics)
            defer { recording.cancel() }
            let upstream = Upstream("catalog", limit: 1, queue: 0)
            _ = fetch(user(1).timeLimit(.seconds(3)).upstream(upstream))
            for id in 2...4 { _ = fetch(user(id).upstream(upstream)) }
            lab.advance(by: .seconds(3))
            let failure = [("pigeon.query", "users"), ("pigeon.outcome", "failure")]
            #expect(try seconds("pigeon.fetch.duration", failure + [("error.type", "timedOut")]) == [3])
            #expect(try seconds("pigeon.fetch.duration", failure + [("error.type", "overloaded")]) == [0, 0, 0])
        }

        @Test("mutations are timed by name and outcome", .rule("A82"))
        func mutations() throws {
            let recording = lab.client.recordMetrics(with: metrics)
            defer { recording.cancel() }
            let server = lab.fetcher(returning: Void.self)
            for _ in 0..<2 {
                _ = lab.start { [client = lab.client] in
                    try await client.mutate("save") { _ in try await server.call() }
                }
            }
            lab.advance(by: .seconds(6))
            #expect(try metrics.expectGauge("pigeon.mutations.running").lastValue == 2)
            server.succeed()
            server.fail(with: Down())
            let name = ("pigeon.mutation", "save")
            let success = [name, ("pigeon.outcome", "success"), ("error.type", "none")]
            #expect(try seconds("pigeon.mutation.duration", success) == [6])
            let failure = [name, ("pigeon.outcome", "failure"), ("error.type", "Down")]
            #expect(try seconds("pigeon.mutation.duration", failure) == [6])
        }

        @Test("upstreams are measured at each look, and what they refused is counted once", .rule("A82"))
        func upstreams() throws {
            let upstream = Upstream("catalog", limit: 1, queue: 1)
            let recording = lab.client.recordMetrics(of: [upstream], with: metrics, every: .seconds(5))
            for id in 0..<3 { _ = fetch(user(id).upstream(upstream)) }
            lab.advance(by: .seconds(20))
            let dimensions = [("pigeon.upstream", "catalog")]
            #expect(try metrics.expectGauge("pigeon.upstream.running", dimensions).lastValue == 1)
            #expect(try metrics.expectGauge("pigeon.upstream.waiting", dimensions).lastValue == 1)
            #expect(try metrics.expectCounter("pigeon.upstream.refused", dimensions).totalValue == 1)
            recording.cancel()
            server.succeed(with: "Ann")
            server.succeed(with: "Bea")
            lab.advance(by: .seconds(20))
            #expect(try metrics.expectGauge("pigeon.upstream.running", dimensions).lastValue == 1)
        }

        @Test("a fleet is measured: whether its store is used, and how fetches ended", .rule("A82"))
        func fleet() throws {
            let store = InMemoryFleetStore(clock: lab.clock)
            let client = QueryClient(fleet: Fleet.Setup(store: store), environment: lab.environment)
            lab.settle()
            let recording = client.recordMetrics(with: metrics)
            defer { recording.cancel() }
            let task = lab.start { [user = user(1).shared()] in try await client.fetch(user) }
            server.succeed(with: "Ann")
            lab.advance(by: .seconds(6))
            #expect(task.value == "Ann")
            #expect(try metrics.expectGauge("pigeon.fleet.connected").lastValue == 1)
            #expect(try metrics.expectCounter("pigeon.fleet.fetches", [("pigeon.outcome", "led")]).totalValue == 1)
        }

        @Test("names that a program makes of identifiers are counted together after a hundred", .rule("A82"))
        func cardinality() throws {
            let recording = lab.client.recordMetrics(with: metrics)
            defer { recording.cancel() }
            server.answer { _ in "Ann" }
            for id in 0..<150 { _ = fetch(QueryDefinition(QueryKey("user-\(id)"), fetch: server.fetch)) }
            let names = Set(metrics.timers(label: "pigeon.fetch.duration").flatMap { $0.dimensions.map(\.1) })
            #expect(names.count == 103)  // with "other", "success" and "none"
            let other = [("pigeon.query", "other"), ("pigeon.outcome", "success"), ("error.type", "none")]
            #expect(try seconds("pigeon.fetch.duration", other).count == 50)
        }

        @Test("the end of a recording counts what happened since the last look", .rule("A82"))
        func lastLook() throws {
            let recording = lab.client.recordMetrics(with: metrics)
            server.answer { _ in "Ann" }
            for _ in 0..<2 { _ = fetch(user(1)) }
            recording.cancel()
            #expect(try metrics.expectCounter("pigeon.hits").totalValue == 1)
        }

        @Test("types of errors take no place from the names of queries", .rule("A82"))
        func ownLimits() throws {
            let recording = lab.client.recordMetrics(with: metrics)
            defer { recording.cancel() }
            server.answer { _ in throw Down() }
            for id in 0..<100 {
                _ = fetch(QueryDefinition(QueryKey("user-\(id)"), fetch: server.fetch).retry(.never))
            }
            for id in [5, 99] {
                let failure = [("pigeon.query", "user-\(id)"), ("pigeon.outcome", "failure"), ("error.type", "Down")]
                #expect(try seconds("pigeon.fetch.duration", failure) == [0])
            }
        }

        @Test("a query and a mutation with the same name are counted apart", .rule("A82"))
        func apart() throws {
            let recording = lab.client.recordMetrics(with: metrics)
            defer { recording.cancel() }
            _ = lab.start { [client = lab.client, server] in try await client.mutate(Search(server: server)) }
            _ = fetch(QueryDefinition("Search", 1, fetch: server.fetch).retry(Search.policy))
            for _ in 0..<2 { server.fail(with: Down()) }
            for (query, mutation) in [("Search", "none"), ("none", "Search")] {
                let retries = try metrics.expectCounter(
                    "pigeon.retries",
                    [("pigeon.query", query), ("pigeon.mutation", mutation), ("error.type", "Down")])
                #expect(retries.totalValue == 1)
            }
        }

        @Test("a recording counts from its beginning", .rule("A82"))
        func laterRecording() throws {
            let upstream = Upstream("catalog", limit: 1, queue: 0)
            server.answer { _ in "Ann" }
            func read() {
                for _ in 0..<2 { _ = fetch(user(1)) }
            }
            read()
            let blocked = lab.fetcher(returning: String.self)
            for id in 0..<2 {
                _ = fetch(QueryDefinition("blocked", id, fetch: blocked.fetch).upstream(upstream))
            }
            let recording = lab.client.recordMetrics(of: [upstream], with: metrics)
            lab.advance(by: .seconds(5))
            let dimensions = [("pigeon.upstream", "catalog")]
            #expect(try metrics.expectCounter("pigeon.hits").totalValue == 0)
            #expect(try metrics.expectCounter("pigeon.upstream.refused", dimensions).totalValue == 0)
            read()
            recording.cancel()
            #expect(try metrics.expectCounter("pigeon.hits").totalValue == 2)
        }

        @Test("an instrument has the same dimensions, whatever it counts", .rule("A82"))
        func sameDimensions() throws {
            let recording = lab.client.recordMetrics(with: metrics)
            defer { recording.cancel() }
            for isLast in [false, true] {
                _ = fetch(user(1).retry(Search.policy))
                _ = lab.start { [client = lab.client, server] in try await client.mutate(Search(server: server)) }
                for _ in 0..<2 { server.fail(with: Down()) }
                lab.advance(by: .seconds(1))
                for _ in 0..<2 { if isLast { server.succeed(with: "Ann") } else { server.fail(with: Down()) } }
            }
            for label in ["pigeon.fetch.duration", "pigeon.mutation.duration"] {
                let timers = metrics.timers(label: label)
                #expect(timers.count == 2)
                #expect(Set(timers.map { $0.dimensions.map(\.0) }).count == 1)
            }
            let retries = metrics.counters(label: "pigeon.retries")
            #expect(retries.count == 2)
            #expect(Set(retries.map { $0.dimensions.map(\.0) }).count == 1)
        }

        @Test("an instrument is made once, by a factory that may use the recording", .rule("A82"))
        func factory() {
            let factory = CountingFactory()
            let recording = lab.client.recordMetrics(with: factory)
            factory.onTimer.withLock { $0 = { recording.cancel() } }
            server.answer { _ in "Ann" }
            for id in 0..<3 { _ = fetch(user(id)) }
            #expect(factory.made.all.count { $0 == "pigeon.fetch.duration" } == 1)
            #expect(factory.made.all.count { $0 == "pigeon.entries" } == 1)
        }

        /// Returns a new instrument at each call, as the interface permits.
        private final class CountingFactory: MetricsFactory {
            let made = Recorder<String>()
            let onTimer = Locked<(@Sendable () -> Void)?>(nil)

            func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
                made.append(label)
                return NOOPMetricsHandler.instance
            }

            func makeRecorder(
                label: String, dimensions: [(String, String)], aggregate: Bool
            ) -> any RecorderHandler {
                made.append(label)
                return NOOPMetricsHandler.instance
            }

            func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
                made.append(label)
                onTimer.withLock { $0 }?()
                return NOOPMetricsHandler.instance
            }

            func destroyCounter(_ handler: any CounterHandler) {}
            func destroyRecorder(_ handler: any RecorderHandler) {}
            func destroyTimer(_ handler: any TimerHandler) {}
        }
    }
#endif
