import PigeonUI
import SwiftUI

/// Who collects. Names can be changed, also without a network: the change is shown at once, and sent when there is one.
struct PeopleList: View {
    @UseQuery private var people: Snapshot<[Person]>
    private let api: ShopAPI

    init(api: ShopAPI) {
        self.api = api
        _people = UseQuery(api.people)
    }

    var body: some View {
        StateView(people, retry: $people.retry) { people in
            List(people) { person in
                PersonRow(person: person, api: api)
            }
        }
        .refreshable($people)
        .navigationTitle("People")
    }
}

private struct PersonRow: View {
    let person: Person
    let api: ShopAPI

    @State private var name = ""
    @State private var problem: String?
    @Environment(\.queryClient) private var client

    var body: some View {
        VStack(alignment: .leading) {
            Text(person.name)
            HStack {
                TextField("New name for \(person.name)", text: $name)
                Button("Rename \(person.name)", action: rename)
                    .disabled(name.isEmpty)
                    .buttonStyle(.bordered)  // a plain one is pressed wherever its row is
            }
            if let problem {
                Text(problem).foregroundStyle(.red)
            }
        }
    }

    private func rename() {
        let change = RenamePerson(api: api, id: person.id, name: name)
        (name, problem) = ("", nil)
        Task {
            do {
                _ = try await client.mutate(change)
            } catch {
                problem = "\(change.name) was refused"
            }
        }
    }
}
