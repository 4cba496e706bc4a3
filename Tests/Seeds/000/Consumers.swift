import Foundation
import PigeonUI
import SeedSupport
import SwiftUI
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// "Queries and Query Consumers"
enum Consuming {
    // [000.4
    struct ContentView: View {
        @ObservedObject var users = Query<Void, [User]>(
            key: QueryKey(value: "users"),
            behavior: .startImmediately(()),
            fetcher: {
                URLSession.shared
                    .dataTaskPublisher(for: URL(string: "https://jsonplaceholder.typicode.com/users/")!)
                    .map(\.data)
                    .decode(type: [User].self, decoder: JSONDecoder())
                    .receive(on: DispatchQueue.main)
                    .eraseToAnyPublisher()
            }
        )
        var body: some View {
            UsersList()
        }
    }
    struct UsersList: View {
        @ObservedObject var users = Query<Void, [User]>.Consumer(key: QueryKey(value: "users"))
        var body: some View {
            List(users.state.value ?? []) { user in
                Text(user.name)
            }
        }
    }
    struct User: Codable, Identifiable {
        let id: Int
        let name: String
    }
    // 000.4]
}

// "Convenient keys"
// [000.7
extension QueryKey {
    static let users: QueryKey = QueryKey(value: "users")
}
// 000.7]

enum ConvenientKeys {
    // "Convenient keys": used
    // [000.8
    struct UsersList: View {
        @ObservedObject var users = Query<Void, [User]>.Consumer(key: .users)
        var body: some View {
            List(users.state.value ?? []) { user in
                Text(user.name)
            }
        }
    }
    // 000.8]

    struct ContentView: View {
        @ObservedObject var users = Consuming.ContentView().users

        var body: some View {
            UsersList()
        }
    }
}

extension ConvenientKeys {
    typealias User = Consuming.User
}

extension Seed000 {
    @MainActor
    struct ConsumerTests {
        @Test func `a consumer shows what the query fetched, by one request`() async {
            await Readme(Typicode.users).fetches { Consuming.ContentView() }
        }

        @Test func `a key can be named once for all`() async {
            await Readme(Typicode.users).fetches { ConvenientKeys.ContentView() }
        }
    }
}
