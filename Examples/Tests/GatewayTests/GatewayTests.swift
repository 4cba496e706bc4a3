import Foundation
import HTTPTypes
import PigeonCore
import PigeonTesting
import Testing

@testable import Gateway

private let down = URLError(.cannotConnectToHost)

@Suite("The gateway", .timeLimit(.minutes(1)))
struct GatewayTests {
    let desk = Desk()

    /// Lets the stock answer at once, for tests of products.
    private func answerStock(count: Int = 3) {
        desk.stocks.answer { _ in Stock(id: 7, count: count) }
    }

    // MARK: Concurrent requests

    @Test func `a thousand requests at once cause one request to each upstream, both at the same time`() {
        let tasks = (0..<1_000).map { _ in desk.get("/products/7") }
        #expect(desk.products.pending.map(\.key) == ["products/7"] && desk.stocks.pending.map(\.key) == ["stock/7"])
        let offer = Offer(product: Product(id: 7, name: "Lamp"), stock: Stock(id: 7, count: 3))
        desk.products.succeed(with: offer.product)
        desk.stocks.succeed(with: offer.stock)
        #expect(tasks.allSatisfy { $0.value?.offer == offer && $0.value?.cache == "miss" })
        #expect(desk.products.calls.count == 1 && desk.stocks.calls.count == 1)
        #expect(desk.get("/metrics").value?.text.contains(#"pigeon_joins_total{pigeon_query="products"} 999"#) == true)
    }

    @Test func `while both parts are fresh, no upstream is asked, and the answer has its age`() {
        desk.receive(7)
        desk.lab.advance(by: .seconds(3))
        let response = desk.get("/products/7").value
        #expect(response?.cache == "hit" && response?.age == "3" && response?.offer?.stock.count == 3)
        #expect(desk.products.calls.count == 1 && desk.stocks.calls.count == 1)
    }

    // MARK: Stale values

    @Test func `a stale product is answered at once and fetched behind it, and then the new one is answered`() {
        desk.receive(7)
        answerStock(count: 4)
        desk.lab.advance(by: .seconds(61))
        let stale = desk.get("/products/7").value
        #expect(stale?.offer?.product.name == "Lamp" && stale?.offer?.stock.count == 4 && stale?.cache == "stale")
        #expect(desk.products.pendingCount == 1)
        desk.products.succeed(with: Product(id: 7, name: "Torch"))
        let fresh = desk.get("/products/7").value
        #expect(fresh?.offer?.product.name == "Torch" && fresh?.cache == "hit")
        #expect(desk.products.calls.count == 2)
    }

    @Test(arguments: [(600, true), (3_700, false)])
    func `if the upstream fails, a stale product is answered for an hour`(age: Int, isAnswered: Bool) {
        desk.receive(7)
        answerStock()
        desk.lab.advance(by: .seconds(age))
        let task = desk.get("/products/7")
        #expect(task.value == nil)
        desk.products.fail(with: down)
        #expect(task.value?.status == (isAnswered ? .ok : .badGateway))
        #expect(task.value?.cache == (isAnswered ? "stale" : nil))
    }

    @Test func `stale stock is answered for as long as its server allows`() {
        let desk = Desk(allowsStale: true)
        desk.receive(7)
        desk.lab.advance(by: .seconds(6))
        #expect(desk.get("/products/7").value?.cache == "stale")
        desk.stocks.fail(with: down)
        desk.lab.advance(by: .seconds(14))
        let waiting = desk.get("/products/7")
        #expect(waiting.value == nil)
        desk.stocks.fail(with: down)
        #expect(waiting.value?.offer?.stock.count == 3)
        desk.lab.advance(by: .seconds(60))
        let late = desk.get("/products/7")
        desk.stocks.fail(with: down)
        #expect(late.value?.status == .badGateway)
    }

    @Test func `a product is fetched early, by one request, while it is still fresh`() {
        desk.receive(7)
        answerStock()
        for _ in 0..<60 where desk.products.pendingCount == 0 {
            desk.lab.advance(by: .seconds(1))
            #expect(desk.get("/products/7").value?.status == .ok)
        }
        #expect(desk.products.pendingCount == 1 && !desk.client.snapshot(of: .product(7)).isStale)
        #expect(desk.get("/products/7").value?.status == .ok && desk.products.calls.count == 2)
    }

    @Test func `products that arrived together turn stale one after the other, in the same way for the same seed`() {
        func stale() -> [Int] {
            let desk = Desk()
            for id in 1...20 { desk.receive(id) }
            desk.lab.advance(by: .seconds(47))
            #expect((1...20).allSatisfy { !desk.client.snapshot(of: .product($0)).isStale })
            desk.lab.advance(by: .seconds(7))
            return (1...20).filter { desk.client.snapshot(of: .product($0)).isStale }
        }
        let first = stale()
        #expect((1..<20).contains(first.count) && stale() == first)
    }

    // MARK: Failures

