import PigeonBase
import PigeonCore
import PigeonQueryUI
import SwiftUI
import Testing

@MainActor
@Suite("A follower announces the changes of one source to its view, on a screen that notes animations")
struct ViewFollowerAnimationTests {
    typealias Follower = ViewFollower<String>

    /// A source whose changes the test causes.
    private let source = Listeners()
    private let follower = Follower("first")

    init() {
        follower.follow { [source] changed in source.add(changed) }
    }

    private struct FollowingView: View {
        @ObservedObject var follower: Follower

        var body: some View { Text(follower.source) }
    }

    @Test func `a change is announced within the newest animation, or else within that of its cause`() {
        let follower = follower
        let screen = Screen { FollowingView(follower: follower) }
        source.call()
        #expect(screen.animatedChanges == 0)
        follower.animation = .default
        source.call()
        #expect(screen.animatedChanges == 1)
        follower.animation = nil
        source.call()
        #expect(screen.animatedChanges == 1)
        withAnimation { source.call() }
        #expect(screen.animatedChanges == 2)
    }
}
