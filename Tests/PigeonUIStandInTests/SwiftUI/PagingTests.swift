import PigeonCore
import PigeonTesting
import PigeonUI
import SwiftUI
import TestSupport
import Testing

@MainActor
@Suite("Lists that go on")
struct PagingTests {
    let lab = QueryLab()
    let fetcher: ScriptedFetcher<Pages<[Person], Int>>
    let pageFetcher: PageScript

    init() {
        fetcher = lab.fetcher(returning: Pages<[Person], Int>.self)
        pageFetcher = PageScript()
    }

    /// Answers at once: ten people a page, three pages, and fails or has nobody where told.
    final class PageScript: Sendable {
        private let state = Locked((asked: [Int](), failing: Set<Int>(), empty: Set<Int>()))

        var asked: [Int] { state.withLock { $0.asked } }

        func setFailing(_ pages: Set<Int>) { state.withLock { $0.failing = pages } }
        func setEmpty(_ pages: Set<Int>) { state.withLock { $0.empty = pages } }

        func page(_ number: Int) throws -> [Person] {
            let (fails, isEmpty) = state.withLock { state in
                state.asked.append(number)
                return (state.failing.contains(number), state.empty.contains(number))
            }
            if fails { throw Refused() }
            guard !isEmpty, number <= 2 else { return [] }
            return (0..<10).map { Person(id: number * 10 + $0, name: "P\(number * 10 + $0)") }
        }
    }

    struct PeopleList: View {
        @StateObject var people: PaginatedQuery<Void, NumericPaginatedQueryKey, [Person]>

        var body: some View {
            QueryView(people) { shown in
                List {
                    ForEach(shown) { person in
                        Text(person.name).infiniteScroll(people, at: person, within: 3)
                    }
                    NextPageView(people)
                }
            }
            .refreshable(people)
        }
    }

    private func query() -> PaginatedQuery<Void, NumericPaginatedQueryKey, [Person]> {
        let script = pageFetcher
        return PaginatedQuery(
            key: "people", firstPage: NumericPaginatedQueryKey(current: 0), behavior: .startImmediately(()),
            cache: InMemoryQueryCache(), client: lab.client
        ) { _, page in try script.page(page.current) }
    }

    /// Carries through all that is ready, and what that starts.
    private func settle(_ screen: Screen) async {
        for _ in 1...30 {
            lab.settle()
            await Task.yield()
            screen.update()
        }
    }

    private func last(_ text: String) -> String { text.split(separator: "\n").last.map(String.init) ?? "" }

    @Test func `the next page is asked for when the end comes near, once, and not before`() async {
        let query = query()
        lab.settle()
        let screen = Screen(visibleRows: 5) { PeopleList(people: query) }
        #expect(await screen.wait { $0.contains("P0") })
        lab.settle()
        #expect(pageFetcher.asked == [0])
        screen.scrollDown(by: 3)
        lab.settle()
        #expect(await screen.wait { _ in query.items.count == 20 })
        #expect(pageFetcher.asked == [0, 1])
        screen.scrollDown(by: 100)
        await settle(screen)
        #expect(pageFetcher.asked == [0, 1, 2, 3])
        #expect(last(screen.text) == "  P29", "at the end there is no row for a next page")
    }

    @Test func `pages too short to fill the screen are followed by the next`() async {
        let query = query()
        lab.settle()
        let screen = Screen {
            List { NextPageView(query) }
        }
        await settle(screen)
        #expect(pageFetcher.asked == [0, 1, 2, 3] && screen.text == "List")
    }

    @Test func `the row of any list loads a page when it appears, and after a failure when the user asks for it`() {
        let page = Choice<(error: Refused?, loads: Int)>((nil, 0))
        let screen = Screen {
            List {
                NextPageView(count: 0, hasNextPage: true, error: page.value.error) { page.value.loads += 1 }
            }
        }
        #expect(page.value.loads == 1)
        page.value.error = Refused()
        screen.rebuild()
        #expect(page.value.loads == 1)
        screen.tap("Try Again")
        #expect(page.value.loads == 2)
    }

    @Test func `the row of any list reads the state when it is about to load`() {
        let list = OwnList()
        let screen = Screen {
            NextPageView(count: 0, hasNextPage: true, isLoading: list.loads > 0, error: Refused()) { list.loads += 1 }
        }
        // The list announces no change, so the row is not made again in between.
        screen.tap("Try Again")
        screen.tap("Try Again")
        #expect(list.loads == 1)
    }

