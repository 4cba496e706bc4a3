#if Server
    import Foundation
    import Logging
    import Metrics
    import PigeonCore
    import PigeonServer
    import PigeonTesting
    import ServiceLifecycle
    import Testing
    import Tracing
    import UnixSignals

    @Suite("Article: Watch a service, and stop it well")
    struct WatchAndStopTests {
        private let price = QueryDefinition<Int>("prices", 1) { _ in 5 }.staleAfter(.seconds(60))

        @Test("a watched client is closed by its group")
        func group() async throws {
            let logger = Logger(label: "test")
            let client = QueryClient()
            for subscription in Snippets.watch(client, Snippets.limit(client)) { subscription.cancel() }
            await #expect(throws: ServiceGroupError.self) { try await Snippets.run(client, Stopping(), logger) }
            #expect(client.isClosed)
        }

        @Test("a default limits the fetches of a path")
        func upstream() async throws {
            let client = Snippets.attributed()
            let catalog = Snippets.limit(client)
            let query = QueryDefinition<Int>("products", 1) { _ in catalog.load.running }
            #expect(try await client.fetch(query) == 1)
            try await Snippets.close(client, Logger(label: "test"))
            #expect(try Snippets.health(client, catalog).status == 503)
        }

        @Test("a second request with the tag has no body")
        func headers() async throws {
            let client = QueryClient()
            _ = try await client.fetch(price)
            let first = Snippets.answer(client, price, Data("5".utf8), nil)
            #expect(first.status == 200)
            let tag = first.headers.first { $0.name == "ETag" }?.value
            #expect(Snippets.answer(client, price, Data("5".utf8), tag).status == 304)
        }
    }

    /// A server that ends at once, which its group takes for a failure.
    private struct Stopping: Service {
        func run() async throws {}
    }

    private enum Snippets {
        static func watch(_ client: QueryClient, _ catalog: Upstream) -> [QuerySubscription] {
            let watching = [
                client.log(to: Logger(label: "cache")),
                client.recordMetrics(of: [catalog]),
                client.trace(),
            ]
            return watching
        }

        static func attributed() -> QueryClient {
            let environment = QueryEnvironment(launch: QueryEnvironment.launchImmediately)
            return QueryClient(environment: environment)
        }

        static func limit(_ client: QueryClient) -> Upstream {
            let catalog = Upstream("catalog", limit: 20, queue: 200)
            client.setDefaults(for: "products") { $0.upstream = catalog }
            client.setDefaults(for: "prices") { $0.upstream = catalog }
            return catalog
        }

        static func health(_ client: QueryClient, _ catalog: Upstream) throws -> (status: Int, body: Data) {
            let health = client.health(of: [catalog])
            let body = try JSONEncoder().encode(health)
            return health.isReady ? (200, body) : (503, body)
        }

        static func answer(
            _ client: QueryClient, _ price: QueryDefinition<Int>, _ json: Data, _ ifNoneMatch: String?
        ) -> (status: Int, headers: [(name: String, value: String)]) {
            let headers = AnswerHeaders(for: client.snapshot(of: price), body: json, isPrivate: false)
            guard !headers.isNotModified(ifNoneMatch) else { return (304, headers.fields) }
            return (200, headers.fields)
        }

        static func run(_ client: QueryClient, _ server: any Service, _ logger: Logger) async throws {
            let group = ServiceGroup(
                services: [ClientService(client, drainingFor: .seconds(20), logger: logger), server],
                gracefulShutdownSignals: [.sigterm], logger: logger)
            try await group.run()
        }

        static func close(_ client: QueryClient, _ logger: Logger) async throws {
            let report = await client.close(within: .seconds(20))
            if !report.isComplete { logger.warning("\(report)") }
        }

        /// PigeonServer, its first page.
        static func overview(_ server: any Service, _ logger: Logger) async throws {
            let client = QueryClient()
            let watching = [client.log(to: Logger(label: "cache")), client.recordMetrics(), client.trace()]
            let group = ServiceGroup(
                services: [ClientService(client), server], gracefulShutdownSignals: [.sigterm], logger: logger)
            try await group.run()
            for subscription in watching { subscription.cancel() }
        }

        static func bootstrap(
            _ client: QueryClient, _ catalog: Upstream, _ factory: any MetricsFactory, _ tracer: any Tracer
        ) -> [QuerySubscription] {
            MetricsSystem.bootstrap(factory)
            InstrumentationSystem.bootstrap(tracer)
            let logging = client.log(to: Logger(label: "cache"))
            let metrics = client.recordMetrics(of: [catalog])
            let tracing = client.trace()
            return [logging, metrics, tracing]
        }
    }
#endif
