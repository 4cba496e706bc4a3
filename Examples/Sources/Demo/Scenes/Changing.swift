import DemoServer
import NIOConcurrencyHelpers
import Pigeon

/// A change is shown before the server has answered, and taken back when the server refuses.
enum Changing: Scene {
    static let title = "A change, shown before it is confirmed"

    static func play(_ stage: Stage) async throws {
        stage.say("an editor opens a post, a list the posts of its author")
        let editor = Editor(stage)
        let list = stage.client.observe(.posts(of: 1, stage.api))
        try await stage.until("the post and the list") { editor.post.value != nil && list.value != nil }
        stage.read("the list shows \(list.value?.count ?? 0) posts")

        stage.server?.latency = .milliseconds(150)
        defer { stage.server?.latency = Stage.latency }
        try await rename(to: "Pigeons find home", editor, list, stage)
        guard let server = stage.server else {
            return stage.say("no change that fails: only the demo's own server fails on order")
        }
        server.faults = .failing(["/posts/1"], status: 500, times: 1)
        await fail(toRenameTo: "Lost on the way", editor, stage)
        server.faults = .none
    }

    private static func rename(
        to title: String, _ editor: Editor, _ list: QueryObserver<[Post]>, _ stage: Stage
    ) async throws {
        stage.say("the user renames the post")
        _ = try await stage.client.mutate(RenamePost(id: 1, title: title, api: stage.api))
        let answered = stage.timeline.elapsed
        try await stage.until("the refetches to end") { editor.isAtRest && !list.snapshot.isFetching }
        stage.read("the list shows \"\(list.value?.first?.title.shortened(to: 30) ?? "")\" first")
        let lead = editor.guessed(title).map { answered - $0 } ?? .zero
        stage.check("the change was on screen \(lead.milliseconds) ms before the server's answer", lead > .zero)
        guard stage.server != nil else { return }  // others only pretend to write
        stage.check("what it made stale was fetched again", list.value?.first?.title == title)
    }

    private static func fail(toRenameTo title: String, _ editor: Editor, _ stage: Stage) async {
        let old = editor.post.value?.title
        stage.say("the user renames it again; this time the server will fail")
        let result = await Task { try await stage.client.mutate(RenamePost(id: 1, title: title, api: stage.api)) }
            .result
        stage.say("the editor says: \(result.failure.map { "\($0)" } ?? "no error")")
        let wasShown = editor.guessed(title) != nil
        stage.check("the failed change was shown, and taken back", wasShown && editor.post.value?.title == old)
    }
}

/// Shows a post, each time it looks different.
private final class Editor: Sendable {
    private struct Look: Equatable {
        let title: String
        let isConfirmed: Bool
    }

    let post: QueryObserver<Post>
    private let looks = NIOLockedValueBox<[(look: Look, time: Duration)]>([])
    private let changes: NIOLockedValueBox<QuerySubscription?> = NIOLockedValueBox(nil)

    init(_ stage: Stage) {
        post = stage.client.observe(.post(1, stage.api))
        let subscription = post.onChange { [looks, timeline = stage.timeline] snapshot in
            guard let title = snapshot.value?.title else { return }
            let look = Look(title: title, isConfirmed: !snapshot.isOptimistic)
            let isNew = looks.withLockedValue { looks in
                guard looks.last?.look != look else { return false }
                looks.append((look, timeline.elapsed))
                return true
            }
            let note = look.isConfirmed ? "" : ", not confirmed yet"
            if isNew { stage.read("the editor shows \"\(title.shortened(to: 40))\"\(note)") }
        }
        changes.withLockedValue { $0 = subscription }
    }

    var isAtRest: Bool { !post.snapshot.isFetching }

    /// When a title was first shown that the server had not confirmed.
    func guessed(_ title: String) -> Duration? {
        looks.withLockedValue { $0.first { $0.look == Look(title: title, isConfirmed: false) }?.time }
    }
}

extension Result {
    /// The error, if that is what it is.
    var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
