import DemoHTTP
import Foundation
import Gateway
import PigeonCore
import PigeonHTTP

/// Sends requests to the gateway over real HTTP: many at once, after values have aged, while an upstream fails, and after
/// a webhook. Each step prints what it caused, and checks it.
struct Story {
    private let shopper: Shopper
    private let products: SampleUpstream
    private let stocks: SampleUpstream
    private let clock: ForwardClock
    private let tell: (String) -> Void
    private var holds = true
    private var seen = (products: 0, stocks: 0)

    /// Starts the servers, plays the story and stops the servers.
    ///
    /// - Returns: True if each step caused what it should.
    static func play(tell: @escaping (String) -> Void) async throws -> Bool {
        let products = try await SampleUpstream.products()
        let stocks = try await SampleUpstream.stocks()
        let upstreams = Upstreams(
            products: NetworkDispatcher(baseURL: products.url), stocks: NetworkDispatcher(baseURL: stocks.url))
        let clock = ForwardClock()
        guard let gateway = try await Routes.start(upstreams, environment: QueryEnvironment(clock: clock)) else {
            throw URLError(.badURL)
        }
        var story = Story(shopper: Shopper(gateway.url), products: products, stocks: stocks, clock: clock, tell: tell)
        try await story.play()
        try await gateway.close()
        try await products.stop()
        try await stocks.stop()
        return story.holds
    }

    private init(
        shopper: Shopper, products: SampleUpstream, stocks: SampleUpstream, clock: ForwardClock,
        tell: @escaping (String) -> Void
    ) {
        self.shopper = shopper
        self.products = products
        self.stocks = stocks
        self.clock = clock
        self.tell = tell
    }

    private mutating func play() async throws {
        try await collapse()
        try await revalidate()
        try await failAndRecover()
        try await change()
        tell("The gateway's metrics:")
        for line in try await shopper.get("/metrics").body.split(separator: "\n") { tell("  \(line)") }
    }

    private mutating func collapse() async throws {
        let answers = try await shopper.get("/products/7", times: 1_000)
        check("1,000 requests for one product at once are all answered", answers.allSatisfy { $0.status == 200 })
        checkRequests(products: 1, stocks: 1)
    }

    private mutating func revalidate() async throws {
        clock.setForward(by: .seconds(65))
        products.change()
        stocks.change()
        let stale = try await shopper.get("/products/7")
        check("65 s later, the stale values are the answer: \(stale.body)", stale.cache == "stale")
        var fresh = stale
        for _ in 0..<200 where fresh.cache != "hit" {
            try await Task.sleep(for: .milliseconds(50))
            fresh = try await shopper.get("/products/7")
        }
        let isNew = fresh.body.contains("version 2") && fresh.body.contains(#""count":2"#)
        check("The new values are fetched behind it, and are the next answer: \(fresh.body)", isNew)
        checkRequests(products: 1, stocks: 1)
    }

    private mutating func failAndRecover() async throws {
        products.setDown(true)
        clock.setForward(by: .seconds(300))
        let first = try await shopper.get("/products/7", times: 20)
        let isStale = first.allSatisfy { $0.status == 200 && $0.cache == "stale" }
        check("5 minutes later, the products are down: the stale product is the answer to 20 requests", isStale)
        checkRequests(products: 1, stocks: 1)
        let second = try await shopper.get("/products/7", times: 20)
        check(
            "The failure is remembered, so 20 more requests reach no upstream", second.allSatisfy { $0.status == 200 })
        checkRequests(products: 0, stocks: 0)
        let unknown = try await shopper.get("/products/8")
        check("A product that is not in memory is a 502: \(unknown.body)", unknown.status == 502)
        checkRequests(products: 1, stocks: 1)

        products.setDown(false)
        clock.setForward(by: .seconds(6))
        let healed = try await shopper.get("/products/7")
        check("The products are back: 6 s later, one is fetched. The stock is still fresh", healed.status == 200)
        checkRequests(products: 1, stocks: 0)
    }

    private mutating func change() async throws {
        stocks.change()
        let posted = try await shopper.post("/webhooks/stock", [7])
        check("A webhook says that the stock of product 7 has changed", posted.status == 204)
        let sold = try await shopper.get("/products/7")
        check("The next request waits for the new stock, and for nothing else", sold.body.contains(#""count":3"#))
        checkRequests(products: 0, stocks: 1)
        let missing = try await shopper.get("/products/99")
        check("A product that does not exist is a 404: \(missing.body)", missing.status == 404)
    }

    private mutating func check(_ claim: String, _ isTrue: Bool) {
        holds = holds && isTrue
        tell("\(isTrue ? "yes" : "NO ")  \(claim)")
    }

    /// Checks how many requests have reached the upstreams since the last such check.
    private mutating func checkRequests(products wanted: Int, stocks wantedStocks: Int) {
        let now = (products: products.requests, stocks: stocks.requests)
        let (new, newStocks) = (now.products - seen.products, now.stocks - seen.stocks)
        seen = now
        check(
            "     upstream requests: \(new) for products, \(newStocks) for stock",
            (new, newStocks) == (wanted, wantedStocks))
    }
}
