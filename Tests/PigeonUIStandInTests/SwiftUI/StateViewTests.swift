import PigeonCore
import PigeonREST
import PigeonStore
import PigeonUI
import SwiftUI
import TestSupport
import Testing

@MainActor
@Suite("What is shown of a state")
struct StateViewTests {
    private func text(_ state: some ViewStateConvertible<[Person]>, retry: RetryAction? = nil) -> String {
        Screen { StateView(state, retry: retry, content: names) }.text
    }

    @Test func `each face's states are shown alike`() {
        let failure = RequestError(userMessage: "Down.", cause: Refused())
        #expect(text(QueryState<[Person]>.loading) == "(progress)")
        #expect(text(QueryState.succeed([ann])) == "List\n  Ann")
        #expect(text(QueryState<[Person]>.failed(Refused())).hasSuffix("The server refused."))
        #expect(text(LoadingState<[Person]>.loading(content: nil)) == "(progress)")
        #expect(text(LoadingState.loading(content: [ann])) == "List\n  Ann")
        #expect(
            text(
                LoadingState.completed(
                    content: [bob], next: .fixed(canRequestAdditionalData: true),
                    prev: .fixed(canRequestAdditionalData: true))) == "List\n  Bob")
        #expect(text(LoadingState<[Person]>.error(rawError: Refused())).hasSuffix("The server refused."))
        #expect(text(ResourceState<[Person]>.fakeLoading()) == "(progress)")
        #expect(text(ResourceState.fakeLoading([ann])) == "List\n  Ann")
        #expect(text(ResourceState.fake([ann, bob])) == "List\n  Ann\n  Bob")
        #expect(text(ResourceState<[Person]>.fakeFailure(failure)).hasSuffix("Down."))
        #expect(text(ViewState(content: [ann])) == "List\n  Ann")
    }

    @Test(.rule("B16")) func `what is not requested is clear, or the view of the app`() {
        #expect(text(QueryState<[Person]>.idle) == "")
        #expect(text(ViewState<[Person]>(isIdle: true).map { $0 }) == "")
        let screen = Screen {
            StateView(QueryState<[Person]>.idle, content: names, idle: { Text("Ask") })
        }
        #expect(screen.text == "Ask")
        #expect(text(ViewState<[Person]>(isLoading: true, isIdle: true)) == "(progress)")
        #expect(text(ViewState<[Person]>(error: Refused(), isIdle: true)).hasSuffix("The server refused."))
        #expect(text(ViewState(content: [ann], isIdle: true)) == "List\n  Ann")
    }

    @Test func `content without elements is empty, also in pages and optionals`() {
        #expect(text(QueryState<[Person]>.succeed([])) == "Nothing Here")
        #expect(text(ViewState<[Person]>(content: [], isLoading: true)) == "Nothing Here")
        let pages = Pages<[Person], Int>([.init(id: 1, page: [])], nextID: nil)
        #expect(Screen { StateView(ViewState(content: pages)) { _ in Text("Pages") } }.text == "Nothing Here")
        let some = Pages([.init(id: 1, page: []), .init(id: 2, page: [ann])], nextID: 3)
        #expect(Screen { StateView(ViewState(content: some)) { _ in Text("Pages") } }.text == "Pages")
        #expect(
            Screen { StateView(ViewState<Person?>(content: .some(nil))) { _ in Text("One") } }.text == "Nothing Here")
        #expect(Screen { StateView(ViewState(content: 0)) { Text("\($0)") } }.text == "0")
    }

    @Test(.rule("X7")) func `what is empty can be loaded again with a button, where it can be`() {
        let loads = Choice(0)
        let screen = Screen {
            StateView(ViewState<[Person]>(content: []), retry: { loads.value += 1 }, content: names)
        }
        #expect(screen.text == "Nothing Here\n[Refresh]")
        screen.tap("Refresh")
        #expect(loads.value == 1)
        #expect(text(ViewState<[Person]>(content: [])) == "Nothing Here")
    }

    @Test func `what failed can be retried, where it can be`() {
        let retries = Choice(0)
        let screen = Screen {
            StateView(QueryState<[Person]>.failed(Refused()), retry: { retries.value += 1 }, content: names)
        }
        #expect(screen.text == "<exclamationmark.triangle>\nThe server refused.\n[Try Again]")
        screen.tap("Try Again")
        #expect(retries.value == 1)
        #expect(!text(QueryState<[Person]>.failed(Refused())).contains("[Try Again]"))
    }

    @Test func `content that could not be refreshed stays, with a line that says so unless that is hidden`() {
        let state = ViewState(content: [ann], error: Refused())
        let retries = Choice(0)
        let screen = Screen { StateView(state, retry: { retries.value += 1 }, content: names) }
        #expect(screen.text.hasPrefix("List\n  Ann\n"))
        #expect(screen.text.contains("The server refused."))
        screen.tap("Try Again")
        #expect(retries.value == 1)
        let quiet = Screen { StateView(state, content: names).refreshFailures(.hidden) }
        #expect(quiet.text == "List\n  Ann")
        #expect(text(ViewState<[Person]>(content: [], error: Refused())).contains("The server refused."))
    }

    @Test func `a load that waits for the network says so`() {
        #expect(text(ViewState<[Person]>(isLoading: true, isWaiting: true)) == "Waiting for the Network")
        #expect(text(ViewState(content: [ann], isLoading: true, isWaiting: true)) == "List\n  Ann")
    }

    @Test func `each part can be one's own`() {
        func view(_ state: ViewState<[Person]>) -> String {
            Screen {
                StateView(state) { people in
                    Text("\(people.count) people")
                } loading: {
                    Text("One moment")
                } failure: { error, retry in
                    Text("Oh: \(error.localizedDescription) \(retry == nil ? "for good" : "")")
                } empty: {
                    Text("Nobody")
                }
            }.text
        }
        #expect(view(ViewState(content: [ann, bob])) == "2 people")
        #expect(view(ViewState(isLoading: true)) == "One moment")
        #expect(view(ViewState(error: Refused())) == "Oh: The server refused. for good")
        #expect(view(ViewState(content: [])) == "Nobody")
    }

    @Test func `a failure that is retried is loading`() {
        #expect(text(ViewState<[Person]>(isLoading: true, error: Refused())) == "(progress)")
    }
}
