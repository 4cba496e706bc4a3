#if canImport(SwiftUI)
    import PigeonUI
    import SwiftUI

    struct RootView: View {
        @ObservedObject var session: AppSession
        var body: some View {
            if session.isSignedIn {
                let client = session.client
                NavigationStack {
                    TabView {
                        PeopleScreen(people: PaginatedQuery(.people(), client: client)).tabItem { Text("People") }
                        SearchScreen(model: SearchModel(client: client)).tabItem { Text("Search") }
                        Button("Sign Out") { Task { await session.signOut() } }.tabItem { Text("Settings") }
                    }
                    .navigationDestination(for: Person.self) { PersonScreen(model: PersonModel($0.id, client: client)) }
                }.queryClient(client)
                if let message = session.message { Button(message) { session.message = nil } }
            } else {
                Button("Sign In") { session.isSignedIn = true }
            }
        }
    }

    struct PeopleScreen: View {
        @StateObject var people: PaginatedQuery<Void, Int, [Person]>
        var body: some View {
            QueryView(people) { shown in
                List {
                    ForEach(shown) { NavigationLink($0.name, value: $0) }
                    NextPageView(people)
                }
            }.refreshable(people)
        }
    }

    struct PersonScreen: View {
        @StateObject var model: PersonModel
        @State var name = ""
        @Environment(\.queryClient) var client
        var body: some View {
            QueryView(model.person) { person in
                Form {
                    Text(person.name)
                    QueryView(model.team) { Text($0.name) }
                    TextField("Name", text: $name)
                        .onSubmit { Task { try await client.mutate(RenamePerson(id: person.id, name: name)) } }
                }
            }.refreshable(model.person)
        }
    }

    struct SearchScreen: View {
        @StateObject var model: SearchModel
        var body: some View {
            QueryView(model.results) { people in
                List(people) { NavigationLink($0.name, value: $0) }
            }.searchable(text: $model.text)
        }
    }
#endif
