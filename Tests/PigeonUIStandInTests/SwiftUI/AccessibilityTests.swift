import Accessibility
import PigeonCore
import PigeonTesting
import PigeonUI
import SwiftUI
import TestSupport
import Testing

@MainActor
@Suite("Views for users of screen readers, large text and reduced motion")
struct AccessibilityTests {
    let stage = Stage()
    private let heard = Heard()

    private func screen(@ViewBuilder _ content: @escaping @MainActor () -> some View) -> Screen {
        stage.screen { [heard] in content().environment(\.announce) { heard.texts.append($0) } }
    }

    private func spoken(_ state: ViewState<[Person]>, retry: RetryAction? = nil) -> [String] {
        Screen { StateView(state, retry: retry, content: names) }.spoken
    }

    // MARK: Elements

    @Test func `a spinner has a name, in each language`() {
        #expect(spoken(ViewState(isLoading: true)) == ["Loading"])
        #expect(Screen { QueryView(stage.people, content: names) }.spoken == ["Loading"])
        #expect(Screen { NextPageView(count: 1, hasNextPage: true) {} }.spoken == ["Loading"])
        let named = UserText.languages.map(UserText.loading.text(in:))
        #expect(named == ["Loading", "Wird geladen", "Chargement en cours"])
    }

    @Test func `a failure is read before its button, and its symbol is not read`() {
        #expect(spoken(ViewState(error: Refused()), retry: {}) == ["The server refused.", "Try Again, button"])
        #expect(spoken(ViewState(content: []), retry: {}) == ["Nothing Here", "Refresh, button"])
        #expect(spoken(ViewState(isLoading: true, isWaiting: true)) == ["Waiting for the Network"])
    }

    @Test func `a message about content is read after it, as one element with its button`() {
        let stale = ViewState(content: [ann], error: Refused())
        #expect(spoken(stale, retry: {}) == ["Ann", "The server refused., Try Again, button"])
        let page = Screen { NextPageView(count: 1, hasNextPage: true, error: Refused()) {} }
        #expect(page.spoken == ["The server refused., Try Again, button"])
    }

    @Test func `at the largest text sizes, a message has a line of its own, and a failure scrolls`() {
        func view(_ state: ViewState<[Person]>, _ size: DynamicTypeSize) -> Screen {
            Screen { StateView(state, retry: {}, content: names).environment(\.dynamicTypeSize, size) }
        }
        let stale = ViewState(content: [ann], error: Refused())
        #expect(view(stale, .xxxLarge).text == "List\n  Ann\nThe server refused.  [Try Again]")
        #expect(view(stale, .accessibility5).text == "List\n  Ann\nThe server refused.\n[Try Again]")
        let failed = ViewState<[Person]>(error: Refused())
        #expect(!view(failed, .large).scrolls)
        #expect(view(failed, .accessibility5).scrolls)
    }

    // MARK: Announcements

