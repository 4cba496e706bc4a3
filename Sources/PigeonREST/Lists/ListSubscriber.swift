public import CombineShim
internal import PigeonBase

/// Shows on the main actor what a publisher sends: at once when that happens there, as soon as may be when not.
///
/// Takes all there is, and shows the newest: what was outdated before it could be shown is not. Does nothing when the
/// publisher completes. Made by a list: see ``ItemList``.
public final class ListSubscriber<Items: Sendable>: BoundSubscriber, Sendable {
    /// All items, or all sections.
    public typealias Input = Items
    /// Cannot fail.
    public typealias Failure = Never

    private struct State {
        var newest: Items?
        var isShowing = false
        var upstream: (any Subscription)?
    }

    private let state = Locked(State())
    /// Shows the items. `false` when there is no list any more to show them.
    private let show: @MainActor @Sendable (Items) -> Bool

    /// - Parameter show: Shows the items. `false` when there is no list any more to show them.
    package init(show: @escaping @MainActor @Sendable (Items) -> Bool) {
        self.show = show
    }

    /// Asks for all there is. A second publisher is turned away.
    public func receive(subscription: any Subscription) {
        let isWanted = state.withLock { state in
            guard state.upstream == nil else { return false }
            state.upstream = subscription
            return true
        }
        if isWanted { subscription.request(.unlimited) } else { subscription.cancel() }
    }

    /// Shows the items, unless newer ones come before that.
    public func receive(_ input: Items) -> Subscribers.Demand {
        let old = state.withLock { state in
            defer { state.newest = input }
            return state.newest
        }
        _ = old  // freed after the lock is
        MainActor.runSoon { self.showNewest() }
        return .none
    }

    /// Leaves on screen what is there.
    public func receive(completion: Subscribers.Completion<Never>) {}

    /// Shows what is newest, until nothing newer came meanwhile. A list that brings about new items while it shows some
    /// is shown those after that.
    @MainActor
    private func showNewest() {
        let isMine = state.withLock { state in
            guard !state.isShowing else { return false }
            state.isShowing = true
            return true
        }
        guard isMine else { return }
        while let items = next() {
            if !show(items) { state.withLock { $0.upstream }?.cancel() }
        }
    }

    /// What was not shown yet never is. Another publisher may follow.
    func unbind() {
        let old = state.withLock { state in
            defer { (state.newest, state.upstream) = (nil, nil) }
            return (state.newest, state.upstream)
        }
        _ = old  // freed after the lock is
    }

    private func next() -> Items? {
        state.withLock { state in
            defer { state.newest = nil }
            if state.newest == nil { state.isShowing = false }
            return state.newest
        }
    }
}
