import PigeonCore
import PigeonTesting
import PigeonUI
import SwiftUI
import TestSupport
import Testing

@MainActor
@Suite("polls of views that are not on screen", .rule("B23"))
struct VisiblePollingTests {
    let stage = Stage()

    private var polled: QueryDefinition<[Person]> { stage.people.staleAfter(.never).poll(every: .seconds(10)) }

    private struct Property: View {
        @UseQuery var people: Snapshot<[Person]>
        let pauses: Bool

        init(_ definition: QueryDefinition<[Person]>, pauses: Bool = true) {
            _people = UseQuery(definition)
            self.pauses = pauses
        }

        var body: some View {
            if pauses { text.pollsWhileVisible($people) } else { text }
        }

        private var text: some View { Text("\(people.value?.count ?? 0)") }
    }

    private struct Selection: View {
        @UseSelection<[Person], Int> var count: Snapshot<Int>

        init(_ definition: QueryDefinition<[Person]>) { _count = UseSelection(definition) { $0.count } }

        var body: some View { Text("\(count.value ?? 0)").pollsWhileVisible($count) }
    }

    enum Way: CaseIterable {
        case view, property, selection
    }

    @ViewBuilder
    private func view(_ way: Way) -> some View {
        switch way {
        case .view: QueryView(polled) { Text("\($0.count)") }
        case .property: Property(polled)
        case .selection: Selection(polled)
        }
    }

    private func tabs(_ way: Way) -> Screen {
        stage.screen {
            TabView {
                view(way).tabItem { Text("One") }
                Text("second").tabItem { Text("Two") }
            }
        }
    }

    @Test(.rule("B23"), arguments: Way.allCases)
    func `a tab that is not selected does not poll, and polls at once when it is`(_ way: Way) async {
        stage.fetcher.answer { _ in [ann] }
        let screen = tabs(way)
        #expect(await screen.wait { $0.hasPrefix("1\n") })
        stage.lab.advance(by: .seconds(10))
        #expect(stage.fetcher.calls.count == 2, "it polls while it is on screen")
        screen.tap("Two")
        stage.lab.advance(by: .seconds(60))
        #expect(stage.fetcher.calls.count == 2)
        screen.tap("One")
        stage.lab.advance(by: .zero)
        #expect(stage.fetcher.calls.count == 3 && stage.fetcher.calls.last?.cause == .poll)
        stage.lab.advance(by: .seconds(10))
        #expect(stage.fetcher.calls.count == 4)
    }

    @Test(.rule("B23"), arguments: Way.allCases)
    func `a view that appears again before its time polls at its time`(_ way: Way) async {
        stage.fetcher.answer { _ in [ann] }
        let screen = tabs(way)
        #expect(await screen.wait { $0.hasPrefix("1\n") })
        screen.tap("Two")
        stage.lab.advance(by: .seconds(4))
        screen.tap("One")
        stage.lab.advance(by: .seconds(5))
        #expect(stage.fetcher.calls.count == 1)
        stage.lab.advance(by: .seconds(1))
        #expect(stage.fetcher.calls.count == 2)
    }

    @Test(.rule("B23"), arguments: Way.allCases)
    func `a view below another page does not poll, and shows what others fetch`(_ way: Way) async throws {
        stage.fetcher.answer { _ in [ann] }
        let screen = stage.screen {
            NavigationStack {
                view(way)
                NavigationLink("Go") { Text("page") }
            }
        }
        #expect(await screen.wait { $0.hasPrefix("1\n") })
        screen.tap("Go")
        screen.rebuild()
        stage.lab.advance(by: .seconds(60))
        #expect(stage.fetcher.calls.count == 1, "not even when it is built again")
        #expect(stage.lab.client.entries().first?.isActive == true, "it still observes")
        try stage.lab.client.set([ann, bob], for: polled)
        screen.goBack()
        #expect(await screen.wait { $0.hasPrefix("2\n") || $0.hasPrefix("1\n") && stage.fetcher.calls.count == 2 })
    }

    @Test(.rule("B23")) func `a view that is on screen polls for one that is not`() async {
        stage.fetcher.answer { _ in [ann] }
        let screen = stage.screen {
            QueryView(polled) { Text("\($0.count)") }
            TabView {
                QueryView(polled) { Text("\($0.count)") }.tabItem { Text("One") }
                Text("second").tabItem { Text("Two") }
            }
        }
        #expect(await screen.wait { $0.hasPrefix("1\n1\n") })
        screen.tap("Two")
        stage.lab.advance(by: .seconds(10))
        #expect(stage.fetcher.calls.count == 2)
    }

    @Test(.rule("B23")) func `a view polls on when its content is replaced by another`() async {
        let screen = stage.screen { QueryView(polled, content: names) }
        #expect(screen.text == "(progress)")
        stage.fetcher.succeed(with: [ann])
        #expect(await screen.wait { $0 == "List\n  Ann" })
        stage.lab.advance(by: .seconds(10))
        stage.fetcher.succeed(with: [])
        #expect(await screen.wait { $0.hasPrefix("Nothing Here") })
        stage.lab.advance(by: .seconds(10))
        #expect(stage.fetcher.calls.count == 3)
    }

    @Test(.rule("B23")) func `a property without the modifier polls for as long as its view exists`() async {
        stage.fetcher.answer { _ in [ann] }
        let screen = stage.screen {
            TabView {
                Property(polled, pauses: false).tabItem { Text("One") }
                Text("second").tabItem { Text("Two") }
            }
        }
        #expect(await screen.wait { $0.hasPrefix("1\n") })
        screen.tap("Two")
        stage.lab.advance(by: .seconds(10))
        #expect(stage.fetcher.calls.count == 2)
    }
}
