internal import ArgumentParser
internal import AsyncHTTPClient
internal import Foundation
internal import Hummingbird
internal import Logging
internal import PigeonCore
import PigeonFleet
internal import PigeonHTTP
internal import PigeonRedis
internal import Synchronization

struct Article: Codable, Sendable, ResponseEncodable {
    let id: Int
    let title: String

    init(_ id: Int) {
        (self.id, title) = (id, "An article of some length, as an answer of a service is, with the number \(id)")
    }
}

/// A service that takes its time, and counts its requests.
struct OriginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "origin", shouldDisplay: false)

    @Option var port: Int

    func run() async throws {
        endWithOwner()
        let requests = Atomic(0)
        let router = Router()
        router.get("articles/:id") { _, context in
            requests.add(1, ordering: .relaxed)
            try await Task.sleep(for: .milliseconds(20))
            return Article(context.parameters.get("id", as: Int.self) ?? 0)
        }
        router.get("requests") { _, _ in "\(requests.load(ordering: .relaxed))" }
        try await application(router, port: port).run()
    }
}

/// A service that answers with what it has from the origin.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve", shouldDisplay: false)

    @Option var port: Int
    @Option var origin: String
    @Option var redis: String?
    /// In seconds.
    @Option var freshFor: Int

    func run() async throws {
        endWithOwner()
        guard let url = URL(string: origin) else { throw ValidationError("\(origin) is no address") }
        // As many requests at once as the origin takes.
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 100
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        defer { http.shutdown { _ in } }
        let dispatcher = NetworkDispatcher(baseURL: url, transport: AsyncHTTPClientTransport(client: http))
        let client = QueryClient(
            fleet: try redis.map { Fleet.Setup(store: try RedisStore($0, namespace: "load")) }, budget: 256 << 20)
        let constant = Article(7)
        let router = Router()
        router.get("constant") { _, _ in constant }
        router.get("articles/:id") { [freshFor] _, context in
            let id = context.parameters.get("id", as: Int.self) ?? 0
            return try await client.fetch(Self.article(id, from: dispatcher, freshFor: .seconds(freshFor)))
        }
        try await application(router, port: port).run()
    }

    private static func article(
        _ id: Int, from origin: NetworkDispatcher, freshFor: StaleTime
    ) -> QueryDefinition<Article> {
        QueryDefinition("articles", id) { context in try await origin.value(from: .get("/articles/\(id)"), for: context)
        }
        .staleAfter(freshFor).fetchPolicy(.staleWhileRevalidate(upTo: .minutes(10)).staleIfError(upTo: .hours(1)))
        .rememberFailures(for: .seconds(1)).timeLimit(.seconds(2)).shared()
    }
}

private func application(
    _ router: Router<BasicRequestContext>, port: Int
) -> Application<RouterResponder<BasicRequestContext>> {
    var logger = Logger(label: "load")
    logger.logLevel = .error
    return Application(
        router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
        logger: logger)
}

/// Ends this process at the end of its standard input, which its owner holds.
private func endWithOwner() {
    Thread.detachNewThread {
        while FileHandle.standardInput.availableData.count > 0 {}
        exit(0)
    }
}
