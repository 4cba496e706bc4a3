import PigeonStore
import PigeonTesting
import TestSupport
import Testing

@Suite("A screen after a sign-out", .timeLimit(.minutes(1)))
struct SignOutTests {
    /// Returns the output of a screen, as an app would write it.
    private func screen(_ state: LoadingState<[Int]>) -> String {
        state.doAction(
            onLoading: { $0.map { "\($0) and a spinner" } ?? "a spinner" },
            onCompleted: { content, _, _ in "\(content)" },
            onError: { "an error: \($0)" }, onNoData: { "signed out" })
    }

    enum Leaving: String, CaseIterable {
        case update = "update(newData: nil)"
        case clear = "clear()"
        case remove = "the client's remove()"
        case fetching = "update(newData: nil) during a fetch"
    }

    @Test("A screen shows neither a spinner nor an error after a sign-out", .rule("U16"), arguments: Leaving.allCases)
    func signedOut(_ leaving: Leaving) async {
        let desk = StoreLab()
        let store = desk.list()
        let seen = Locked<[String]>([])
        let published: LoadingStatePublisher<[Int]> = store.publish()
        let subscription = published.sink { state in
            let text = screen(state)
            seen.withLock { $0.append(text) }
        }
        desk.origin.answer(Page(1))
        switch leaving {
        case .update: await store.update(newData: nil)
        case .clear: await store.clear()
        case .remove: desk.lab.client.remove(.path("lists"))
        case .fetching:
            _ = desk.lab.start { await store.refresh() }
            await store.update(newData: nil)
        }
        desk.lab.settle()
        #expect(seen.withLock { $0.first } == "a spinner")
        #expect(seen.withLock { $0.last } == "signed out")
        #expect(desk.origin.waiting.isEmpty)
        await store.update(newData: [2])
        #expect(seen.withLock { $0.last } == "[2]")
        subscription.cancel()
    }

    @Test("An origin without data for this user says so by throwing NoSuchElementError", .rule("U16"))
    func originHasNothing() async throws {
        let desk = StoreLab()
        let log = Locked<[String]>([])
        let published: LoadingStatePublisher<[Int]> = desk.list().publish()
        let subscription = published.sink { state in
            let text = screen(state)
            log.withLock { $0.append(text) }
        }
        desk.origin.fail(NoSuchElementError())
        #expect(log.withLock { $0 } == ["a spinner", "signed out"])
        subscription.cancel()
    }

    @Test("Combined states have no data if one of them has none, even while another loads", .rule("U16"))
    func combined() {
        let gone = LoadingState<Int>.error(rawError: NoSuchElementError())
        #expect(gone.zip(LoadingState<Int>.loading(content: nil)) { $0 + $1 }.hasNoData)
        #expect(LoadingState<Int>.loading(content: 1).zip(gone) { $0 + $1 }.hasNoData)
    }
}
