/// A rule that a simulation checks after every operation, or at the end of a run.
///
/// These are the rules of a program, whose users notice when one is broken. The ``SimulationChecks`` of Pigeon's own
/// tests add the rules of the engine.
package struct SimulationRule: Hashable, Sendable, CustomStringConvertible {
    private let name: String

    package init(_ name: String) { self.name = name }

    /// The name with which a ``Simulation/Violation`` begins.
    package var description: String { name }
}

extension SimulationRule {
    // The program.

    /// A client is deallocated once the program releases it.
    package static let lifetime = Self("lifetime")

    // The shown values.

    /// An answer never replaces the answer to a later request (A32).
    package static let order = Self("order")
    /// A write by the program is replaced only by the answer to a later request, or by a fetch that its policy lets
    /// win.
    package static let lostWrite = Self("lostWrite")
    /// No data from before a sign-out is shown after it, from memory or from disk (A31).
    package static let signOut = Self("signOut")
    /// A sign-out whose disk fails reports the error before any data from before it is shown.
    package static let failedSignOut = Self("failedSignOut")
    /// No optimistic change from before a sign-out is shown after it (E16).
    package static let editAfterSignOut = Self("editAfterSignOut")
    /// An invalidated value is stale or being fetched until the answer to a later request is stored (A34, E4, E8).
    package static let invalidation = Self("invalidation")
    /// A successful refetch returns the server's state at the time of the request, or a newer one (A32, E8).
    package static let refetch = Self("refetch")
    /// A caller that comes after an invalidation receives the server's state at the time of the invalidation, or a newer
    /// one (A58).
    package static let lateCaller = Self("lateCaller")
    /// An observer shows the current age of the value (E13).
    package static let observedAge = Self("observedAge")
    /// Each shown value is a state that the server had.
    package static let knownValue = Self("knownValue")

    // Observers.

    /// Observers receive versions in order, each at most once, and never miss the last one.
    package static let delivery = Self("delivery")
    /// An observer is notified when its value turns stale by time (T17).
    package static let ageing = Self("ageing")
    /// An asynchronous sequence of snapshots never goes back (E7).
    package static let sequence = Self("sequence")

    // Mutations.

    /// A pending optimistic change is shown by an entry that was there when the mutation began.
    package static let pendingEdit = Self("pendingEdit")
    /// A pending optimistic change is shown by an entry that was read after the mutation began (E10).
    package static let lateEdit = Self("lateEdit")
    /// A failed change is no longer shown, unless the server made it.
    package static let failedEdit = Self("failedEdit")
    /// A change is shown only once after the answer to a request after its confirmation has been stored.
    package static let doubleEdit = Self("doubleEdit")
    /// A change is never folded into an answer that already includes it (E14): the value includes the change as often
    /// as the server made it.
    package static let foldedEdit = Self("foldedEdit")
    /// A confirmed change stays shown until the value is replaced by something newer (A22, E3).
    package static let confirmedEdit = Self("confirmedEdit")
    /// A mutation is retried only if it is idempotent, and with the same idempotency key. A copy that the network made
    /// is not a retry.
    package static let repeatedEdit = Self("repeatedEdit")
    /// A sign-out ends the running mutations (A39, E13).
    package static let signOutEndsMutations = Self("signOutEndsMutations")

    // Lists.

    /// Each page of a list is the next page of the page before it (E2).
    package static let pageOrder = Self("pageOrder")
    /// A request for a page returns the page, the end of the list, or an error (A33, E1).
    package static let pageAnswer = Self("pageAnswer")
    /// Loading all pages of a list ends, even while it is polled (E1).
    package static let pageLoop = Self("pageLoop")

    // Definitions.

    /// New definitions with the same options join a fetch without a report of ignored options (E12).
    package static let sameOptions = Self("sameOptions")

    // Disk.

    /// After a flush, the next process shows the same values, as old and as stale as they were.
    package static let restart = Self("restart")
    /// After a flush, the next process shows a confirmed change (A37, E11).
    package static let restartAfterConfirmation = Self("restartAfterConfirmation")
    /// A value that is only on disk can be edited (A36, E10).
    package static let editOnDisk = Self("editOnDisk")
    /// A damaged record is a miss, and an event reports it if the store detects the damage.
    package static let damagedRecord = Self("damagedRecord")

    // The end of a run.

    /// Every caller gets an answer once the server has answered everything.
    package static let unanswered = Self("unanswered")
    /// After a refetch of everything, all shown values equal the server's.
    package static let convergence = Self("convergence")
}
