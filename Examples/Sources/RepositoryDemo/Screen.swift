import PigeonHTTP
import PigeonStore
import Repository

/// Shows a feed as a screen would: every state that it is told, one after the other.
struct Screen {
    private let subscription: AnyCancellable
    private var states: AsyncStream<LoadingState<[Post]>>.Iterator
    private let tell: (String) -> Void

    init(of feed: AnyTwoWayPaginationStoreFlowable<Int, [Post]>, tell: @escaping (String) -> Void) {
        let (stream, continuation) = AsyncStream.makeStream(of: LoadingState<[Post]>.self)
        subscription = feed.publish().sink { continuation.yield($0) }
        states = stream.makeAsyncIterator()
        self.tell = tell
    }

    /// Shows the states up to the first in which nothing is on its way.
    mutating func show() async {
        while let state = await states.next(isolation: #isolation) {
            tell("  screen   \(state.line)")
            if state.isAtRest { return }
        }
    }

    func close() {
        subscription.cancel()
    }
}

extension LoadingState<[Post]> {
    fileprivate var isAtRest: Bool {
        if case .completed(_, let next, let prev) = self { !next.isLoading && !prev.isLoading } else { !isLoading }
    }

    /// What a screen makes of the state: the posts from top to bottom, and what there is above and below them.
    fileprivate var line: String {
        doAction(
            onLoading: { posts in posts.map { "\($0.line), and loads them anew" } ?? "empty, and loads" },
            onCompleted: { posts, next, prev in "\(prev.line) above, \(posts.line), \(next.line) below" },
            onError: { error in "an error: \(error.line)" },
            onNoData: { "empty" })
    }
}

extension AdditionalLoadingState {
    fileprivate var line: String {
        doAction(
            onFixed: { hasMore in hasMore ? "more" : "nothing" }, onLoading: { "loads" },
            onError: { error in "error \(error.line)" })
    }
}

extension [Post] {
    fileprivate var line: String {
        map { post in post.title == Story.newTitle ? "\(post.id) '\(post.title)'" : "\(post.id)" }
            .joined(separator: " ")
    }
}

extension Error {
    fileprivate var line: String {
        if case .status(let answer) = self as? HTTPError { "\(answer.statusCode.rawValue)" } else { "\(self)" }
    }
}
