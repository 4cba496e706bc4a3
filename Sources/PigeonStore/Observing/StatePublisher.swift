/// Follows a store for each subscriber, from its subscription on. A subscriber that is busy or has no demand receives
/// the newest state next, unless that state equals the last one that it received.
struct StatePublisher<DATA: Sendable>: Publisher {
    typealias Output = LoadingState<DATA>
    typealias Failure = Never

    let store: StoreAccess<DATA>
    let forceRefresh: Bool

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        var lastMark: StateMark?
        let delivery = Delivery<EntryPicture, Never>(.newest) { picture in
            let mark = StateMark(picture)
            guard mark != lastMark else { return nil }
            lastMark = mark
            return subscriber.receive(LoadingState(picture))
        } complete: {
            subscriber.receive(completion: $0)
        }
        subscriber.receive(subscription: delivery)
        let follower = StateFollower { [weak delivery] in delivery?.send($0) }
        delivery.onCancel { follower.cancel() }
        if delivery.isOpen { follower.begin(store, forceRefresh: forceRefresh) }
    }
}
