import Foundation
import PigeonUI
import SeedSupport
import SwiftUI
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct MutatingView: View {
    // "mutations"
    // [001.6
    @ObservedObject var sampleMutation = Mutation<Int, User> { (number) -> AnyPublisher<User, Error> in
        Just(User(id: number, name: "Pepe"))
            .tryMap({ $0 })
            .eraseToAnyPublisher()
    }

    // ...
    let list = Immediately.UsersList()

    var body: some View {
        list
        Button("Mutate", action: mutate)
        if let user = sampleMutation.state.value { Text("\(user.id) \(user.name)") }
    }

    func mutate() {

        sampleMutation.execute(with: 10) { (user: User, invalidate) in
            // Invalidate triggers a new query on the "users" key
            invalidate(QueryKey(value: "users"), .lastData)
        }
        // 001.6]
    }
}

extension Seed001 {
    @MainActor
    struct MutationTests {
        @Test func `a mutation has the users fetched again`() async {
            await Readme(Typicode.users).mutates { MutatingView() }
        }
    }
}
