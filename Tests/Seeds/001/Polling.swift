import Foundation
import PigeonUI
import SeedSupport
import SwiftUI
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct PolledUsers: View {
    // "轮询"
    // [001.5
    @ObservedObject var users = Query<Void, [User]>(
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
    // 001.5]

    var body: some View {
        List(users.state.value ?? []) { user in
            Text(user.name)
        }
    }
}

extension Seed001 {
    @MainActor
    struct PollingTests {
        @Test func `the fetcher is called every 2 seconds`() async {
            await Readme(Typicode.users).polls { PolledUsers() }
        }
    }
}
