package import PigeonFleet
package import PigeonHTTP

struct Product: Codable, Equatable, Sendable { let id: Int, name: String }
struct Stock: Codable, Equatable, Sendable { let id: Int, count: Int }
struct Offer: Codable, Equatable, Sendable { let product: Product, stock: Stock }

/// The two services behind the gateway. A test has others.
package struct Upstreams: Sendable {
    let product: @Sendable (_ id: Int, _ context: FetchContext<Product>) async throws -> Product
    let stock: @Sendable (_ id: Int, _ context: FetchContext<Stock>) async throws -> Stock
}

extension Upstreams {
    /// The services over HTTP. With `for:`, ETags, `max-age`, `stale-while-revalidate` and `stale-if-error` apply.
    package init(products: NetworkDispatcher, stocks: NetworkDispatcher) {
        product = { id, context in try await products.value(from: .get("/products/\(id)"), for: context) }
        stock = { id, context in try await stocks.value(from: .get("/stock/\(id)"), for: context) }
    }
}

extension QueryDefinition {
    static func product(_ id: Int) -> Self where Value == Product {
        QueryDefinition("products", id) { context in try await context[Upstreams.self].product(id, context) }
            .staleAfter(.minutes(1), jitter: 0.2).refreshEarly(by: .seconds(5))
            .fetchPolicy(.staleWhileRevalidate(upTo: .minutes(1)).staleIfError(upTo: .hours(1))).keepFor(.hours(2))
            .rememberFailures(for: .seconds(5)).timeLimit(.seconds(2)).shared().persisted()
    }
    static func stock(_ id: Int) -> Self where Value == Stock {
        QueryDefinition("stock", id) { context in try await context[Upstreams.self].stock(id, context) }
            .staleAfter(.seconds(5), jitter: 0.2).fetchPolicy(.asServerSays).keepFor(.hours(2))
            .rememberFailures(for: .seconds(5)).timeLimit(.seconds(2)).shared().persisted()
    }
    /// The root of all stock, which has no value of its own.
    static func allStock() -> Self where Value == Stock { .value("stock") }
}

/// Answers with offers, and forgets the stock that has changed. Knows nothing of its own server.
package struct ShopGateway: Sendable {
    package let client: QueryClient
    package let limits = [Upstream("products", limit: 40, queue: 500), Upstream("stock", limit: 40, queue: 500)]

    /// - Parameters:
    ///   - cache: Where values survive a restart of this process. `nil` for nowhere.
    ///   - fleet: What this process shares with its siblings. `nil` for nothing.
    package init(
        _ upstreams: Upstreams, cache: (any QueryCacheType)? = nil, fleet: Fleet.Setup? = nil,
        environment: QueryEnvironment = QueryEnvironment()
    ) {
        client = QueryClient(
            cache: cache, fleet: fleet, dependencies: Dependencies(upstreams), budget: 64 << 20,
            environment: environment)
        for limit in limits { client.setDefaults(for: QueryKey(limit.name)) { $0.upstream = limit } }
    }

    /// An offer, the age of its older part, and where it came from: `hit`, `stale` or `miss`.
    func offer(_ id: Int) async throws -> (offer: Offer, age: Duration, cache: String) {
        let (products, stocks) = (QueryDefinition.product(id), QueryDefinition.stock(id))
        func parts() -> (age: Duration, isStale: Bool) {
            let (product, stock) = (client.snapshot(of: products), client.snapshot(of: stocks))
            return (max(product.age ?? .zero, stock.age ?? .zero), product.isStale || stock.isStale)
        }
        let before = parts()
        let (product, stock) = try await client.fetch(products, stocks)
        let now = before.isStale ? parts() : before
        let cache = !before.isStale ? "hit" : now.isStale ? "stale" : "miss"
        return (Offer(product: product, stock: stock), now.age, cache)
    }
    func stockChanged(of ids: [Int]) async { for id in ids { await client.invalidate(.stock(id)) } }
    func allStockChanged() async { await client.invalidate(.path(of: .allStock())) }

    static func status(of error: any Error) -> Int {
        switch error {
        case let error as any TransientErrorType where error.statusCode == 404 || error.statusCode == 410: 404
        case QueryError.timedOut: 504
        case QueryError.overloaded, QueryError.closed: 503
        default: 502
        }
    }
}
