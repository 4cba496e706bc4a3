import ArgumentParser
import Foundation
import Gateway
import Hummingbird
import Logging
import Metrics
import PigeonCore
import PigeonFleet
import PigeonHTTP
import PigeonRedis
import PigeonSQLite
import PigeonServer
import ServiceLifecycle
import UnixSignals

/// One process of the gateway: configures it by options, and runs it until it is told to stop.
@main
struct GatewayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway", abstract: "Serves offers: products with their stock, from two services.")

    @Option(help: "The port on loopback.")
    var port = 8080

    @Option(help: "The address of the service that has the products.", transform: address)
    var products: URL

    @Option(help: "The address of the service that has the stock.", transform: address)
    var stocks: URL

    @Option(help: "The Redis that all processes of the gateway share, as redis://127.0.0.1:6379.")
    var redis: String?

    @Option(help: "A file of SQLite in which this process keeps values, so that it starts with them.")
    var sqlite: String?

    func run() async throws {
        var policy = HTTPPolicy()
        policy.retry = RetryPolicy(limit: 3) { .milliseconds(20 << $0) }
        let gateway = ShopGateway(
            Upstreams(
                products: NetworkDispatcher(baseURL: products, policy: policy),
                stocks: NetworkDispatcher(baseURL: stocks, policy: policy)),
            cache: try sqlite.map { try SQLiteQueryCache(at: URL(fileURLWithPath: $0)) },
            fleet: try redis.map { Fleet.Setup(store: try RedisStore($0, namespace: "gateway")) })

        let logger = Logger(label: "gateway")
        let metrics = MetricsPage()
        MetricsSystem.bootstrap(metrics)
        let watching = [
            gateway.client.log(to: logger),
            gateway.client.recordMetrics(of: gateway.limits, every: .seconds(1)),
            gateway.client.trace(),
        ]
        let server = Application(
            router: Routes(gateway, metrics: metrics).router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)), logger: logger)
        let group = ServiceGroup(
            services: [ClientService(gateway.client, logger: logger), server],
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await group.run()
        for subscription in watching { subscription.cancel() }
    }

    private static func address(_ text: String) throws -> URL {
        guard let url = URL(string: text), url.scheme?.hasPrefix("http") == true, url.host != nil else {
            throw ValidationError("\(text) is no address, such as http://127.0.0.1:8081")
        }
        return url
    }
}
