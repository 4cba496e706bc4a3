import PigeonCore
import PigeonQueryUI
import PigeonTesting
import SwiftUI
import TestSupport
import Testing
import ViewSupport

@MainActor
@Suite("lists that go on, in a window")
struct PagesTests {
    typealias People = Pages<[Person], Int>

    let stage = Stage()

    /// Pages 1 to 3, which the stage's fetcher answers.
    private var pages: QueryDefinition<People> {
        let fetcher = stage.fetcher
        return QueryDefinition<People>.pages(key: "people", first: 1) { page, _ in
            try await fetcher.call(page)
        } next: { _, page -> Int? in
            page < 3 ? page + 1 : nil
        }
    }

    struct PagesView: View {
        @UseQuery var people: Snapshot<People>

        init(_ definition: QueryDefinition<People>) { _people = UseQuery(definition) }

        var body: some View {
            ForEach((people.value ?? Pages()).flatMap { $0 }) { Probe($0.name) }
            if people.nextPage.isFetching { Probe("loading") }
            if people.nextPage.error != nil { Probe("failed") }
            Probe("next") { $people.fetchNextPage() }
        }
    }

    private func waitForCall(_ number: Int) async {
        await until {
            stage.lab.settle()
            return stage.fetcher.calls.count == number && stage.fetcher.pendingCount == 1
        }
    }

    @Test(.rule("B21")) func `a view loads the next page when told, once, and after a failure again`() async {
        let (stage, pages) = (stage, pages)
        let host = stage.host { PagesView(pages) }
        await waitForCall(1)
        stage.fetcher.succeed(with: [ann])
        #expect(await stage.shows(["Ann"], in: host))
        host.tap("next")
        host.tap("next")
        #expect(await stage.shows(["Ann", "loading"], in: host))
        await waitForCall(2)
        stage.fetcher.fail(with: Refused())
        #expect(await stage.shows(["Ann", "failed"], in: host))
        host.tap("next")
        await waitForCall(3)
        stage.fetcher.succeed(with: [bob])
        #expect(await stage.shows(["Ann", "Bob"], in: host))
        #expect(stage.fetcher.calls.map(\.arguments) == [["1"], ["2"], ["2"]])
        host.close()
    }

    struct EndlessView: View {
        @UseQuery var people: Snapshot<People>

        init(_ definition: QueryDefinition<People>) { _people = UseQuery(definition) }

        var body: some View {
            ForEach((people.value ?? Pages()).flatMap { $0 }) { Probe($0.name) }
            NextPageView($people)
        }
    }

    @Test func `pages too short to fill the screen are followed by the next, up to the end`() async {
        let (stage, pages) = (stage, pages)
        stage.fetcher.answerCalls { call in
            let number = Int(call.arguments.first ?? "") ?? 0
            return [Person(id: number, name: "P\(number)")]
        }
        let host = stage.host { EndlessView(pages) }
        #expect(await stage.shows(["P1", "P2", "P3"], in: host))
        #expect(stage.fetcher.calls.map(\.arguments) == [["1"], ["2"], ["3"]])
        host.close()
    }

    struct PulledView: View {
        @UseQuery var people: Snapshot<[Person]>

        init(_ definition: QueryDefinition<[Person]>) { _people = UseQuery(definition) }

        var body: some View {
            VStack {
                Probe(people.value?.first?.name ?? "nobody")
                List { Text("below") }
            }
            .refreshable($people)
        }
    }

    @Test func `pulling down fetches again, and ends when that has`() async {
        let stage = stage
        let host = stage.host { PulledView(stage.people()) }
        await waitForCall(1)
        stage.fetcher.succeed(with: [ann])
        #expect(await stage.shows(["Ann"], in: host))
        async let isPulled = host.pullToRefresh()
        await waitForCall(2)
        stage.fetcher.succeed(with: [bob])
        #expect(await isPulled)
        #expect(await stage.shows(["Bob"], in: host))
        host.close()
    }
}
