import PigeonCore
import PigeonTesting
import PigeonUI
import SwiftUI
import Testing

@MainActor
@Suite("Clients for previews")
struct PreviewTests {
    let stage = Stage()

    private func text(_ definition: QueryDefinition<[Person]>, _ client: QueryClient) -> String {
        Screen { QueryView(definition, content: names).environment(\.queryClient, client) }.text
    }

    @Test func `a preview shows what it is told, and fetches nothing`() {
        let people = stage.people
        #expect(text(people, .preview { $0.show([ann], for: people) }) == "List\n  Ann")
        #expect(text(people, .preview { $0.show([], for: people) }) == "Nothing Here\n[Refresh]")
        #expect(text(people, .preview { $0.fail(people, with: Refused()) }).contains("The server refused."))
        #expect(text(people, .preview()) == "(progress)")
        #expect(stage.fetcher.calls.isEmpty)
    }

    @Test func `an error is shown beside a value that was told before`() {
        let people = stage.people
        let shown = text(
            people,
            .preview {
                $0.show([ann], for: people)
                $0.fail(people, with: Refused())
            })
        #expect(shown.hasPrefix("List\n  Ann\n") && shown.contains("The server refused."))
    }

    @Test func `queries of a preview load for ever`() {
        let query = Query<Void, [Person]>(
            key: "people", behavior: .startImmediately(()), cache: InMemoryQueryCache(), client: .preview()
        ) { [ann] }
        #expect(Screen { QueryView(query, content: names) }.text == "(progress)")
        #expect(query.state.isLoading)
    }
}
