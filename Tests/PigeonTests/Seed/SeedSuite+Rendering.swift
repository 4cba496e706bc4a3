import Pigeon
import Testing

extension SeedSuite {
    @MainActor
    struct Rendering {
        struct UsersList: View {
            var users = Query<Void, [User]>(
                key: QueryKey(value: "users"),
                behavior: .startImmediately(()),
                fetcher: {
                    Just([ann, bob]).setFailureType(to: (any Error).self).eraseToAnyPublisher()
                }
            )

            var body: [Text] {
                self.view(for: users.state)
            }
        }

        @Test func `a renderer shows each state`() async {
            begin()
            let list = UsersList()
            #expect(list.body == [Text("Ann"), Text("Bob")])
            #expect(list.view(for: .loading) == [Text("Loading...")])
            #expect(list.view(for: .idle) == [Text("Loading...")])
            #expect(list.view(for: .failed(Broken())) == [Text("It failed...")])
        }

        struct CardDetailView: View {
            let card = Query<String, Card>(
                key: QueryKey(value: "card_detail"),
                keyAdapter: { key, id in
                    key.appending(id)
                },
                cache: UserDefaultsQueryCache.shared,
                cacheConfig: QueryCacheConfig(
                    invalidationPolicy: .expiresAfter(500),
                    usagePolicy: .useInsteadOfFetching
                ),
                fetcher: { id in
                    Just(Card(name: "Card \(id)")).setFailureType(to: (any Error).self).eraseToAnyPublisher()
                }
            )

            let id: String
            let renderer = NameRepresentableRenderer<Card>()

            init(id: String) {
                self.id = id
            }

            var body: Text {
                renderer.view(for: card.state)
            }
        }

        @Test func `a renderer for anything with a name shows a card`() async {
            begin()
            let view = CardDetailView(id: "7")
            #expect(view.body == Text("Loading..."))
            view.card.refetch(request: view.id)
            #expect(view.body == Text("Card 7"))
            #expect(NameRepresentableRenderer<Card>().view(for: .failed(Broken())) == Text(""))
        }
    }

    @MainActor
    struct Globals {
        @Test func `B12: the global cache and configuration are read when a query is made`() async {
            begin()
            let (one, two) = (InMemoryQueryCache(), InMemoryQueryCache())
            func make(_ key: QueryKey) -> Query<Void, Int> {
                Query<Void, Int>(key: key) { Just(1).setFailureType(to: (any Error).self).eraseToAnyPublisher() }
            }
            QueryCache.setGlobal(QueryCache(wrappedCache: one))
            let early = make("early")
            QueryCache.setGlobal(two)
            QueryCacheConfig.setGlobal(QueryCacheConfig(usagePolicy: .useInsteadOfFetching))
            let late = make("late")
            early.refetch(request: ())
            late.refetch(request: ())
            #expect(one.count == 1 && two.count == 1)
            let counts = (early.snapshot.valueCount, late.snapshot.valueCount)
            early.refetch(request: ())
            late.refetch(request: ())
            #expect(early.snapshot.valueCount == counts.0 + 1)
            #expect(late.snapshot.valueCount == counts.1)
            QueryCache.setGlobal(QueryCache(wrappedCache: QueryCache.userDefaults))
            #expect(QueryCache.global is UserDefaultsQueryCache)
            QueryCache.setGlobal(QueryCache.inMemory)
            #expect(QueryCache.global as? InMemoryQueryCache === InMemoryQueryCache.shared)
        }
    }
}

extension SeedSuite.Rendering.UsersList: QueryRenderer {
    var loadingView: [Text] {
        [Text("Loading...")]
    }

    func successView(for response: [User]) -> [Text] {
        List(response) { user in
            Text(user.name)
        }.rows
    }

    func failureView(for failure: any Error) -> [Text] {
        [Text("It failed...")]
    }
}

protocol NameRepresentable {
    var name: String { get }
}

extension Card: NameRepresentable {}

struct NameRepresentableRenderer<T: NameRepresentable>: QueryRenderer {
    var loadingView: Text {
        Text("Loading...")
    }

    func failureView(for failure: any Error) -> Text {
        Text("")
    }

    func successView(for response: T) -> Text {
        Text(response.name)
    }
}
