import Dispatch
import Foundation
import Pigeon
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension SeedSuite {
    @MainActor
    struct QuickStart {
        struct UsersList: View {
            var users = Query<Void, [User]>(
                key: QueryKey(value: "users"),
                fetcher: {
                    URLSession.shared
                        .dataTaskPublisher(for: URL(string: "https://jsonplaceholder.typicode.com/users")!)
                        .map(\.data)
                        .decode(type: [User].self, decoder: JSONDecoder())
                        .receive(on: DispatchQueue.main)
                        .eraseToAnyPublisher()
                }
            )

            var body: List {
                List(users.state.value ?? []) { user in
                    Text(user.name)
                }
            }

            func onAppear() {
                self.users.refetch(request: ())
            }

            var byState: [Text] {
                switch users.state {
                case .idle, .loading:
                    return [Text("Loading...")]
                case .failed:
                    return [Text("Oops...")]
                case let .succeed(users):
                    return List(users) { user in
                        Text(user.name)
                    }.rows
                }
            }
        }

        @Test func `a query that is asked when it appears shows the users`() async {
            begin()
            let list = UsersList()
            #expect(list.body.rows.isEmpty)
            #expect(list.byState == [Text("Loading...")])
            list.onAppear()
            #expect(list.users.state.isLoading)
            _ = await outcome(of: list.users)
            #expect(list.body.rows == [Text("Ann"), Text("Bob")])
            #expect(list.byState == [Text("Ann"), Text("Bob")])
            #expect(Web.requests == ["/users"])
        }
    }

    @MainActor
    struct Consuming {
        struct ContentView: View {
            var users = Query<Void, [User]>(
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
        }

        struct UsersList: View {
            var users = Query<Void, [User]>.Consumer(key: QueryKey(value: "users"))

            var body: List {
                List(users.state.value ?? []) { user in
                    Text(user.name)
                }
            }
        }

        struct ByConvenientKey: View {
            var users = Query<Void, [User]>.Consumer(key: .users)
        }

        @Test func `a consumer shows what the query fetched, by one request`() async {
            begin()
            let content = ContentView()
            let list = UsersList()
            let convenient = ByConvenientKey()
            _ = await outcome(of: list.users)
            #expect(list.body.rows == [Text("Ann"), Text("Bob")])
            #expect(convenient.users.state.value == content.users.state.value)
            #expect(Web.requests.count == 1)
        }
    }

    @MainActor
    struct Polling {
        @Test func `a query can be made to poll`() async {
            begin()
            let users = Query<Void, [User]>(
                key: QueryKey(value: "users"),
                behavior: .startImmediately(()),
                pollingBehavior: .pollEvery(2),
                fetcher: {
                    URLSession.shared
                        .dataTaskPublisher(for: URL(string: "https://jsonplaceholder.typicode.com/users")!)
                        .map(\.data)
                        .decode(type: [User].self, decoder: JSONDecoder())
                        .receive(on: DispatchQueue.main)
                        .eraseToAnyPublisher()
                }
            )
            #expect(await outcome(of: users).value?.count == 2)
        }
    }

    @MainActor
    struct KeyAdapters {
        @Test func `each id has a value of its own in the cache`() async {
            begin()
            func make() -> Query<Int, [User]> {
                Query<Int, [User]>(
                    key: QueryKey(value: "users"),
                    keyAdapter: { key, id in
                        key.appending(id.description)
                    },
                    behavior: .startImmediately(1),
                    cache: UserDefaultsQueryCache.shared,
                    fetcher: { id in
                        Just([User(id: id, name: "User \(id)")])
                            .setFailureType(to: (any Error).self)
                            .eraseToAnyPublisher()
                    }
                )
            }
            let user = make()
            #expect(user.state.value?.first?.id == 1)
            user.refetch(request: 2)
            #expect(user.state.value?.first?.id == 2)
            let users = QueryKey(value: "users")
            let first: [User]? = UserDefaultsQueryCache.shared.get(for: users.appending("1"))
            let second: [User]? = UserDefaultsQueryCache.shared.get(for: users.appending("2"))
            #expect(first?.first?.id == 1)
            #expect(second?.first?.id == 2)
        }
    }

    @MainActor
    struct Dependent {
        @Test func `queries are chained by their value publishers`() async {
            begin()
            let users = Query<Void, [User]>(key: .users) {
                Just([ann]).setFailureType(to: (any Error).self).eraseToAnyPublisher()
            }
            let greeting = Query<String, String>(key: "greeting") { name in
                Just("Hello, \(name)").setFailureType(to: (any Error).self).eraseToAnyPublisher()
            }
            var subscriptions: Set<AnyCancellable> = []
            users.valuePublisher
                .compactMap(\.first?.name)
                .sink { name in greeting.refetch(request: name) }
                .store(in: &subscriptions)
            users.refetch(request: ())
            #expect(greeting.state.value == "Hello, Ann")
        }
    }
}

extension QueryKey {
    static let users: QueryKey = QueryKey(value: "users")
}
