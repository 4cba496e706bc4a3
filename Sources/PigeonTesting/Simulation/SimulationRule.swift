/// A rule that a simulation checks after every operation, or at the end of a run.
package enum SimulationRule: String, CaseIterable, Sendable {
    // The internal state of the client.

    /// The parts of an entry are consistent, no waiter is lost, and nothing is leaked.
    case structure
    /// No deadline of an entry is missed, even while user code blocks the thread that set it (A40, E5).
    case timers
    /// A client is deallocated once the program releases it.
    case lifetime

    // The shown values.

    /// An answer never replaces the answer to a later request (A32).
    case order
    /// A write by the program is replaced only by the answer to a later request, or by a fetch that its policy lets
    /// win.
    case lostWrite
    /// No data from before a sign-out is shown after it, from memory or from disk (A31).
    case signOut
    /// A sign-out whose disk fails reports the error before any data from before it is shown.
    case failedSignOut
    /// No optimistic change from before a sign-out is shown after it (E16).
    case editAfterSignOut
    /// An invalidated value is stale or being fetched until the answer to a later request lands (A34, E4, E8).
    case invalidation
    /// A successful refetch returns the server's state at the time of the request, or a newer one (A32, E8).
    case refetch
    /// A caller that comes after an invalidation receives the server's state at the time of the invalidation, or a newer
    /// one (A58).
    case lateCaller
    /// The age of a value never decreases unless a value lands.
    case age
    /// An observer shows the current age of the value (E13).
    case observedAge
    /// A request sends the validators of the value that it has, and no others.
    case validators
    /// A retry sends the validators of the current value.
    case validatorsOfRetry
    /// A value that was folded from a confirmed change has no validators, because the server never sent it.
    case validatorsOfEdit
    /// The answer of the newest fetch lands, unless something after the request must not be replaced (A32). The value
    /// is then fresh.
    case landing
    /// A fetch that has its answer takes no other one, even if the network copied its request.
    case secondAnswer
    /// Each shown value is a state that the server had.
    case knownValue

    // Observers.

    /// Observers receive versions in order, each at most once, and never miss the last one.
    case delivery
    /// An observer is notified when its value turns stale by time (T17).
    case ageing
    /// A listener of events never delays an observer (A40, E9).
    case deliveryDuringEvents
    /// An asynchronous sequence of snapshots never goes back (E7).
    case sequence

    // Mutations.

    /// A pending optimistic change is shown by an entry that was there when the mutation began.
    case pendingEdit
    /// A pending optimistic change is shown by an entry that was read after the mutation began (E10).
    case lateEdit
    /// A failed change is no longer shown, unless the server made it.
    case failedEdit
    /// A change is shown only once after the answer to a request after its confirmation has landed.
    case doubleEdit
    /// A change is never folded into an answer that already includes it (E14): the value includes the change as often
    /// as the server made it.
    case foldedEdit
    /// A confirmed change stays shown until the value is replaced by something newer (A22, E3).
    case confirmedEdit
    /// A mutation is retried only if it is idempotent, and with the same idempotency key. A copy that the network made
    /// is not a retry.
    case repeatedEdit
    /// A sign-out ends the running mutations (A39, E13).
    case signOutEndsMutations

    // Lists.

    /// Each page of a list is the next page of the page before it (E2).
    case pageOrder
    /// A page that was requested before a refresh or a write never appears in the new list (E2).
    case latePage
    /// A request for a page returns the page, the end of the list, or an error (A33, E1).
    case pageAnswer
    /// Loading all pages of a list ends, even while it is polled (E1).
    case pageLoop

    // Disk.

    /// After a flush, the next process shows the same values, as old and as stale as they were.
    case restart
    /// After a flush, the next process shows a confirmed change (A37, E11).
    case restartAfterConfirmation
    /// A value that is only on disk can be edited (A36, E10).
    case editOnDisk
    /// Pending records are written in time, and each mark only once per batch (E6).
    case records
    /// A damaged record is a miss, and an event reports it if the store detects the damage.
    case damagedRecord

    // Fetching.

    /// An invalidation refetches the entries in its scope, and no others (T80).
    case scope
    /// A new observer refetches a stale value, but not a fresh one (T20–T22).
    case attaching
    /// A return to the network or the foreground refetches stale, observed values, and no others (T70–T73).
    case returning
    /// Observed entries with polling are fetched in each interval (T71).
    case polling
    /// An entry that was cleared or removed while it was observed is not fetched by itself (A31, T83).
    case clearing
    /// A fetch with a transient failure is retried as often as its policy allows (T34).
    case retries
    /// No request is sent without a network, and none is retried in the background (T36, T37).
    case network
    /// A retry waits for the time that the server asked for.
    case retryAfter
    /// New definitions with the same options join a fetch without a report of ignored options (E12).
    case sameOptions

    /// Callers that repeat the request of a first load share that load (T30).
    case firstLoad

    // The end of a run.

    /// Every caller gets an answer once the server has answered everything.
    case unanswered
    /// After a refetch of everything, all shown values equal the server's.
    case convergence
}