    @MainActor
    private final class OwnList {
        var loads = 0
    }

    @Test func `a list that keeps one page goes on at its end`() async {
        let script = pageFetcher
        let pages = QueryDefinition<Pages<[Person], Int>>.pages(key: "people", first: 0, maxPages: 1) { page, _ in
            try script.page(page)
        } next: { last, page -> Int? in
            last.isEmpty ? nil : page + 1
        }
        let query = PaginatedQuery(pages, client: lab.client)
        lab.settle()
        let screen = Screen {
            List { NextPageView(query) }
        }
        await settle(screen)
        #expect(script.asked == [0, 1, 2, 3] && screen.text == "List")
    }

    private nonisolated static func list(
        from start: Int, of script: PageScript
    ) -> QueryDefinition<Pages<[Person], Int>> {
        let pages = QueryDefinition<Pages<[Person], Int>>.pages(key: QueryKey("people", start), first: start) {
            page, _ in
            try script.page(page)
        } next: { _, _ -> Int? in
            nil
        }
        return pages.placeholder { $0 }
    }

    @Test(.rule("B9"))
    func `the items that stand in for those of a new key go when that key fails, and that is published`()
        async
    {
        let script = pageFetcher
        script.setFailing([2])
        let query = PaginatedQuery<Int, Int, [Person]>(request: 0, client: lab.client) {
            Self.list(from: $0, of: script)
        }
        await lab.settled()
        var counts: [Int] = []
        let log = query.$items.sink { counts.append($0.count) }
        query.refetch(request: 2)
        await lab.settled()
        #expect(query.items.isEmpty)
        #expect(counts.first == 10 && counts.last == 0)
        withExtendedLifetime(log) {}
    }

    @Test func `a page that fails is asked for again by its button, not by scrolling`() async {
        pageFetcher.setFailing([1])
        let query = query()
        lab.settle()
        let screen = Screen { PeopleList(people: query) }
        await settle(screen)
        #expect(pageFetcher.asked == [0, 1])
        #expect(last(screen.text) == "  [Try Again]" && screen.text.contains("  The server refused."))
        pageFetcher.setFailing([])
        screen.tap("Try Again")
        lab.settle()
        #expect(await screen.wait { $0.contains("P19") })
    }

    @Test func `pulling down fetches again, and ends when that has`() async {
        let query = query()
        lab.settle()
        let screen = Screen(visibleRows: 5) { PeopleList(people: query) }
        #expect(await screen.wait { $0.contains("P0") })
        let (script, lab) = (pageFetcher, lab)
        let driver = Task { @MainActor in
            for _ in 1...10_000 where script.asked.count < 2 {
                lab.settle()
                await Task.yield()
            }
            lab.settle()
        }
        #expect(await screen.pullToRefresh())
        await driver.value
        #expect(script.asked == [0, 0])
        #expect(query.snapshot.valueCount == 2)
    }

    struct UsedList: View {
        @UseQuery var people: Snapshot<Pages<[Person], Int>>

        init(_ definition: QueryDefinition<Pages<[Person], Int>>) { _people = UseQuery(definition) }

        var body: some View {
            List {
                ForEach((people.value ?? Pages()).flatMap { $0 }) { person in
                    Text(person.name).infiniteScroll($people, at: person, within: 3)
                }
                NextPageView($people)
            }
        }
    }

    struct TwoWayList: View {
        @UseQuery var people: Snapshot<Pages<[Person], Int>>

        init(_ definition: QueryDefinition<Pages<[Person], Int>>) { _people = UseQuery(definition) }

        var body: some View {
            Text((people.value?.ids ?? []).map(String.init).joined(separator: " "))
            if people.nextPage.isFetching || people.previousPage.isFetching { Text("loading") }
            if people.nextPage.error != nil { Text("failed") }
            Button("Next") { $people.fetchNextPage() }
            Button("Previous") { $people.fetchPreviousPage() }
            Button("Twice") {
                $people.fetchNextPage()
                $people.fetchNextPage()
            }
        }
    }

