import PigeonStore
import PigeonTesting
import PigeonUI
import SwiftUI
import TestSupport
import Testing

@MainActor
@Suite("Views of stores")
struct StoreViewTests {
    private let client = QueryClient()
    private let cacher = Cacher<Int, [Person]>()
    private let people = People()

    /// Gives who it is told, or fails.
    final class People: Fetcher {
        private let state = Locked<(answer: [Person]?, asked: [Int])>(([ann], []))

        var asked: [Int] { state.withLock { $0.asked } }

        func answer(_ people: [Person]?) { state.withLock { $0.answer = people } }

        func fetch(param: Int) async throws -> [Person] {
            let answer = state.withLock { state in
                state.asked.append(param)
                return state.answer
            }
            guard let answer else { throw Refused() }
            return answer
        }
    }

    private func view(_ param: Int) -> some View { view(param, in: client) }

    private func view(_ param: Int, in client: QueryClient) -> some View {
        // Made anew each time, as stores are made where they are used.
        let store = AnyStoreFlowable.from(cacher: cacher, fetcher: people, param: param, client: client)
        return QueryView(store, content: names)
    }

    @Test func `a store's data is fetched once, however often the view is built, and shown as it changes`() async {
        let screen = Screen { view(1) }
        #expect(await screen.wait { $0 == "List\n  Ann" })
        screen.rebuild()
        screen.rebuild()
        #expect(people.asked == [1])
        let store = AnyStoreFlowable.from(cacher: cacher, fetcher: people, param: 1, client: client)
        await store.update(newData: [ann, bob])
        #expect(await screen.wait { $0 == "List\n  Ann\n  Bob" })
    }

    @Test func `a failure is told and retried`() async {
        people.answer(nil)
        let screen = Screen { view(1) }
        #expect(await screen.wait { $0.contains("The server refused.") })
        people.answer([bob])
        screen.tap("Try Again")
        #expect(await screen.wait { $0 == "List\n  Bob" })
        #expect(people.asked == [1, 1])
    }

    @Test(.rule("U16")) func `a store that was emptied is shown as empty, without a spinner or a failure`() async {
        let screen = Screen { view(1) }
        #expect(await screen.wait { $0 == "List\n  Ann" })
        let store = AnyStoreFlowable.from(cacher: cacher, fetcher: people, param: 1, client: client)
        await store.clear()
        #expect(await screen.wait { $0 == "Nothing Here\n[Refresh]" })
        await store.update(newData: [bob])
        #expect(await screen.wait { $0 == "List\n  Bob" })
    }

    @Test func `a view that is built again does not ask again for what failed`() async {
        people.answer(nil)
        let screen = Screen { view(1) }
        #expect(await screen.wait { $0.contains("The server refused.") })
        for _ in 1...3 {
            screen.rebuild()
            #expect(screen.text.contains("The server refused."))
        }
        #expect(people.asked == [1])
    }

    @Test func `another key is followed in place of the one before`() async {
        let param = Choice(1)
        let screen = Screen { view(param.value) }
        #expect(await screen.wait { $0 == "List\n  Ann" })
        people.answer([bob])
        param.value = 2
        screen.rebuild()
        #expect(await screen.wait { $0 == "List\n  Bob" })
        #expect(people.asked == [1, 2])
    }

    @Test func `another client is followed in place of the one before`() async {
        let (other, choice) = (QueryClient(), Choice(client))
        let screen = Screen { view(1, in: choice.value) }
        #expect(await screen.wait { $0 == "List\n  Ann" })
        choice.value = other
        screen.rebuild()
        // A write through one client does not reach the entry of the other one.
        let store = AnyStoreFlowable.from(cacher: cacher, fetcher: people, param: 1, client: other)
        await store.update(newData: [bob])
        #expect(await screen.wait { $0 == "List\n  Bob" })
    }
}
