/// Reads a store's states: each once, the newest for a slow reader.
struct StateReading<DATA: Sendable>: AsyncIteratorProtocol {
    private let store: StoreAccess<DATA>
    private let forceRefresh: Bool
    private let mailbox: Mailbox<EntryPicture>
    private let follower: StateFollower
    private var hasBegun = false
    private var lastMark: StateMark?

    init(_ store: StoreAccess<DATA>, forceRefresh: Bool) {
        self.store = store
        self.forceRefresh = forceRefresh
        let mailbox = Mailbox<EntryPicture>()
        self.mailbox = mailbox
        follower = StateFollower { mailbox.put($0) }
    }

    mutating func next() async -> LoadingState<DATA>? {
        if !hasBegun {
            hasBegun = true
            follower.begin(store, forceRefresh: forceRefresh)
        }
        while let picture = await mailbox.next() {
            let mark = StateMark(picture)
            guard mark != lastMark else { continue }
            lastMark = mark
            return LoadingState(picture)
        }
        follower.cancel()
        return nil
    }
}