    @Test(.rule("B21")) func `a view loads the pages of its list in both directions, each once, up to the ends`() async
    {
        let (lab, client) = (lab, lab.client)
        let server = lab.fetcher(returning: [Int].self)
        let asked = Locked<[Int]>([])
        let pages = QueryDefinition<Pages<[Person], Int>>.pages(key: "people", first: 1) { page, _ in
            asked.withLock { $0.append(page) }
            return try await server.call().map { Person(id: $0, name: "") }
        } next: { _, page in
            page < 2 ? page + 1 : nil
        } previous: { _, page in
            page > 0 ? page - 1 : nil
        }
        let screen = Screen { TwoWayList(pages).environment(\.queryClient, client) }
        let buttons = "[Next]\n[Previous]\n[Twice]"
        screen.tap("Next")
        #expect(asked.withLock { $0 } == [1], "there is no list yet")
        server.succeed(with: [1])
        #expect(await screen.wait { $0 == "1\n\(buttons)" })
        screen.tap("Twice")
        #expect(screen.text == "1\nloading\n\(buttons)", "in the next frame")
        lab.settle()
        #expect(asked.withLock { $0 } == [1, 2])
        server.fail(with: Refused())
        #expect(await screen.wait { $0 == "1\nfailed\n\(buttons)" })
        screen.tap("Next")
        lab.settle()
        server.succeed(with: [2])
        #expect(await screen.wait { $0 == "1 2\n\(buttons)" })
        screen.tap("Previous")
        lab.settle()
        server.succeed(with: [0])
        #expect(await screen.wait { $0 == "0 1 2\n\(buttons)" })
        let changes = Locked(0)
        let observer = client.observe(pages.staleAfter(.never)) { _ in changes.withLock { $0 += 1 } }
        screen.tap("Previous")
        screen.tap("Next")
        lab.settle()
        #expect(changes.withLock { $0 } == 0, "no load begins at the ends")
        withExtendedLifetime(observer) {}
        #expect(asked.withLock { $0 } == [1, 2, 2, 0])
    }

    @Test func `pages that a view fetches go on in the same way`() async {
        let (script, client) = (pageFetcher, lab.client)
        let pages = QueryDefinition.pages("people", first: 0) { page, _ in
            try script.page(page)
        } next: { last, page in
            last.isEmpty ? nil : page + 1
        }
        let screen = Screen(visibleRows: 5) { UsedList(pages).environment(\.queryClient, client) }
        lab.settle()
        #expect(await screen.wait { $0.contains("P0") })
        await settle(screen)
        #expect(script.asked == [0], "the row for the next page is below the edge")
        screen.scrollDown(by: 100)
        await settle(screen)
        #expect(script.asked == [0, 1, 2, 3])
        #expect(last(screen.text) == "  P29")
    }

    /// A list without a row for the next page.
    struct UsedRows: View {
        @UseQuery var people: Snapshot<Pages<[Person], Int>>

        init(_ definition: QueryDefinition<Pages<[Person], Int>>) { _people = UseQuery(definition) }

        var body: some View {
            List {
                ForEach((people.value ?? Pages()).flatMap { $0 }) { person in
                    Text(person.name).infiniteScroll($people, at: person, within: 1)
                }
            }
        }
    }

    /// A list without a row for the next page.
    struct QueryRows: View {
        @StateObject var people: PaginatedQuery<Void, Int, [Person]>

        var body: some View {
            List {
                ForEach(people.items) { person in
                    Text(person.name).infiniteScroll(people, at: person, within: 1)
                }
            }
        }
    }

    /// A list whose second page has no items.
    private func listWithGap() -> QueryDefinition<Pages<[Person], Int>> {
        let script = pageFetcher
        script.setEmpty([1])
        return QueryDefinition<Pages<[Person], Int>>.pages(key: "people", first: 0) { page, _ in
            try script.page(page)
        } next: { _, page -> Int? in
            page < 3 ? page + 1 : nil
        }
    }

    @Test func `a page without items, for which no row appears, is followed by the next one`() async {
        let query = PaginatedQuery(listWithGap(), client: lab.client)
        let screen = Screen(visibleRows: 10) { QueryRows(people: query) }
        await settle(screen)
        #expect(pageFetcher.asked == [0, 1, 2])
        #expect(query.items.count == 20)
    }

    @Test func `a page without items is followed by the next one, also in pages that a view fetches`() async {
        let (list, client) = (listWithGap(), lab.client)
        let screen = Screen(visibleRows: 10) { UsedRows(list).environment(\.queryClient, client) }
        await settle(screen)
        #expect(pageFetcher.asked == [0, 1, 2])
        screen.scrollDown(by: 1)
        #expect(last(screen.text) == "  P20")
    }
}
