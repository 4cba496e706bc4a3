/// What a transaction leaves to be done once the lock is released.
struct Work {
    var stops: [FetchRun] = []
    var starts: [(run: FetchRun, attempt: Int)] = []
    var deliveries: [Slot] = []
    var resumptions: [(waiter: Waiter, result: Result<Payload, any Error>)] = []
    /// Freed last, so that no deinit of a user's value runs under the lock.
    var discarded: [AnyObject] = []
    var alarm: MonotonicInstant?
    var hasEvents = false
    var turns: [Waiter] = []
    var hasDirectSteps = false
    /// Sources of truth with something to do.
    var lanes: [SourceLane] = []
    /// Slots whose source is to be read.
    var reads: [Slot] = []
    /// Slots whose source is to be listened to.
    var watches: [Slot] = []
    /// Observers whose key was taken by a type that they cannot read.
    var expulsions: [(core: ObserverCore, slot: Slot, error: QueryError)] = []
}
