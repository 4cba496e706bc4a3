import Foundation
import PigeonCore
import PigeonHTTP
import PigeonREST
import PigeonStore
import PigeonUI
import SwiftUI
import Testing
import ViewSupport

@MainActor
@Suite("views of each face, in a window")
struct FaceTests {
    private func names(_ posts: [Post]) -> some View {
        VStack { ForEach(posts) { Probe($0.text) } }
    }

    private func view(_ state: some ViewStateConvertible<[Post]>) -> some View {
        StateView(state, content: names) {
            Probe("loading")
        } failure: { error, _ in
            Probe(error.localizedDescription)
        } empty: {
            Probe("empty")
        } idle: {
            Probe("idle")
        }
    }

    @Test func `a state is shown with the part that fits it`() async {
        let failure = RequestError(userMessage: "Down.", cause: nil)
        let host = ViewHost {
            view(QueryState<[Post]>.idle)
            view(QueryState<[Post]>.loading)
            view(LoadingState<[Post]>.loading(content: Post.some(1...2)))
            view(ResourceState<[Post]>.fake([]))
            view(ResourceState<[Post]>.fakeFailure(failure))
        }
        #expect(await host.wait { $0 == ["idle", "loading", "1", "2", "empty", "Down."] })
        host.close()
    }

    @Test func `a resource is loaded when it is shown, and let go of when its view is closed`() async {
        let mock = MockTransport()
        let service = Service(baseURL: "https://api.test", networking: mock)
        service.configure("/posts", decoding: [Post].self)
        mock.answer(.get, "/posts") { _, _ in try .json(Post.some(1...2)) }
        let host = ViewHost { ResourceView(service.resource("/posts").typed([Post].self), content: names) }
        #expect(await host.wait { $0 == ["1", "2"] })
        host.rebuild()
        #expect(mock.requests.count == 1)
        #expect(service.resource("/posts").isObserved)
        host.close()
        #expect(await host.wait { _ in !service.resource("/posts").isObserved })
    }

    private struct Posts: Fetcher {
        func fetch(param: Int) async throws -> [Post] { Post.some(1...param) }
    }

    @Test func `a store's data is fetched when it is shown, and shown as it changes`() async {
        let (client, cacher) = (QueryClient(), Cacher<Int, [Post]>())
        func store() -> AnyStoreFlowable<Int, [Post]> {
            AnyStoreFlowable.from(cacher: cacher, fetcher: Posts(), param: 2, client: client)
        }
        let host = ViewHost { QueryView(store(), content: names) }
        #expect(await host.wait { $0 == ["1", "2"] })
        await store().update(newData: Post.some(7...7))
        #expect(await host.wait { $0 == ["7"] })
        host.close()
    }
}
