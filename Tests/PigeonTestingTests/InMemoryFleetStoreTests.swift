import PigeonCore
import PigeonFleet
import PigeonTesting
import TestSupport
import Testing

@Suite("A fleet's store in memory")
struct InMemoryFleetStoreTests {
    @Test("a call is counted once, however often it is woken", .rule("A76"))
    func counts() throws {
        let lab = QueryLab()
        let store = InMemoryFleetStore(clock: lab.clock)
        store.fault = .hangs
        let value = lab.start { try await store.value(for: "a") }
        let published = lab.start { try await store.publish([.stale(.tag("shop"))], by: "me") }
        store.fault = nil
        lab.settle()
        #expect(value.result != nil)
        let position = try #require(published.value)
        let reading = lab.start { try await store.news(after: position, waiting: .seconds(60)) }
        store.fault = nil
        lab.settle()
        #expect(reading.result == nil)
        lab.advance(by: .seconds(60))
        #expect(reading.result != nil)
        for name in ["value", "publish", "news"] { #expect(store.callCount(of: name) == 1) }
    }
}