    @Test func `the end of a load without content is announced, once, and a refetch behind content is not`() async {
        let (stage, heard) = (stage, heard)
        let screen = screen { QueryView(stage.people, content: names) }
        #expect(heard.texts == [])
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "List\n  Ann" })
        #expect(heard.texts == ["Loaded"])
        screen.rebuild()
        stage.lab.client.invalidateWithoutWaiting(stage.people)
        stage.fetcher.succeed(with: [bob])
        #expect(await screen.wait { $0 == "List\n  Bob" })
        stage.lab.client.invalidateWithoutWaiting(stage.people)
        stage.fetcher.fail(with: Refused())
        #expect(await screen.wait { $0.contains("The server refused.") })
        #expect(heard.texts == ["Loaded"])
    }

    @Test func `a load that fails is announced with its message, and so is each retry`() async {
        let (stage, heard) = (stage, heard)
        let screen = screen { QueryView(stage.people.retry(.never), content: names) }
        stage.fetcher.fail(with: Refused())
        #expect(await screen.wait { $0.contains("[Try Again]") })
        #expect(heard.texts == ["The server refused."])
        screen.tap("Try Again")
        #expect(screen.text == "(progress)")
        stage.fetcher.fail(with: Refused())
        #expect(await screen.wait { $0.contains("[Try Again]") })
        screen.tap("Try Again")
        stage.fetcher.succeed(with: [])
        #expect(await screen.wait { $0.hasPrefix("Nothing Here") })
        #expect(heard.texts == ["The server refused.", "The server refused.", "Nothing Here"])
    }

    @Test func `content that is there when a view appears, or that changes, is not announced`() {
        let state = Choice(ViewState(content: [ann]))
        let screen = screen { StateView(state.value, content: names) }
        state.value = ViewState(content: [])
        screen.rebuild()
        state.value = ViewState(content: [bob], isLoading: true)
        screen.rebuild()
        #expect(heard.texts == [])
        state.value = ViewState(isLoading: true, isWaiting: true)
        screen.rebuild()
        #expect(heard.texts == ["Waiting for the Network"])
    }

    @Test func `a page that fails is announced, and one that comes is not`() {
        let page = Choice<(count: Int, error: Refused?)>((1, nil))
        let screen = screen {
            NextPageView(
                count: page.value.count, hasNextPage: true, isLoading: page.value.error == nil, error: page.value.error
            ) {}
        }
        page.value.count = 2
        screen.rebuild()
        #expect(heard.texts == [])
        page.value.error = Refused()
        screen.rebuild()
        screen.rebuild()
        #expect(heard.texts == ["The server refused."])
    }

    struct Pulled: View {
        @UseQuery var people: Snapshot<[Person]>

        init(_ definition: QueryDefinition<[Person]>) { _people = UseQuery(definition) }

        var body: some View { StateView(people, content: names).refreshable($people) }
    }

    @Test(arguments: [true, false])
    func `the end of a refetch that the user starts by pulling down is announced`(succeeds: Bool) async {
        let (stage, heard) = (stage, heard)
        let screen = screen { Pulled(stage.people.retry(.never)) }
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "List\n  Ann" })
        heard.texts = []
        async let isPulled = screen.pullToRefresh()
        await until {
            stage.lab.settle()
            return stage.fetcher.pendingCount == 1
        }
        if succeeds { stage.fetcher.succeed(with: [bob]) } else { stage.fetcher.fail(with: Refused()) }
        #expect(await isPulled)
        #expect(heard.texts == [succeeds ? "Loaded" : "The server refused."])
    }

    struct PulledQuery: View {
        @StateObject var people: Query<Void, [Person]>

        var body: some View { QueryView(people, content: names).refreshable(people) }
    }

    /// A screen that shows Ann, with what is announced from then on.
    private func pulledScreen() async -> Screen {
        let (stage, heard) = (stage, heard)
        let query = Query(stage.people, client: stage.lab.client)
        let screen = screen { PulledQuery(people: query) }
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "List\n  Ann" })
        heard.texts = []
        return screen
    }

    @Test func `a refetch that has to wait for the network is announced so, and not as loaded`() async {
        let screen = await pulledScreen()
        stage.lab.setOnline(false)
        #expect(await screen.pullToRefresh())
        #expect(heard.texts == ["Waiting for the Network"])
        #expect(screen.text == "List\n  Ann")
    }

    @Test func `a refetch that finds nothing is announced so, and not as loaded`() async {
        let screen = await pulledScreen()
        async let isPulled = screen.pullToRefresh()
        await until {
            stage.lab.settle()
            return stage.fetcher.pendingCount == 1
        }
        stage.fetcher.succeed(with: [])
        #expect(await isPulled)
        #expect(heard.texts == ["Nothing Here"])
    }

    @Test func `a refetch for which the screen no longer waits is not announced`() async {
        let screen = await pulledScreen()
        let pull = Task { await screen.pullToRefresh() }
        await until {
            stage.lab.settle()
            return stage.fetcher.pendingCount == 1
        }
        pull.cancel()
        #expect(await pull.value)
        #expect(heard.texts == [])
    }

    @Test func `a screen that makes its own announcements turns these off`() async {
        let (stage, heard) = (stage, heard)
        let screen = screen { QueryView(stage.people, content: names).announcesLoads(false) }
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "List\n  Ann" })
        #expect(heard.texts == [])
    }

    @Test(.rule("X11")) func `the system announces after the update, and what several views say at once only once`()
        async
    {
        let (isLoading, message) = (Choice(true), "Refused \(UUID())")
        struct Told: LocalizedError {
            let errorDescription: String?
        }
        let screen = Screen {
            let state = ViewState<[Person]>(
                isLoading: isLoading.value, error: isLoading.value ? nil : Told(errorDescription: message))
            StateView(state, content: names)
            StateView(state, content: names)
        }
        isLoading.value = false
        screen.rebuild()
        #expect(!AccessibilityNotification.announced.contains(message))
        await until { AccessibilityNotification.announced.contains(message) }
        #expect(AccessibilityNotification.announced.filter { $0 == message }.count == 1)
        #expect(!AccessibilityNotification.interrupting.contains(message), "it waits for what is spoken before it")
    }

    /// A view that waits, below other views.
    enum Place: CaseIterable {
        case page, tab
    }

    @Test(.rule("X11"), arguments: Place.allCases)
    func `a load that ends below another page, or in another tab, is not announced`(_ place: Place) {
        let state = Choice(ViewState<[Person]>(isLoading: true))
        let screen = screen {
            switch place {
            case .page:
                NavigationStack {
                    StateView(state.value, content: names)
                    NavigationLink("On") { Text("Page") }
                }
            case .tab:
                TabView {
                    StateView(state.value, content: names).tabItem { Text("Back") }
                    Text("Page").tabItem { Text("On") }
                }
            }
        }
        func show(_ next: ViewState<[Person]>) {
            state.value = next
            screen.rebuild()
        }
        screen.tap("On")
        show(ViewState(content: [ann]))
        #expect(heard.texts == [])
        if place == .page { screen.goBack() } else { screen.tap("Back") }
        #expect(screen.text.contains("Ann"))
        show(ViewState(isLoading: true))
        show(ViewState(content: [bob]))
        #expect(heard.texts == ["Loaded"])
    }

    @Test(.rule("X11")) func `the end of a pulled refetch is not announced below another page`() async {
        let (stage, heard) = (stage, heard)
        let screen = screen {
            NavigationStack {
                Pulled(stage.people)
                NavigationLink("On") { Text("Page") }
            }
        }
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0.contains("Ann") })
        heard.texts = []
        async let isPulled = screen.pullToRefresh()
        await until {
            stage.lab.settle()
            return stage.fetcher.pendingCount == 1
        }
        screen.tap("On")
        stage.fetcher.succeed(with: [bob])
        #expect(await isPulled)
        #expect(heard.texts == [])
    }

    // MARK: Motion

    struct Moving: View {
        @UseQuery var people: Snapshot<[Person]>
        @UseSelection<[Person], Int> var count: Snapshot<Int>

        init(_ definition: QueryDefinition<[Person]>) {
            _people = UseQuery(definition, animation: .default)
            _count = UseSelection(definition, animation: .default) { $0.count }
        }

        var body: some View { Text("\(people.value?.count ?? 0) \(count.value ?? 0)") }
    }

    struct Busy: View {
        @UseActivity(.all, animation: .default) var activity: ClientActivity
        @UseMutation<String, String> var rename: QueryState<String>

        init() { _rename = UseMutation(animation: .default, fetcher: { $0 }) }

        var body: some View {
            Text("\(activity.isFetching ? "busy" : "idle") \(rename.value ?? "")")
            Button("Rename") { $rename.execute(with: "Ann") }
        }
    }

    @Test(arguments: [true, false])
    func `changes are not animated for a user who prefers less motion`(reducesMotion: Bool) async {
        let stage = stage
        let screen = screen { Moving(stage.people).environment(\.accessibilityReduceMotion, reducesMotion) }
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "1 1" })
        #expect((screen.animatedChanges == 0) == reducesMotion)

        let busy = stage.screen { Busy().environment(\.accessibilityReduceMotion, reducesMotion) }
        busy.tap("Rename")
        #expect(
            await busy.wait { text in
                stage.lab.settle()
                return text.hasPrefix("idle Ann")
            })
        let observer = stage.lab.client.observe(stage.people("other"))
        #expect(await busy.wait { $0.hasPrefix("busy") })
        #expect((busy.animatedChanges == 0) == reducesMotion)
        withExtendedLifetime(observer) {}
    }
}
