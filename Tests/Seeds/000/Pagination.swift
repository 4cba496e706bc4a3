import Foundation
import PigeonUI
import SeedSupport
import SwiftUI
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct PagedUsers: View {
    // "Paginated Queries"
    // [000.10
    @ObservedObject private var users = PaginatedQuery<Void, LimitOffsetPaginatedQueryKey, [User]>(
        key: QueryKey(value: "users"),
        firstPage: LimitOffsetPaginatedQueryKey(
            limit: 20,
            offset: 0
        ),
        fetcher: { (request, page) in
            // ...
            Just([User(id: page.offset, name: "User \(page.offset)")])
                .setFailureType(to: Error.self)
                .eraseToAnyPublisher()
        }
    )
    // 000.10]

    var body: some View {
        List(users.state.value ?? []) { user in
            Text(user.name)
        }
        Button("More") { more() }
        Button("Again") { again(request: ()) }
    }

    func more() {
        // "Paginated Queries": what they can do besides
        // [000.11
        // If you want to fetch the next page.
        users.fetchNextPage()
    }

    func again(request: Void) {
        // If you need to fetch the first page again (this will reset the current state for your query)
        users.refetch(request /* some Request */)
        // 000.11]
    }
}

extension Seed000 {
    @MainActor
    struct PaginationTests {
        @Test func `pages are fetched one after the other, and from the first again`() async {
            await Readme(Typicode.users).pages { PagedUsers() }
        }
    }
}
