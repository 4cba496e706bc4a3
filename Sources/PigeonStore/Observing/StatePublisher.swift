/// Follows a store for each subscriber, from its subscription on.
struct StatePublisher<DATA: Sendable>: Publisher {
    typealias Output = LoadingState<DATA>
    typealias Failure = Never

    let store: StoreAccess<DATA>
    let forceRefresh: Bool

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let subscription = StateSubscription { subscriber.receive(LoadingState($0)) }
        subscriber.receive(subscription: subscription)
        subscription.begin { $0.begin(store, forceRefresh: forceRefresh) }
    }
}

/// One subscription of a store. A subscriber without demand gets the newest state when it asks.
final class StateSubscription: Subscription,
    @unchecked Sendable  // the subscriber is guarded by the lock, and called by one thread at a time
{
    private struct State {
        /// Sends a state to the subscriber, and says how many more it wants.
        var send: ((EntryPicture) -> Subscribers.Demand)?
        var demand = Subscribers.Demand.none
        var waiting: EntryPicture?
        var isSending = false
        var lastMark: StateMark?
        var follower: StateFollower?
    }

    private let state: Locked<State>

    init(_ send: @escaping (EntryPicture) -> Subscribers.Demand) {
        state = Locked(State(send: send))
    }

    func begin(_ begin: (StateFollower) -> Void) {
        let follower = StateFollower { [weak self] in self?.send($0) }
        let isOver = state.withLock { state in
            if state.send != nil { state.follower = follower }
            return state.send == nil
        }
        guard !isOver else { return }
        begin(follower)
    }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.demand += demand }
        send(nil)
    }

    func cancel() {
        let old = state.withLock { state in
            defer { (state.send, state.waiting, state.follower) = (nil, nil, nil) }
            return (state.send, state.waiting, state.follower)
        }
        old.2?.cancel()
    }

    /// Sends what waits, the newest in place of all before it, unless somebody is sending: then he does it.
    private func send(_ picture: EntryPicture?) {
        guard var next = next(after: picture, isSending: false) else { return }
        while true {
            let more = next.send(next.picture)
            guard let following = self.next(after: nil, isSending: true, more) else { return }
            next = following
        }
    }

    private typealias Next = (picture: EntryPicture, send: (EntryPicture) -> Subscribers.Demand)

    private func next(
        after newest: EntryPicture?, isSending: Bool, _ more: Subscribers.Demand = .none
    ) -> Next? {
        let (next, outdated) = state.withLock { state -> (Next?, EntryPicture?) in
            guard let send = state.send else { return (nil, nil) }
            let old = newest == nil ? nil : state.waiting
            if let newest { state.waiting = newest }
            state.demand += more
            guard state.isSending == isSending else { return (nil, old) }
            state.isSending = false
            guard state.demand > .none, let picture = state.waiting else { return (nil, old) }
            state.waiting = nil
            let mark = StateMark(picture)
            guard mark != state.lastMark else { return (nil, picture) }
            state.lastMark = mark
            state.demand -= 1
            state.isSending = true
            return ((picture, send), old)
        }
        _ = outdated  // freed after the lock is
        return next
    }
}
