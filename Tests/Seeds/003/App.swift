import Foundation
import PigeonFutures
import SeedSupport
import UIKit

// The app of the examples, as far as they do not show it.

struct Post: Codable, Equatable {
    var id: Int
    var userId: Int
}

struct User: Codable, Equatable {
    var id: Int
}

struct EnrichedPost: Equatable {
    var id: Int
    var userId: Int
    var text: String
}

@MainActor
final class TextField {
    var text: String?
}

/// What a test waits for, as `XCTestExpectation` is.
struct Expectation {
    let name: String
    let journal: Journal

    func fulfill() {
        journal.add(name)
    }
}

final class ViewController: UIViewController {
    let dispatcher: any Dispatcher
    let request: BasicRequest
    let journal = Journal()
    var textField: TextField?
    var postResponseFuture: ResponseFuture<SuccessResponse<[Post]>>?
    var strongResponseFuture: ResponseFuture<Response<Data?>>?
    weak var weakResponseFuture: ResponseFuture<Response<Data?>>?

    init(_ dispatcher: any Dispatcher = Asked(), _ request: BasicRequest = BasicRequest(method: .get, path: "/posts")) {
        self.dispatcher = dispatcher
        self.request = request
        super.init(nibName: nil, bundle: nil)
    }

    required init?(coder: NSCoder) { nil }

    func show(_ posts: [Post]) {
        MainActor.assertIsolated()
        journal.add("posts \(posts.map(\.id))")
    }

    func show(_ data: Data?) {
        MainActor.assertIsolated()
        journal.add("\(data?.count ?? 0) bytes")
    }

    func enrich(post: Post) -> ResponseFuture<EnrichedPost> {
        ResponseFuture(result: EnrichedPost(id: post.id, userId: post.userId, text: "rich"))
    }

    func fetchUser(forId id: Int) -> ResponseFuture<User> {
        dispatcher.future(from: BasicRequest(method: .get, path: "/users/\(id)")).then { try $0.decode(User.self) }
    }
}
