import Foundation
import Pigeon
import Testing

struct Card: Codable, Equatable {
    let name: String
}

extension Card: CustomStringConvertible {
    var description: String { name }
}

struct GetCardsRequest {
    struct Answer { let cards: [Card] }

    let page: Int

    func execute() -> AnyPublisher<Answer, any Error> {
        Just(Answer(cards: [Card(name: "Card \(page)")])).setFailureType(to: (any Error).self).eraseToAnyPublisher()
    }
}

extension SeedSuite {
    @MainActor
    struct Paginated {
        @Test func `pages are fetched one after the other, and from the first again`() async {
            begin()
            let users = PaginatedQuery<Void, LimitOffsetPaginatedQueryKey, [User]>(
                key: QueryKey(value: "users"),
                firstPage: LimitOffsetPaginatedQueryKey(
                    limit: 20,
                    offset: 0
                ),
                fetcher: { (request, page) in
                    Just([User(id: page.offset, name: "User \(page.offset)")])
                        .setFailureType(to: (any Error).self)
                        .eraseToAnyPublisher()
                }
            )
            users.refetch(())
            #expect(users.state.value?.map(\.id) == [0])
            // If you want to fetch the next page.
            users.fetchNextPage()
            #expect(users.state.value?.map(\.id) == [0, 20])
            // If you need to fetch the first page again (this will reset the current state for your query)
            users.refetch(request: ())
            #expect(users.state.value?.map(\.id) == [0])
            #expect(users.items.map(\.id) == [0])
        }

        @Test func `a consumer shows a paginated query`() async {
            begin()
            let consumer = Query<Void, [User]>.Consumer(key: .users)
            let users = PaginatedQuery<Void, NumericPaginatedQueryKey, [User]>(
                key: .users, firstPage: NumericPaginatedQueryKey(current: 1), behavior: .startImmediately(()),
                fetcher: { _, page in
                    Just([User(id: page.current, name: "")]).setFailureType(to: (any Error).self).eraseToAnyPublisher()
                })
            users.fetchNextPage()
            #expect(consumer.state.value?.map(\.id) == [1, 2])
        }

        private func cards(_ fetched: Ledger) -> PaginatedQuery<Void, NumericPaginatedQueryKey, [Card]> {
            PaginatedQuery<Void, NumericPaginatedQueryKey, [Card]>(
                key: QueryKey(value: "cards"),
                firstPage: NumericPaginatedQueryKey(current: 0),
                behavior: .startImmediately(()),
                cache: UserDefaultsQueryCache.shared,
                cacheConfig: QueryCacheConfig(
                    invalidationPolicy: .expiresAfter(1000),
                    usagePolicy: .useInsteadOfFetching
                ),
                fetcher: { request, page in
                    fetched.append(page.current)
                    return GetCardsRequest(page: page.current)
                        .execute()
                        .map(\.cards)
                        .eraseToAnyPublisher()
                }
            )
        }

        @Test func `cached cards are there on the next start within 1000 s, without a fetch`() async throws {
            begin()
            let fetched = Ledger()
            var first: PaginatedQuery<Void, NumericPaginatedQueryKey, [Card]>? = cards(fetched)
            first?.fetchNextPage()
            #expect(first?.state.value == [Card(name: "Card 0"), Card(name: "Card 1")])
            #expect(fetched.values == [0, 1])
            first = nil
            QueryClient.shared.dropUnobserved()
            let second = cards(fetched)
            #expect(second.state.value == [Card(name: "Card 0"), Card(name: "Card 1")])
            #expect(fetched.values == [0, 1])
            second.fetchNextPage()
            #expect(fetched.values == [0, 1, 2])
        }
    }
}

/// A list of what was asked for, that closures share.
final class Ledger: Sendable {
    private let state = Locked<[Int]>([])
    func append(_ value: Int) { state.withLock { $0.append(value) } }
    var values: [Int] { state.withLock { $0 } }
}
