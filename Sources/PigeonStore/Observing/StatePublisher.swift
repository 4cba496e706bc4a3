/// Follows a store for each subscriber, from its subscription on.
struct StatePublisher<DATA: Sendable>: Publisher {
    typealias Output = LoadingState<DATA>
    typealias Failure = Never

    let store: StoreAccess<DATA>
    let forceRefresh: Bool

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let subscription = StateSubscription<DATA, S>(subscriber)
        subscriber.receive(subscription: subscription)
        subscription.begin(store, forceRefresh: forceRefresh)
    }
}

/// One who is told of every picture.
private protocol PictureReader: AnyObject, Sendable {
    func take(_ picture: EntryPicture)
}

/// One subscription of a store. A subscriber without demand gets the newest state when it asks.
private final class StateSubscription<DATA: Sendable, Downstream: Subscriber>: Subscription, PictureReader,
    @unchecked Sendable  // the subscriber is guarded by the lock, and called by one thread at a time
where Downstream.Input == LoadingState<DATA>, Downstream.Failure == Never {
    private struct State {
        var downstream: Downstream?
        var demand = Subscribers.Demand.none
        var waiting: EntryPicture?
        var isSending = false
        var lastMark: StateMark?
        var follower: StateFollower<DATA>?
    }

    private let state: Locked<State>

    init(_ downstream: Downstream) {
        state = Locked(State(downstream: downstream))
    }

    func begin(_ store: StoreAccess<DATA>, forceRefresh: Bool) {
        let reader: any PictureReader = self
        let follower = StateFollower<DATA> { [weak reader] in reader?.take($0) }
        let isOver = state.withLock { state in
            if state.downstream != nil { state.follower = follower }
            return state.downstream == nil
        }
        guard !isOver else { return }
        follower.begin(store, forceRefresh: forceRefresh)
    }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.demand += demand }
        send()
    }

    func cancel() {
        let old = state.withLock { state in
            defer {
                state.downstream = nil
                state.waiting = nil
                state.follower = nil
            }
            return (state.downstream, state.waiting, state.follower)
        }
        old.2?.cancel()
    }

    func take(_ picture: EntryPicture) {
        let old = state.withLock { state -> EntryPicture? in
            guard state.downstream != nil else { return nil }
            defer { state.waiting = picture }
            return state.waiting
        }
        _ = old  // freed after the lock is
        send()
    }

    private func send() {
        guard var next = next(isSending: false) else { return }
        while true {
            let more = next.downstream.receive(LoadingState(next.picture))
            if more > .none { state.withLock { $0.demand += more } }
            guard let following = self.next(isSending: true) else { return }
            next = following
        }
    }

    /// The next state to send; who asks is alone in sending until there is none.
    private func next(isSending: Bool) -> (picture: EntryPicture, downstream: Downstream)? {
        var spare: EntryPicture?
        let next = state.withLock { state -> (EntryPicture, Downstream)? in
            guard state.isSending == isSending else { return nil }
            state.isSending = false
            guard state.demand > .none, let picture = state.waiting, let downstream = state.downstream else {
                return nil
            }
            state.waiting = nil
            let mark = StateMark(picture)
            guard mark != state.lastMark else {
                spare = picture
                return nil
            }
            state.lastMark = mark
            state.demand -= 1
            state.isSending = true
            return (picture, downstream)
        }
        _ = spare
        return next
    }
}
