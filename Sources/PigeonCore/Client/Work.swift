/// What a transaction leaves to be done once the lock is released.
struct Work {
    var stops: [FetchRun] = []
    var starts: [(run: FetchRun, attempt: Int)] = []
    var deliveries: [Slot] = []
    /// Observers that have pictures enqueued.
    var enqueued: [ObserverCore] = []
    /// Observers to whom alone their slots are delivered.
    var announcements: [(core: ObserverCore, slot: Slot)] = []
    var resumptions: [(waiter: Waiter, result: Result<Payload, any Error>)] = []
    /// Freed last, so that no deinit of a user's value runs under the lock.
    var discarded: [AnyObject] = []
    var alarm: MonotonicInstant?
    var hasEvents = false
    var turns: [Waiter] = []
    var endedMutations: [MutationWait] = []
    var hasDirectSteps = false
    /// True if the delay of the pending records has passed.
    var recordsAreDue = false
    /// What sources of truth have to do.
    var sourceSteps: [SourceStep] = []
    /// Observers whose key was taken by a type that they cannot read.
    var expulsions: [(core: ObserverCore, slot: Slot, error: QueryError)] = []
}

/// What a source of truth has to do.
enum SourceStep {
    /// Be listened to, for the observers of a slot.
    case watch(Slot)
    /// Be read for a slot.
    case read(Slot)
    /// Do what waits in its lane.
    case run(SourceLane)
}
