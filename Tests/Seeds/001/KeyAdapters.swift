import Foundation
import PigeonUI
import SeedSupport
import SwiftUI
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct AdaptedUsers: View {
    // "Key适配器"
    // [001.9
    @ObservedObject private var user = Query<Int, [User]>(
        key: QueryKey(value: "users"),
        keyAdapter: { key, id in
            key.appending(id.description)
        },
        behavior: .startImmediately(1),
        cache: UserDefaultsQueryCache.shared,
        fetcher: { id in
            // ...
            Just([User(id: id, name: "User \(id)")]).setFailureType(to: Error.self).eraseToAnyPublisher()
        }
    )
    // 001.9]

    var body: some View {
        List(user.state.value ?? []) { user in
            Text(user.name)
        }
        Button("Second") { user.refetch(request: 2) }
    }
}

extension Seed001 {
    @MainActor
    struct KeyAdapterTests {
        @Test func `each id has a value of its own in the cache`() async {
            await Readme(Typicode.users).adapts { AdaptedUsers() }
        }
    }
}
