import Foundation
import PigeonStore
import PigeonTesting
import Testing

@Suite("What managers and cachers are called in a client")
struct NamingTests {
    struct Fetcher: PigeonStore.Fetcher {
        func fetch(param: Int) async throws -> String { "user \(param)" }
    }

    // The base classes have one designated initializer, so these initializers need not call it.

    final class Plain: Cacher<Int, String>, @unchecked Sendable {
        static let shared = Plain()
        private override init() {}
    }

    final class Named: Cacher<Int, String>, @unchecked Sendable {
        override init() {}
        override var queryKey: QueryKey { "people" }
        override var expireSeconds: TimeInterval { 7 }
    }

    final class NamedManager: FlowableDataStateManager<Int>, @unchecked Sendable {
        override init() {}
        override var queryKey: QueryKey { "people" }
    }

    @Test("a cacher is called after its type, or as it is told, or as its subclass says")
    func cachers() {
        #expect(Plain.shared.queryKey == "Plain")
        #expect(Cacher<Int, String>(expireSeconds: 5).queryKey != Cacher<Int, String>(expireSeconds: 5).queryKey)
        let told = Cacher<Int, String>(expireSeconds: 5, queryKey: "users")
        #expect(told.queryKey == "users" && told.expireSeconds == 5)
        for (cacher, name) in [(told, QueryKey("users")), (Named(), "people")] {
            let store = AnyStoreFlowable.from(cacher: cacher, fetcher: Fetcher(), param: 1)
            #expect(store.queryKey == name.appending(1))
        }
        #expect(Cacher<Int, String>().expireSeconds == .infinity)
    }

    @Test("a manager is called after its type, or as it is told, or as its subclass says")
    func managers() {
        #expect(FlowableDataStateManager<Int>(queryKey: "users").queryKey == "users")
        #expect(NamedManager().queryKey == "people")
        #expect(FlowableDataStateManager<Int>().queryKey != FlowableDataStateManager<Int>().queryKey)
    }

    @Test("clearing reaches the stores of whatever name")
    func clearing() async throws {
        let lab = QueryLab()
        for cacher in [Named(), Cacher<Int, String>(expireSeconds: 5, queryKey: "users"), Plain.shared] {
            let store = AnyStoreFlowable.from(cacher: cacher, fetcher: Fetcher(), param: 1, client: lab.client)
            let words = Locked<[String]>([])
            let subscription = store.publish().sink { state in words.withLock { $0.append(state.word) } }
            _ = try await store.requireData()
            cacher.clear()
            #expect(await store.getData(from: .cache) == nil)
            #expect(words.withLock { $0 } == ["…", "user 1", "!\(NoSuchElementError())"])
            subscription.cancel()
        }
    }
}
