import PigeonUI
import SwiftUI

/// All cards, page by page, from the cache while that is valid.
struct CardsList: View {
    @StateObject private var cards: PaginatedQuery<Void, NumericPaginatedQueryKey, [Card]>
    private let api: ShopAPI

    init(_ shop: Shop) {
        let (api, client) = (shop.api, shop.client)
        self.api = api
        _cards = StateObject(
            wrappedValue: PaginatedQuery(
                key: "cards",
                firstPage: NumericPaginatedQueryKey(current: 0),
                behavior: .startImmediately(()),
                cache: client.cache ?? QueryCache.global,
                cacheConfig: QueryCacheConfig(
                    invalidationPolicy: .expiresAfter(1000),
                    usagePolicy: .useInsteadOfFetching
                ),
                client: client,
                fetcher: { _, page in try await api.cards(page: page.current) }
            ))
    }

    var body: some View {
        QueryView(cards) { shown in
            List {
                ForEach(shown) { card in
                    NavigationLink(card.name) { CardDetail(id: card.id, api: api) }
                        .infiniteScroll(cards, at: card)
                }
                NextPageView(cards)
            }
        }
        .refreshable(cards)
        .navigationTitle("Cards")
    }
}
