import PigeonCore
import Testing

@Suite("What a client leaves behind")
struct ClientLifetimeTests {
    private final class Value: Sendable {}

    @Test func `a client that is let go frees its values`() throws {
        weak var value: Value?
        do {
            let client = QueryClient()
            let held = Value()
            value = held
            try client.set(held, for: QueryKey("users", 1))
            try client.set(Value(), for: QueryKey("users", 1, "friends"))
            #expect(value != nil)
        }
        #expect(value == nil)
    }
}
