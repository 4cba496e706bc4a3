import PigeonQueryUI
import PigeonTesting
import SwiftUI
import Testing

/// A program whose screens need queries only. It imports neither `PigeonUI` nor the modules that this one adds. The tests
/// of the views themselves are in `PigeonUIStandInTests`.
@Suite("Screens over queries alone (18.3)")
@MainActor
struct ScreenTests {
    struct Person: Identifiable, Hashable, Sendable {
        var id: Int
        var name: String
    }

    struct Add: Mutating {
        let person: Person
        let people: QueryDefinition<[Person]>

        func run(_ context: MutationContext) async throws {}
        func succeeded(_ output: Void, _ writes: CacheWrites) {
            writes.update(people) { [person] in $0.append(person) }
        }
    }

    struct PeopleView: View {
        let definition: QueryDefinition<[Person]>
        @UseQuery var people: Snapshot<[Person]>
        @UseMutation(Add.self) var add: QueryState<Void>

        init(_ people: QueryDefinition<[Person]>) {
            definition = people
            _people = UseQuery(people)
        }

        var body: some View {
            StateView(people, retry: $people.retry) { people in
                List(people) { Text($0.name) }
            }
            Button("Add") { $add.execute(with: Add(person: Person(id: 1, name: "Bob"), people: definition)) }
        }
    }

    let lab = QueryLab()
    let people = QueryDefinition<[Person]>("people") { _ in [Person(id: 0, name: "Ann")] }

    @Test func `a view fetches a query, and shows what it changes`() async {
        let (client, people) = (lab.client, people)
        let screen = Screen { PeopleView(people).environment(\.queryClient, client) }
        #expect(await screen.wait { $0 == "List\n  Ann\n[Add]" })
        screen.tap("Add")
        #expect(await screen.wait { $0 == "List\n  Ann\n  Bob\n[Add]" })
    }
}
