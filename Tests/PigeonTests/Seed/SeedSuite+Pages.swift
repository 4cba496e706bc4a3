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
        @Test func `a consumer shows a paginated query`() async {
            begin()
            let consumer = Query<Void, [User]>.Consumer(key: "users")
            let users = PaginatedQuery<Void, NumericPaginatedQueryKey, [User]>(
                key: "users", firstPage: NumericPaginatedQueryKey(current: 1), behavior: .startImmediately(()),
                fetcher: { _, page in
                    Just([User(id: page.current, name: "")]).setFailureType(to: (any Error).self).eraseToAnyPublisher()
                })
            users.fetchNextPage()
            #expect(consumer.state.value?.map(\.id) == [1, 2])
            users.refetch(())
            #expect(consumer.state.value?.map(\.id) == [1] && users.items.map(\.id) == [1])
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
