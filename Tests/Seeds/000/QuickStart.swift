import Foundation
import PigeonUI
import SeedSupport
import SwiftUI
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// "Quick Start"
enum QuickStart {
    // [000.1
    // 1
    struct User: Codable, Identifiable {
        let id: Int
        let name: String
    }
    struct UsersList: View {
        // 2
        @ObservedObject var users = Query<Void, [User]>(
            // 3
            key: QueryKey(value: "users"),
            // 4
            fetcher: {
                URLSession.shared
                    .dataTaskPublisher(for: URL(string: "https://jsonplaceholder.typicode.com/users")!)
                    .map(\.data)
                    .decode(type: [User].self, decoder: JSONDecoder())
                    .receive(on: DispatchQueue.main)
                    .eraseToAnyPublisher()
            }
        )
        var body: some View {
            // 5
            List(users.state.value ?? []) { user in
                Text(user.name)
            }.onAppear(perform: {
                // 6
                self.users.refetch(request: ())
            })
        }
    }
    // 000.1]
}

extension QuickStart {
    struct ByState: View {
        // "Quick Start": each state
        // [000.2
        // ...
        @ObservedObject var users = UsersList().users

        init() {
            users.refetch(request: ())
        }

        var body: some View {
            // 5
            switch users.state {
            case .idle, .loading:
                return AnyView(Text("Loading..."))
            case .failed:
                return AnyView(Text("Oops..."))
            case let .succeed(users):
                return AnyView(
                    List(users) { user in
                        Text(user.name)
                    }
                )
            }
        }
        // ...
        // 000.2]
    }
}

// "Quick Start": at once
enum Immediately {
    typealias User = QuickStart.User

    // [000.3
    struct UsersList: View {
        @ObservedObject var users = Query<Void, [User]>(
            key: QueryKey(value: "users"),
            // Changing the query behavior, we can tell the query to
            // start fetching as soon as it initializes.
            behavior: .startImmediately(()),
            fetcher: {
                URLSession.shared
                    .dataTaskPublisher(for: URL(string: "https://jsonplaceholder.typicode.com/users")!)
                    .map(\.data)
                    .decode(type: [User].self, decoder: JSONDecoder())
                    .receive(on: DispatchQueue.main)
                    .eraseToAnyPublisher()
            }
        )
        var body: some View {
            List(users.state.value ?? []) { user in
                Text(user.name)
            }
        }
    }
    // 000.3]
}

extension Seed000 {
    @MainActor
    struct QuickStartTests {
        @Test func `a query that is asked when the view appears shows the users`() async {
            await Readme(Typicode.users).fetches { QuickStart.UsersList() }
        }

        @Test func `each state is shown by a view of its own`() async {
            await Readme(Typicode.users).shows(failure: "Oops...") { QuickStart.ByState() }
        }

        @Test func `a query can start by itself`() async {
            await Readme(Typicode.users).fetches { Immediately.UsersList() }
        }
    }
}
