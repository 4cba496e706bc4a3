import Foundation
import PigeonBase
import TestSupport
import Testing

@testable import PigeonHTTP

@Suite("An exchange, whatever carries it", .timeLimit(.minutes(1)))
struct ExchangeTests {
    /// A carrier that records its calls.
    private final class CarrierDouble: Carrier {
        let told = Locked<[String]>([])

        func cancel() { told.withLock { $0.append("cancel") } }
        func pause() { told.withLock { $0.append("pause") } }
        func proceed() { told.withLock { $0.append("proceed") } }
    }

    private static func exchange(_ kind: Exchange.Kind) throws -> (Exchange, CarrierDouble) {
        let url = try #require(URL(string: "http://localhost/"))
        let exchange = Exchange(
            for: TransportRequest(method: .get, url: url), as: kind, sending: 0, report: nil)
        let carrier = CarrierDouble()
        exchange.attach(carrier)
        return (exchange, carrier)
    }

    @Test("A carrier pauses when a megabyte waits, and goes on when it was read")
    func pausing() async throws {
        let (exchange, carrier) = try Self.exchange(.stream)
        exchange.didReceive(200, [:])
        var chunks = try await exchange.stream().body.makeAsyncIterator()
        exchange.didReceive(Data(count: 1 << 20))
        #expect(carrier.told.withLock { $0 } == [])
        exchange.didReceive(Data(count: 1))
        exchange.didReceive(Data(count: 1))
        #expect(carrier.told.withLock { $0 } == ["pause"])
        #expect(try await chunks.next()?.count == 1 << 20 + 2)
        #expect(carrier.told.withLock { $0 } == ["pause", "proceed"])
        exchange.didReceive(Data(count: 1))
        exchange.didEnd(with: nil)
        #expect(try await chunks.next()?.count == 1)
        #expect(try await chunks.next() == nil)
        #expect(carrier.told.withLock { $0 } == ["pause", "proceed"])
    }

    @Test("a stream ends when 64 MiB wait, where its carrier cannot pause", .rule("H15"))
    func unread() async throws {
        let (exchange, carrier) = try Self.exchange(.stream)
        exchange.didReceive(200, [:])
        let body = try await exchange.stream().body
        exchange.didReceive(Data(count: 1 << 26))
        #expect(carrier.told.withLock { $0 } == ["pause"])
        exchange.didReceive(Data(count: 1))
        #expect(carrier.told.withLock { $0 } == ["pause", "cancel"])
        let code = await transportFailure { try await body.collected() }
        #expect(code == .dataLengthExceedsMaximum)
    }

    @Test("pieces do not wake up the task that waits for all of them, if a gauge reads their progress", .rule("F17"))
    func gauge() async throws {
        let url = try #require(URL(string: "http://localhost/"))
        let gauge = TransferGauge()
        var request = TransportRequest(method: .get, url: url)
        request.gauge = gauge
        let reports = Locked(0)
        let exchange = Exchange(for: request, as: .whole(limit: nil), sending: 0) { _ in
            reports.withLock { $0 += 1 }
        }
        func waiterCount() -> Int { exchange.state.withLock { $0.waiters.count } }
        async let response = exchange.whole()
        await until { waiterCount() == 1 }
        exchange.didReceive(200, ["Content-Length": "30"])
        for count in 1...3 {
            exchange.didReceive(Data(count: 10))
            #expect(waiterCount() == 1)
            let received = Int64(10 * count)
            #expect(
                gauge.progress == TransferProgress(expectedToSend: 0, received: received, expectedToReceive: 30))
        }
        exchange.didEnd(with: nil)
        #expect(waiterCount() == 0)
        #expect(try await response.body.count == 30)
        #expect(reports.withLock { $0 } == 0)
    }

    @Test("A whole answer is never paused")
    func whole() async throws {
        let (exchange, carrier) = try Self.exchange(.whole(limit: nil))
        exchange.didReceive(200, [:])
        exchange.didReceive(Data(count: 3 << 20))
        exchange.didEnd(with: nil)
        #expect(try await exchange.whole().body.count == 3 << 20)
        #expect(carrier.told.withLock { $0 } == [])
    }

    @Test("The first end counts, and the carrier is cancelled once")
    func ends() async throws {
        let (exchange, carrier) = try Self.exchange(.whole(limit: nil))
        exchange.fail(.bodyTooLarge(limit: 1))
        exchange.fail(.cancelled)
        exchange.didReceive(200, [:])
        exchange.didEnd(with: nil)
        #expect(carrier.told.withLock { $0 } == ["cancel"])
        await #expect {
            try await exchange.whole()
        } throws: { error in
            if case HTTPError.bodyTooLarge(1) = error { true } else { false }
        }
    }

    @Test("A carrier that comes after the end is cancelled")
    func late() throws {
        let (exchange, _) = try Self.exchange(.stream)
        exchange.fail(.cancelled)
        let carrier = CarrierDouble()
        exchange.attach(carrier)
        #expect(carrier.told.withLock { $0 } == ["cancel"])
    }

    @Test("An end without a head is a bad answer")
    func headless() async throws {
        let (exchange, carrier) = try Self.exchange(.stream)
        exchange.didEnd(with: nil)
        let code = await transportFailure { try await exchange.stream() }
        #expect(code == .badServerResponse)
        #expect(carrier.told.withLock { $0 } == [])
    }

    @Test("An exchange lets its carrier go when it ends", arguments: [true, false])
    func carrierLetGo(isFailure: Bool) throws {
        let url = try #require(URL(string: "http://localhost/"))
        let exchange = Exchange(for: TransportRequest(method: .get, url: url), as: .stream, sending: 0, report: nil)
        weak var gone: CarrierDouble?
        do {
            let carrier = CarrierDouble()
            gone = carrier
            exchange.attach(carrier)
        }
        #expect(gone != nil)
        if isFailure { exchange.fail(.cancelled) } else { exchange.didEnd(with: nil) }
        #expect(gone == nil)
    }

    @Test("Two readers of one stream share its pieces")
    func twoReaders() async throws {
        let (exchange, _) = try Self.exchange(.stream)
        exchange.didReceive(200, [:])
        let body = try await exchange.stream().body
        async let one = body.collected()
        async let other = body.collected()
        for _ in 0..<100 { exchange.didReceive(Data([1])) }
        exchange.didEnd(with: nil)
        let count = try await one.count + other.count
        #expect(count == 100)
    }
}
