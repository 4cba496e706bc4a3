import Foundation
import PigeonCore
import PigeonTesting
import PigeonUI
import SwiftUI
import TestSupport
import Testing

@MainActor
@Suite("A property that fetches")
struct UseQueryTests {
    let stage = Stage()

    struct PeopleView: View {
        @UseQuery var people: Snapshot<[Person]>

        init(_ definition: QueryDefinition<[Person]>) {
            _people = UseQuery(definition)
        }

        var body: some View {
            StateView(people, retry: $people.retry, content: names)
            Button("Add") { $people.update { $0.append(bob) } }
            Button("Again", action: $people.invalidate)
            Button("Stop", action: $people.cancel)
        }
    }

    private var buttons: String { "[Add]\n[Again]\n[Stop]" }

    struct FirstName: View {
        @UseSelection<[Person], String> var name: Snapshot<String>

        init(_ definition: QueryDefinition<[Person]>) {
            _name = UseSelection(definition) { $0.first?.name ?? "" }
        }

        var body: some View { Text(name.value ?? "nobody") }
    }

    @Test(.rule("B14")) func `a selection is built again only for its own part`() async {
        let stage = stage
        let screen = stage.screen { FirstName(stage.people) }
        #expect(screen.text == "nobody")
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "Ann" })
        let before = screen.renders(of: FirstName.self)
        stage.lab.client.update(stage.people) { $0.append(bob) }
        stage.lab.client.invalidateWithoutWaiting(stage.people)
        stage.fetcher.succeed(with: [ann])
        #expect(screen.renders(of: FirstName.self) == before)
        stage.lab.client.update(stage.people) { $0 = [bob] }
        #expect(await screen.wait { $0 == "Bob" })
        #expect(screen.renders(of: FirstName.self) == before + 1)
    }

    struct AnimatedView: View {
        @UseQuery var people: Snapshot<[Person]>
        @UseSelection<[Person], String> var name: Snapshot<String>

        init(_ definition: QueryDefinition<[Person]>, animation: Animation?) {
            _people = UseQuery(definition, animation: animation)
            _name = UseSelection(definition, animation: animation) { $0.first?.name ?? "" }
        }

        var body: some View { Text("\(people.value?.count ?? 0) \(name.value ?? "nobody")") }
    }

    @Test(.rule("B17"), arguments: [true, false])
    func `changes are announced with the animation of the property, if it has one`(isAnimated: Bool) async {
        let stage = stage
        let screen = stage.screen { AnimatedView(stage.people, animation: isAnimated ? .default : nil) }
        #expect(screen.text == "0 nobody" && screen.animatedChanges == 0)
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "1 Ann" })
        #expect(isAnimated ? screen.animatedChanges >= 2 : screen.animatedChanges == 0)
    }

    struct OptionalView: View {
        @UseQuery var people: Snapshot<[Person]>

        init(_ definition: QueryDefinition<[Person]>?) {
            _people = UseQuery(definition)
        }

        var body: some View { Text(people.value.map { "\($0.count)" } ?? "nothing") }
    }

    @Test func `a query that is not known yet shows nothing, and fetches once it is`() async {
        let stage = stage
        let choice = Choice<QueryDefinition<[Person]>?>(nil)
        let screen = stage.screen { OptionalView(choice.value) }
        #expect(screen.text == "nothing" && stage.fetcher.calls.isEmpty)
        choice.value = stage.people
        screen.rebuild()
        stage.fetcher.succeed(with: [ann, bob])
        #expect(await screen.wait { $0 == "2" })
    }

    @Test func `a view without a client says so once, and shows what the shared one has`() throws {
        try SharedState.$current.withValue(SharedState()) {
            let reports = Recorder<String>()
            let subscription = QueryClient.shared.onEvent { event in
                if case .misuse(let text) = event.kind { reports.append(text) }
            }
            let definition = QueryDefinition<[Person]>.value("people")
            try QueryClient.shared.set([ann], for: definition)
            let screens = (0..<2).map { _ in Screen { OptionalView(definition) } }
            #expect(screens.map(\.text) == ["1", "1"])
            #expect(reports.all.count == 1 && reports.all.first?.contains(".queryClient(client)") == true)
            withExtendedLifetime(subscription) {}
        }
    }

    @Test func `a view that is given a client is not reported`() {
        SharedState.$current.withValue(SharedState()) {
            let reports = Recorder<String>()
            let subscription = QueryClient.shared.onEvent { event in
                if case .misuse(let text) = event.kind { reports.append(text) }
            }
            let client = stage.lab.client
            let app = Screen { OptionalView(stage.people).queryClient(client) }
            let preview = Screen { OptionalView(stage.people).environment(\.queryClient, .preview()) }
            #expect(app.text == "nothing" && preview.text == "nothing")
            #expect(reports.all.isEmpty)
            withExtendedLifetime(subscription) {}
        }
    }

    @Test func `it fetches when it is shown, and shows each change once`() async {
        let stage = stage
        let screen = stage.screen { PeopleView(stage.people) }
        #expect(screen.text == "(progress)\n\(buttons)")
        #expect(stage.fetcher.calls.count == 1)
        let before = screen.renders(of: PeopleView.self)
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0.hasPrefix("List\n  Ann\n") })
        #expect(screen.renders(of: PeopleView.self) == before + 1)
    }

    @Test func `a view that begins to fetch what another shows has that one told after it is built`() async {
        let stage = stage
        let choice = Choice(false)
        let screen = stage.screen {
            PeopleView(stage.people)
            if choice.value { PeopleView(stage.people.refetchOnAttach(.always)) }
        }
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0.hasPrefix("List\n  Ann\n") })
        choice.value = true
        screen.rebuild()
        #expect(stage.fetcher.calls.count == 2 && screen.untimelyChanges == 0)
        stage.fetcher.succeed(with: [ann, bob])
        #expect(await screen.wait { $0.components(separatedBy: "Bob").count == 3 })
    }

    @Test func `what is cached is there in the first frame`() throws {
        let stage = stage
        try stage.lab.client.set([ann], for: stage.people.staleAfter(.never))
        let screen = stage.screen { PeopleView(stage.people.staleAfter(.never)) }
        #expect(screen.text.hasPrefix("List\n  Ann\n"))
        #expect(stage.fetcher.calls.isEmpty && screen.renders(of: PeopleView.self) == 1)
    }

    @Test func `a view that is built again fetches nothing, and is built no more often for it`() async {
        let stage = stage
        let screen = stage.screen { PeopleView(stage.people) }
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0.hasPrefix("List") })
        let before = screen.renders(of: PeopleView.self)
        for _ in 1...5 { screen.rebuild() }
        screen.update()
        #expect(stage.fetcher.calls.count == 1)
        #expect(screen.renders(of: PeopleView.self) <= before + 5)
        #expect(stage.lab.log.filter { $0.contains("fetching") }.count == 1)
    }

    @Test func `another key is followed in place of the one before, at once and without its value`() async {
        let stage = stage
        let key = Choice<QueryKey>("one")
        let screen = stage.screen { PeopleView(stage.people(key.value)) }
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0.hasPrefix("List\n  Ann") })
        key.value = "two"
        screen.rebuild()
        #expect(screen.text.hasPrefix("(progress)"))
        stage.fetcher.succeed(with: [bob])
        #expect(await screen.wait { $0.hasPrefix("List\n  Bob") })
        key.value = "one"
        screen.rebuild()
        #expect(screen.text.hasPrefix("List\n  Ann"))
        #expect(stage.fetcher.calls.map(\.key) == ["one", "two", "one"], "what came back is stale, and fetched again")
    }

    @Test func `a definition that is enabled later fetches then`() {
        let stage = stage
        let isEnabled = Choice(false)
        let screen = stage.screen { PeopleView(stage.people.enabled(isEnabled.value)) }
        #expect(stage.fetcher.calls.isEmpty)
        isEnabled.value = true
        screen.rebuild()
        screen.rebuild()
        #expect(stage.fetcher.calls.count == 1)
    }

    @Test func `views of one key share one fetch, whoever comes first and whoever goes`() async {
        let stage = stage
        let one = stage.screen { PeopleView(stage.people) }
        let two = stage.screen { PeopleView(stage.people) }
        #expect(stage.fetcher.calls.count == 1)
        one.close()
        stage.fetcher.succeed(with: [ann])
        #expect(await two.wait { $0.hasPrefix("List\n  Ann") })
    }

    @Test func `leaving cancels what runs, or does not, as the definition says`() {
        let stage = stage
        let finishing = stage.screen { PeopleView(stage.people("finishing")) }
        finishing.close()
        stage.fetcher.succeed(with: [ann])
        #expect(stage.lab.client.value(of: stage.people("finishing")) == [ann])
        let cancelled = stage.screen { PeopleView(stage.people("cancelled").whenAbandoned(.cancel)) }
        cancelled.close()
        stage.lab.settle()
        #expect(stage.lab.log.last?.hasPrefix("cancelled cancelled") == true)
        #expect(stage.lab.client.value(of: stage.people("cancelled")) == nil)
    }

    @Test func `a view that is gone for good is not told any more, and nothing of it is left`() async {
        let stage = stage
        let screen = stage.screen { PeopleView(stage.people.poll(every: .seconds(5)).keepFor(.zero)) }
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0.hasPrefix("List") })
        screen.close()
        stage.lab.advance(by: .seconds(60))
        #expect(stage.fetcher.calls.count == 1 && stage.lab.client.entries().isEmpty)
    }

    @Test func `it can be edited, invalidated, cancelled and retried`() async {
        let stage = stage
        let screen = stage.screen { PeopleView(stage.people) }
        screen.tap("Stop")
        stage.lab.settle()
        #expect(stage.lab.client.snapshot(of: stage.people).activity == .idle)
        screen.tap("Again")
        stage.lab.settle()
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0.hasPrefix("List\n  Ann") })
        screen.tap("Add")
        #expect(await screen.wait { $0.hasPrefix("List\n  Ann\n  Bob") })
        screen.tap("Again")
        stage.fetcher.fail(with: Refused())
        #expect(await screen.wait { $0.hasPrefix("List\n  Ann\n  Bob") && $0.contains("The server refused.") })
        screen.tap("Try Again")
        let isAsked = await screen.wait { _ in
            stage.lab.settle()
            return stage.fetcher.pendingCount == 1
        }
        #expect(isAsked)
        stage.fetcher.succeed(with: [bob])
        #expect(await screen.wait { $0.hasPrefix("List\n  Bob") && !$0.contains("refused") })
    }

    @Test func `a view without a model shows a definition`() async {
        let stage = stage
        let screen = stage.screen { QueryView(stage.people, content: names) }
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "List\n  Ann" })
        screen.rebuild()
        #expect(stage.fetcher.calls.count == 1)
    }

    @Test func `another client is followed in place of the one before`() async {
        let (one, two) = (stage, Stage())
        let client = Choice(one.lab.client)
        let screen = Screen { QueryView(one.people, content: names).environment(\.queryClient, client.value) }
        one.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "List\n  Ann" })
        client.value = two.lab.client
        screen.rebuild()
        #expect(screen.text == "(progress)")
    }

    /// Reads nothing of the query that it hands on.
    struct GivingView: View {
        @UseQuery var people: Snapshot<[Person]>
        @UseSelection<[Person], Int> var count: Snapshot<Int>
        let other: QueryClient?

        init(_ definition: QueryDefinition<[Person]>, other: QueryClient? = nil) {
            _people = UseQuery(definition)
            _count = UseSelection(definition) { $0.count }
            self.other = other
        }

        var body: some View {
            QueryView($people, content: names)
            TakingView(people: $people, count: $count)
            if let other { TakingView(people: $people, count: $count).environment(\.queryClient, other) }
        }
    }

    struct TakingView: View {
        @UseQuery var people: Snapshot<[Person]>
        @UseSelection<[Person], Int> var count: Snapshot<Int>

        init(people: UseQuery<[Person]>, count: UseSelection<[Person], Int>) {
            _people = people
            _count = count
        }

        var body: some View { Text("\(people.value?.count ?? 0) of \(count.value ?? 0)") }
    }

    @Test(.rule("X4")) func `a view that only hands its query on is not built for the changes that its children show`()
        async
    {
        let stage = stage
        let screen = stage.screen { GivingView(stage.people) }
        #expect(screen.text == "(progress)\n0 of 0")
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "List\n  Ann\n1 of 1" })
        #expect(stage.fetcher.calls.count == 1)
        #expect(screen.renders(of: GivingView.self) == 1)
    }

    @Test(.rule("X4")) func `each view that a query is handed to follows it with its own client`() async throws {
        let (stage, other) = (stage, Stage().lab.client)
        try other.set([ann, bob], for: stage.people.staleAfter(.never))
        let screen = stage.screen { GivingView(stage.people.staleAfter(.never), other: other) }
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "List\n  Ann\n1 of 1\n2 of 2" })
        let attached = stage.lab.log.filter { $0.contains("observed") }.count
        for _ in 1...3 { screen.rebuild() }
        #expect(screen.text == "List\n  Ann\n1 of 1\n2 of 2")
        #expect(stage.lab.log.filter { $0.contains("observed") }.count == attached)
    }

    struct ProjectedView: View {
        @UseQuery var people: Snapshot<[Person]>

        init(_ definition: QueryDefinition<[Person]>) { _people = UseQuery(definition) }

        var body: some View { StateView($people.viewState, content: names) }
    }

    @Test(.rule("X4")) func `what a view reads through the projection is its own`() async {
        let stage = stage
        let screen = stage.screen { ProjectedView(stage.people) }
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "List\n  Ann" })
        #expect(screen.renders(of: ProjectedView.self) == 2)
    }
}