    @Test func `a failure is the answer for its time, and then the upstream is asked again`() {
        answerStock()
        let first = desk.get("/products/7")
        desk.products.fail(with: down)
        #expect(first.value?.status == .badGateway)
        for _ in 0..<10 { #expect(desk.get("/products/7").value?.status == .badGateway) }
        #expect(desk.products.calls.count == 1)
        desk.lab.advance(by: .seconds(5))
        let later = desk.get("/products/7")
        desk.products.succeed(with: Product(id: 7, name: "Lamp"))
        #expect(later.value?.status == .ok && desk.products.calls.count == 2)
    }

    @Test func `an upstream that does not answer in time is a 504`() {
        let task = desk.get("/products/7")
        desk.lab.advance(by: .seconds(2))
        #expect(task.value?.status == .gatewayTimeout)
    }

    @Test(arguments: [404, 410], [61, 200])
    func `a product that is gone is a 404, even if a stale value could be answered`(status: Int, age: Int) {
        desk.receive(7)
        answerStock()
        desk.lab.advance(by: .seconds(age))
        let first = desk.get("/products/7")
        desk.products.fail(with: Status(statusCode: status))
        // After 61 s, the first request did not wait for the upstream.
        #expect(first.value?.status == (age == 61 ? .ok : .notFound))
        let second = desk.get("/products/7")
        if desk.products.pendingCount == 1 { desk.products.fail(with: Status(statusCode: status)) }
        #expect(second.value?.status == .notFound)
        let count = desk.products.calls.count
        #expect(desk.get("/products/7").value?.status == .notFound && desk.products.calls.count == count)
    }

    // MARK: Webhooks

    @Test func `a webhook invalidates the stock of some products, and the next request waits for it`() {
        let desk = Desk(allowsStale: true)
        for id in 7...9 { desk.receive(id) }
        #expect(desk.post("/webhooks/stock", "[7, 8]").value?.status == .noContent)
        let changed = desk.get("/products/7")
        #expect(changed.value == nil && desk.stocks.pending.map(\.key) == ["stock/7"])
        #expect(desk.get("/products/9").value?.cache == "hit")
        desk.stocks.succeed(with: Stock(id: 7, count: 2))
        #expect(changed.value?.offer?.stock.count == 2 && desk.products.calls.count == 3)
    }

    @Test func `a webhook invalidates all stock, and no product`() {
        for id in 7...9 { desk.receive(id) }
        #expect(desk.post("/webhooks/stock/all").value?.status == .noContent)
        let tasks = (7...9).map { desk.get("/products/\($0)") }
        #expect(tasks.allSatisfy { $0.value == nil })
        #expect(desk.stocks.pending.map(\.key) == ["stock/7", "stock/8", "stock/9"])
        #expect(desk.products.calls.count == 3)
    }

    @Test func `a webhook is answered once the other processes can know of it`() {
        let desk = Desk(isShared: true)
        desk.receive(7)
        desk.store.fault = .hangs
        let hook = desk.post("/webhooks/stock", "[7]")
        #expect(hook.value == nil && desk.client.snapshot(of: .stock(7)).isStale)
        desk.store.fault = nil
        desk.lab.settle()
        #expect(hook.value?.status == .noContent && desk.store.callCount(of: "publish") > 0)
    }

    @Test func `a webhook that is no list of numbers is a 400, and changes nothing`() {
        desk.receive(7)
        for body in ["", "7", #"["7"]"#] {
            #expect(desk.post("/webhooks/stock", body).value?.status == .badRequest)
        }
        #expect(desk.get("/products/7").value?.cache == "hit")
    }

    // MARK: Other pages

    @Test(arguments: ["/", "/products", "/products/lamp", "/products/7/8", "/webhooks/stock"])
    func `any other page is a 404`(path: String) {
        #expect(desk.get(path).value?.status == .notFound)
        #expect(desk.products.calls.isEmpty)
    }

    @Test func `the metrics count requests to upstreams, answers and failures`() {
        desk.receive(7)
        for _ in 0..<2 { _ = desk.get("/products/7") }
        _ = desk.get("/products/8")
        desk.products.fail(with: down)
        let lines = desk.get("/metrics").value?.text.split(separator: "\n").map(String.init) ?? []
        #expect(lines.contains(#"gateway_answers_total{of="hit"} 2"#))
        #expect(lines.contains(#"gateway_answers_total{of="miss"} 1"#))
        func fetches(_ dimensions: String) -> String {
            #"pigeon_fetch_duration_seconds_count{pigeon_query="products",pigeon_outcome="\#(dimensions)} 1"#
        }
        #expect(lines.contains(fetches(#"success",error_type="none""#)))
        #expect(lines.contains { $0.hasPrefix(fetches(#"failure",error_type=""#).dropLast(3)) && $0.hasSuffix(" 1") })
        #expect(lines == lines.sorted())
    }

    @Test func `a service that stops is not ready, and refuses`() {
        #expect(desk.get("/health").value?.status == .ok)
        _ = desk.lab.start { [client = desk.client] in await client.close(within: .zero) }
        let health = desk.get("/health").value
        #expect(health?.status == .serviceUnavailable && health?.text.contains("the client is closed") == true)
        #expect(desk.get("/products/7").value?.status == .serviceUnavailable)
    }

    @Test func `more requests than an upstream's queue holds are a 503`() {
        let tasks = (1...600).map { desk.get("/products/\($0)") }
        #expect(desk.products.pendingCount == 40)
        #expect(tasks.count { $0.value?.status == .serviceUnavailable } == 60)
    }

    @Test func `the gateway and its routes have at most 120 lines of code`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Sources/Gateway")
        let files = ["ShopGateway.swift", "Routes.swift"].map { folder.appendingPathComponent($0) }
        let lines = try files.flatMap { try String(contentsOf: $0, encoding: .utf8).split(separator: "\n") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        #expect((100...120).contains(lines.count { !$0.isEmpty && !$0.hasPrefix("//") }))
    }
}
