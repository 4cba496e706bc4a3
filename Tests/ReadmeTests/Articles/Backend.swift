import Foundation
import PigeonCore

/// The server that the articles' `api` stands for: it can be out of reach, and counts what it is asked.
final class Backend: Sendable {
    private struct State {
        var isReachable = true
        var names = ["Ann", "Bea"]
        var calls: [String] = []
    }

    private let state = Locked(State())

    var calls: [String] { state.withLock { $0.calls } }

    func setReachable(_ isReachable: Bool) { state.withLock { $0.isReachable = isReachable } }

    func setNames(_ names: [String]) { state.withLock { $0.names = names } }

    func users() async throws -> [User] {
        try answer("users") { $0.names.enumerated().map { User(id: $0.offset, name: $0.element) } }
    }

    func user(_ id: Int) async throws -> User {
        try answer("user \(id)") { User(id: id, name: $0.names[id % $0.names.count]) }
    }

    func rename(_ id: Int, to name: String, idempotencyKey: String = "") async throws -> User {
        try answer("rename \(id)") { state in
            state.names[id % state.names.count] = name
            return User(id: id, name: name)
        }
    }

    func posts(page: Int) async throws -> [Post] {
        try answer("posts \(page)") { _ in page < 3 ? [Post(title: "Post \(page)")] : [] }
    }

    func posts(after cursor: String?) async throws -> PostPage {
        try answer("posts after \(cursor ?? "nothing")") { _ in
            let isFirst = cursor == nil
            return PostPage(posts: [Post(title: isFirst ? "First" : "Last")], next: isFirst ? "c1" : nil)
        }
    }

    private func answer<Value>(_ call: String, _ make: (inout State) -> Value) throws -> Value {
        try state.withLock { state in
            state.calls.append(call)
            guard state.isReachable else { throw URLError(.networkConnectionLost) }
            return make(&state)
        }
    }
}

struct PostPage: Codable, Equatable, Sendable {
    var posts: [Post]
    var next: String?
}
