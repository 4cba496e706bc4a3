import PigeonCore
import PigeonTesting
import PigeonUI
import SwiftUI
import TestSupport
import Testing

@MainActor
@Suite("Views of queries")
struct QueryViewTests {
    let stage = Stage()

    struct PeopleView: View {
        @StateObject var people: Query<Void, [Person]>

        var body: some View {
            QueryView(people, content: names)
        }
    }

    private func query(_ lab: QueryLab, _ fetcher: ScriptedFetcher<[Person]>) -> Query<Void, [Person]> {
        Query(key: "people", behavior: .startImmediately(()), cache: InMemoryQueryCache(), client: lab.client) {
            _, context in
            try await fetcher.fetch(context)
        }
    }

    @Test func `a query is shown as it changes, and its value stays while it is fetched again`() async {
        let (lab, fetcher) = (stage.lab, stage.fetcher)
        let query = query(lab, fetcher)
        let screen = Screen { PeopleView(people: query) }
        #expect(screen.text == "(progress)")
        fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "List\n  Ann" })
        query.refetch(request: ())
        screen.update()
        #expect(screen.text == "List\n  Ann" && query.snapshot.isFetching)
        fetcher.succeed(with: [ann, bob])
        #expect(await screen.wait { $0 == "List\n  Ann\n  Bob" })
    }

    @Test func `a failed query is retried by its button with the last request`() async {
        let (lab, fetcher) = (stage.lab, stage.fetcher)
        let query = query(lab, fetcher)
        let screen = Screen { PeopleView(people: query) }
        fetcher.fail(with: Refused())
        #expect(await screen.wait { $0.contains("[Try Again]") })
        screen.tap("Try Again")
        let isAsked = await screen.wait { text in
            lab.settle()
            return fetcher.calls.count == 2 && text == "(progress)"
        }
        #expect(isAsked)
        fetcher.succeed(with: [bob])
        #expect(await screen.wait { $0 == "List\n  Bob" })
    }

    @Test func `a consumer shows what its query fetches, and fetches nothing itself`() async {
        let (lab, fetcher) = (stage.lab, stage.fetcher)
        let consumer = Query<Void, [Person]>.Consumer(key: "people", client: lab.client)
        let screen = Screen { QueryView(consumer, content: names) }
        #expect(screen.text == "(progress)" && fetcher.calls.isEmpty)
        let query = query(lab, fetcher)
        fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "List\n  Ann" })
        #expect(fetcher.calls.count == 1)
        withExtendedLifetime(query) {}
    }

    @Test(.rule("B16")) func `a query without a request is idle, and not loading`() async {
        let (lab, fetcher) = (stage.lab, stage.fetcher)
        let query = Query<String, [Person]>(client: lab.client) { text in
            text.isEmpty ? .nothing : QueryDefinition("search", text, fetch: fetcher.fetch)
        }
        let screen = Screen { QueryView(query, content: names, idle: { Text("Type a name") }) }
        #expect(screen.text == "Type a name")
        query.refetch(request: "a")
        screen.update()
        #expect(screen.text == "(progress)")
        fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "List\n  Ann" })
        query.refetch(request: "")
        #expect(await screen.wait { $0 == "Type a name" })
    }

    @Test(.rule("B16")) func `a view of no definition is idle, and so is one of a definition that is disabled`() {
        let nothing = QueryDefinition<[Person]>.nothing
        let disabled = stage.people.enabled(false)
        #expect(stage.screen { QueryView(nothing, content: names, idle: { Text("Soon") }) }.text == "Soon")
        #expect(stage.screen { QueryView(disabled, content: names, idle: { Text("Off") }) }.text == "Off")
        #expect(stage.screen { QueryView(disabled, content: names) }.text == "")
        #expect(stage.fetcher.calls.isEmpty)
    }

    @Test(.rule("X7")) func `an empty list can be pulled to refresh, as a list with rows can`() async {
        let stage = stage
        let screen = stage.screen {
            QueryView(stage.people, content: names).refreshable { [client = stage.lab.client] in
                _ = try? await client.refetch(stage.people)
            }
        }
        stage.fetcher.succeed(with: [])
        #expect(await screen.wait { $0.hasPrefix("Nothing Here") })
        async let isPulled = screen.pullToRefresh()
        let isAsked = await screen.wait { _ in
            stage.lab.settle()
            return stage.fetcher.pendingCount == 1
        }
        #expect(isAsked)
        stage.fetcher.succeed(with: [ann])
        #expect(await isPulled)
        #expect(screen.text == "List\n  Ann")
    }

    @Test func `a renderer shows each case as a view of its own`() {
        struct Names: QueryRenderer {
            var idleView: some View { Text("Not yet") }
            var loadingView: some View { ProgressView("People") }
            func successView(for people: [Person]) -> some View { names(people) }
            func failureView(for failure: any Error) -> some View {
                HStack {
                    Text("Oh"); Text("no")
                }
            }
        }
        func text(_ state: QueryState<[Person]>) -> String { Screen { Names().view(for: state) }.text }
        #expect(text(.idle) == "Not yet")
        #expect(text(.loading) == "(progress: People)")
        #expect(text(.succeed([ann])) == "List\n  Ann")
        #expect(text(.failed(Refused())) == "Oh  no")
    }
}
