import PigeonCore
import PigeonTesting
import Testing

/// The order of a dictionary depends on addresses in memory, so a run that relied on it could not be repeated.
@Suite("What concerns many entries")
struct StableOrderTests {
    @Test(arguments: [KeyFilter.all, .tag("all")])
    func `reaches them in the order in which they were last used`(filter: KeyFilter) throws {
        let client = QueryClient()
        let keys = (0..<100).map { QueryKey("group \($0 % 7)", $0).tagged("all") }
        for key in keys.reversed() { try client.set(0, for: key) }
        for key in keys { try client.set(1, for: key) }
        let recorder = EventRecorder(client)
        client.invalidate(filter)
        #expect(recorder.events.compactMap(\.key) == keys)
    }

    @Test func `reaches those below a path in the same order in every client`() throws {
        let orders = try (0..<5).map { _ in
            let client = QueryClient()
            for number in 0..<100 { try client.set(0, for: QueryKey("all", "group \(number % 7)", number)) }
            let recorder = EventRecorder(client)
            client.invalidate(.path("all"))
            return recorder.events.compactMap(\.key)
        }
        #expect(Set(orders).count == 1)
        #expect(orders.first?.count == 100)
    }
}
