import CombineShim
import PigeonBase
import PigeonCore
import PigeonQueryUI
import TestSupport
import Testing

@MainActor
@Suite("A follower announces the changes of one source to its view")
struct ViewFollowerTests {
    typealias Follower = ViewFollower<String>

    /// A source whose changes the test causes.
    private let source = Listeners()
    private let follower: Follower
    /// The source at each announcement.
    private let announced: Recorder<String>
    private let counting: AnyCancellable

    init() {
        let (follower, announced) = (Follower("first"), Recorder<String>())
        counting = follower.objectWillChange.sink { [weak follower] in announced.append(follower?.source ?? "") }
        (self.follower, self.announced) = (follower, announced)
        follow(source, in: follower)
    }

    private func follow(_ source: Listeners, in follower: Follower) {
        follower.follow { changed in source.add(changed) }
    }

    /// Waits until the main actor has run everything that is scheduled by now.
    private func nextTurn() async {
        await Task { @MainActor in }.value
    }

    @Test func `each change on the main actor is announced at once`() {
        source.call()
        #expect(announced.all == ["first"])
        source.call()
        #expect(announced.all == ["first", "first"])
    }

    @Test func `a change on another thread is announced on the main actor`() async {
        await Task.detached { [source] in source.call() }.value
        await announced.wait(for: 1)
        await nextTurn()
        #expect(announced.all == ["first"])
    }

    @Test func `X3: what another object changes as it attaches is announced afterwards, once for all changes`() async {
        let other = Follower("other")
        Attaching.by(other) {
            source.call()
            source.call()
        }
        #expect(announced.all.isEmpty)
        await announced.wait(for: 1)
        await nextTurn()
        #expect(announced.all == ["first"])
    }

    @Test func `X3: what it changes itself as it attaches is not announced, because the view is being built`() async {
        Attaching.by(follower) { source.call() }
        follower.follow { changed in
            changed()
            return source.add(changed)
        }
        await nextTurn()
        #expect(announced.all.isEmpty)
        source.call()
        #expect(announced.all.count == 1)
    }

    @Test func `another source replaces the current one, whose subscription ends afterwards`() {
        let steps = Recorder<String>()
        follower.follow { _ in QuerySubscription { steps.append("ended") } }
        let other = Listeners()
        follower.source = "second"
        follower.follow { changed in
            steps.append("begun")
            return other.add(changed)
        }
        #expect(steps.all == ["begun", "ended"])
        source.call()
        #expect(announced.all.isEmpty)
        other.call()
        #expect(announced.all == ["second"])
    }

    @Test func `X3: what the end of a subscription changes for others is announced afterwards`() async {
        let (shared, other) = (Listeners(), Follower("other"))
        follow(shared, in: other)
        let changes = Recorder<String>()
        let counting = other.objectWillChange.sink { changes.append("changed") }
        follower.follow { _ in QuerySubscription { shared.call() } }
        follow(source, in: follower)
        #expect(changes.all.isEmpty)
        await changes.wait(for: 1)
        withExtendedLifetime(counting) {}
    }

    @Test func `a follower that is released ends its subscription, even if a change is not announced yet`() async {
        let (source, ends) = (Listeners(), Recorder<String>())
        var follower: Follower? = Follower("short")
        weak let released = follower
        follower?.follow { changed in
            let subscription = source.add(changed)
            return QuerySubscription {
                subscription.cancel()
                ends.append("ended")
            }
        }
        Attaching.by(self.follower) { source.call() }
        follower = nil
        #expect(released == nil)
        #expect(ends.all == ["ended"])
        await nextTurn()
    }
}
