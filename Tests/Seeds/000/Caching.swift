import Foundation
import PigeonUI
import SeedSupport
import SwiftUI
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Where the example prints.
private let printed = Journal()

private func print(_ line: String) {
    printed.add(line)
}

struct CachedCards: View {
    // "Cache"
    // [000.12
    @ObservedObject private var cards = PaginatedQuery<Void, NumericPaginatedQueryKey, [Card]>(
        key: QueryKey(value: "cards"),
        firstPage: NumericPaginatedQueryKey(current: 0),
        behavior: .startImmediately(()),
        cache: UserDefaultsQueryCache.shared,
        cacheConfig: QueryCacheConfig(
            invalidationPolicy: .expiresAfter(1000),
            usagePolicy: .useInsteadOfFetching
        ),
        fetcher: { request, page in
            print("Fetching page no. \(page)")
            return GetCardsRequest()
                .execute()
                .map(\.cards)
                .eraseToAnyPublisher()
        }
    )
    // 000.12]

    var body: some View {
        List(cards.state.value ?? [], id: \.name) { card in
            Text(card.name)
        }
    }
}

enum Declared {
    @MainActor
    static func cards() -> Query<Void, [Card]> {
        Query<Void, [Card]>(
            key: QueryKey(value: "cards"),
            // "Cache": the configuration
            // [000.13
            cacheConfig: QueryCacheConfig(
                invalidationPolicy: .expiresAfter(1000),
                usagePolicy: .useInsteadOfFetching
            ),
            // 000.13]
            fetcher: { GetCardsRequest().execute().map(\.cards).eraseToAnyPublisher() }
        )
    }

    // "Cache": invalidation policies
    // swift-format-ignore
    // [000.14
    public enum InvalidationPolicy {
        case notExpires
        case expiresAfter(TimeInterval)
    }
    // 000.14]

    // "Cache": usage policies
    // swift-format-ignore
    // [000.15
    public enum UsagePolicy {
        case useInsteadOfFetching
        case useIfFetchFails
        case useAndThenFetch
    }
    // 000.15]
}

extension QueryCacheConfig.InvalidationPolicy {
    init(_ policy: Declared.InvalidationPolicy) {
        switch policy {
        case .notExpires: self = .notExpires
        case .expiresAfter(let seconds): self = .expiresAfter(seconds)
        }
    }

    var declared: Declared.InvalidationPolicy {
        switch self {
        case .notExpires: .notExpires
        case .expiresAfter(let seconds): .expiresAfter(seconds)
        }
    }
}

extension QueryCacheConfig.UsagePolicy {
    init(_ policy: Declared.UsagePolicy) {
        switch policy {
        case .useInsteadOfFetching: self = .useInsteadOfFetching
        case .useIfFetchFails: self = .useIfFetchFails
        case .useAndThenFetch: self = .useAndThenFetch
        }
    }

    var declared: Declared.UsagePolicy {
        switch self {
        case .useInsteadOfFetching: .useInsteadOfFetching
        case .useIfFetchFails: .useIfFetchFails
        case .useAndThenFetch: .useAndThenFetch
        }
    }
}

extension Seed000 {
    @MainActor
    struct CacheTests {
        private let readme = Readme(Typicode.users)

        @Test func `the cache is used in place of a fetch until 1000 seconds have passed`() async {
            await readme.caches({ CachedCards() }, printed: printed)
        }

        @Test func `the policies are those that are declared, and no others`() async {
            #expect(QueryCacheConfig.InvalidationPolicy(.notExpires) == .notExpires)
            let policy = QueryCacheConfig.InvalidationPolicy.expiresAfter(7)
            #expect(QueryCacheConfig.InvalidationPolicy(policy.declared) == policy)
            for policy in [Declared.UsagePolicy.useInsteadOfFetching, .useIfFetchFails, .useAndThenFetch] {
                #expect(QueryCacheConfig.UsagePolicy(policy).declared == policy)
            }
        }

        @Test func `each usage policy does what it is called`() async {
            let policy = { QueryCacheConfig.UsagePolicy($0) as QueryCacheConfig.UsagePolicy }
            await readme.uses(policy(.useInsteadOfFetching), answered: ["old"], failed: ["old"], fetches: 0)
            await readme.uses(policy(.useIfFetchFails), answered: ["new"], failed: ["old"], fetches: 1)
            await readme.uses(policy(.useAndThenFetch), answered: ["old", "new"], failed: ["old"], fetches: 1)
        }

        @Test func `a configuration can be given alone`() {
            #expect(Declared.cards().state.value == nil)
        }
    }
}
