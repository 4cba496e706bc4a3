/// One oracle of a simulation: a rule that is checked after every operation, or at the end of a run.
package enum SimulationRule: String, CaseIterable, Sendable {
    // The inside of the client.

    /// The parts of an entry agree with each other; no waiter is lost; nothing is left when everything is dropped.
    case structure
    /// No deadline of an entry has passed unseen, even while user code blocks the thread that set it (A40, E5).
    case timers
    /// A client is freed once its program lets it go.
    case lifetime

    // What is shown.

    /// An answer never replaces the answer of a fetch that was asked later (A32).
    case order
    /// A write of the program is replaced only by what was asked later, or by a fetch that it lets win.
    case lostWrite
    /// Nothing of before a sign-out is shown after it, in memory or from disk (A31).
    case signOut
    /// A sign-out whose disk fails says so before it shows anything of before.
    case failedSignOut
    /// No optimistic change of before a sign-out is shown after it (E16).
    case editAfterSignOut
    /// A value that is invalidated is stale, or being fetched, until an answer asked afterwards lands (A34, E4, E8).
    case invalidation
    /// A refetch that succeeds returns what the server had when the refetch was asked, or something newer (A32, E8).
    case refetch
    /// A value gets no younger while nothing lands.
    case age
    /// The age that an observer shows is the age of the value now (E13).
    case observedAge
    /// A request asks with the validators of the value that it has, and no others.
    case validators
    /// A retry asks with the validators of the value that is there now.
    case validatorsOfRetry
    /// A confirmed change that became the value has no validators, since the server never gave it.
    case validatorsOfEdit
    /// The answer of the newest fetch lands, unless something that it must not replace came after it was asked (A32). It is
    /// fresh from then on.
    case landing
    /// A fetch that has its answer takes no other one, though the network copied its request.
    case secondAnswer
    /// A value that is shown is one that the server had.
    case knownValue

    // Observers.

    /// Observers see versions in order, each at most once, and never miss the last.
    case delivery
    /// An observer is notified when its value turns stale by time (T17).
    case ageing
    /// A listener of events holds up no observer (A40, E9).
    case deliveryDuringEvents
    /// An asynchronous sequence of snapshots never goes back (E7).
    case sequence

    // Mutations.

    /// A pending optimistic change is shown by an entry that was there when the mutation began.
    case pendingEdit
    /// A pending optimistic change is shown by an entry that was read after the mutation began (E10).
    case lateEdit
    /// A change that failed is shown no longer, unless the server made it.
    case failedEdit
    /// A change is shown once as soon as an answer that was asked after its confirmation has landed.
    case doubleEdit
    /// An answer that already has a change and the change itself never become one value (E14): it has the change as often as
    /// the server made it.
    case foldedEdit
    /// A confirmed change stays shown until the value is replaced by something newer (A22, E3).
    case confirmedEdit
    /// A mutation is repeated only if it is idempotent, and with the same key. A copy that the network made is no repetition.
    case repeatedEdit
    /// A sign-out ends the mutations that run (A39, E13).
    case signOutEndsMutations

    // Lists.

    /// Each page of a list is the one that the page before it names (E2).
    case pageOrder
    /// A page that was asked for before a refresh or a write never comes into the list that it brought (E2).
    case latePage
    /// Asking for a page gives the page, the end of the list, or an error (A33, E1).
    case pageAnswer
    /// Loading all pages of a list ends, even while it is polled (E1).
    case pageLoop

    // Disk.

    /// After a flush, the next process shows the same values, as old and as stale as they were.
    case restart
    /// After a flush, the next process shows a confirmed change (A37, E11).
    case restartAfterConfirmation
    /// What is only on disk can be edited (A36, E10).
    case editOnDisk
    /// What waits to be written is written in time, and each mark once for each batch (E6).
    case records
    /// A record that the disk damaged is missed, and an event says so, where the store notices it.
    case damagedRecord

    // Fetching.

    /// An invalidation fetches those entries again that its scope names, and no others (T80).
    case scope
    /// A new observer has a stale value fetched, and a fresh one not (T20–T22).
    case attaching
    /// Coming back online, or to the foreground, has stale values fetched that are observed, and no others (T70–T73).
    case returning
    /// What is observed and polled is fetched in each interval (T71).
    case polling
    /// A fetch that fails in a way that may pass is repeated as often as its policy says (T34).
    case retries
    /// Nothing is asked without a network, or retried in the background (T36, T37).
    case network
    /// A retry waits as long as the server asked for.
    case retryAfter
    /// Definitions that are made anew, with the same options, join a fetch without a word (E12).
    case sameOptions

    /// A first load is shared by those who ask for the same meanwhile (T30).
    case firstLoad

    // Quiet.

    /// Every caller gets an answer once the server has answered everything.
    case unanswered
    /// After everything was refetched, what is shown is what the server has.
    case convergence
}
