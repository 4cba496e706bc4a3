import PigeonCore

/// The reference model of one key: what may be shown, and what must be.
///
/// It is kept beside the client by the world, which notes everything that it does to the key, and is compared with the
/// client's entry after each step.
struct SimulatedModel {
    /// The newest call whose answer was shown, or write that no older fetch may replace.
    var newest = 0
    /// The newest call of the server whose answer was shown.
    var newestAnswer = 0
    /// The newest write of the program.
    var lastWrite = 0
    /// The newest write of a whole value. It has all that was confirmed before.
    var lastWholeWrite = 0
    /// When the program or a mutation last wrote. An answer that was asked for before may be dropped.
    var heldAt = 0
    /// When the value was last invalidated. An answer that was asked for before leaves it stale.
    var invalidatedAt = 0
    /// True if that was within a call of user code. A fetch whose request is sent later may have been asked for before it.
    var isHeldWithin = false
    /// The program's writes.
    var writes: Set<Int> = []
    /// Calls with smaller numbers are of an entry that is gone.
    var firstCall = 0
    /// The newest fetch whose request was sent.
    var newestFetch: UInt64 = 0
    /// Writes, and late requests, whose value may be replaced by what was asked for before them.
    var written: Set<Int> = []
    /// Values whose place in the order is not that of their call: those that mutations show or write, and those that the server
    /// called unchanged.
    var mutated: Set<Int> = []

    /// Edits that must be shown.
    var pending: Set<Int> = []
    /// Edits that were made while the entry held nothing.
    var late: Set<Int> = []
    /// Edits that may be shown, because the entry was reset under them.
    var possible: Set<Int> = []
    /// Edits that replace the whole value, and hide what lies under them.
    var covering: Set<Int> = []
    /// Edits that were confirmed and must be shown still.
    var confirmed: Set<Int> = []
    /// True if the value may contain a confirmed edit already. It is then not written with it, so as not to invent a second.
    var isInDoubt = false
    /// When the mutations of edits succeeded.
    var succeededAt: [Int: Int] = [:]
    /// When edits were confirmed.
    var confirmedAt: [Int: Int] = [:]

    /// The state of the server when the value was last invalidated. `nil` once something newer is known.
    var needed: Int?
    /// Grows with whatever ends a fetch before its answer, or replaces its answer.
    var disturbances = 0
    /// How often the program said that nothing is to be fetched.
    var cancellations = 0
    /// When the value was last known to be right, and of what that was said.
    var age: (writtenAt: MonotonicInstant, valueVersion: UInt64, answers: UInt32)?
    /// When a list was last known to be right, by how many answers and writes. A page says nothing of the other pages.
    var listAge: (writtenAt: MonotonicInstant, answers: UInt32, heldAt: Int)?

    /// Whether the value survived the last sign-out, as a source of truth that was not in use then does.
    var survivedSignOut = false

    // Lists.
    var calls: Set<Int> = []
    /// When refreshes of the list began.
    var refreshes: [Int] = []
    /// The fetches that asked for pages of it, and their attempts: older ones go on beside newer ones.
    var origins: Set<String> = []
    var attempts: Set<String> = []
    var pagesLanded: [PageDirection: Int] = [:]

    /// The confirmed edits that are not hidden for good, by a whole value that was confirmed too.
    var lasting: Set<Int> {
        guard let hiding = covering.subtracting(possible.union(pending)).max() else { return confirmed }
        return confirmed.filter { $0 > hiding }
    }

    /// The program wrote the value.
    mutating func noteWrite(_ stamp: Int, keeps: Bool, isWhole: Bool) {
        writes.insert(stamp)
        lastWrite = max(lastWrite, stamp)
        if !keeps { written.insert(stamp) }
        // An edit leaves a stale value stale, and what a refetch returns as new as it was to be.
        if !isWhole { return }
        disturbances += 1
        needed = nil
        lastWholeWrite = stamp
        confirmed = []
    }

    /// A mutation's answer becomes the value. What was confirmed meanwhile may not be part of it.
    mutating func noteWritten(answer: SimulatedValue) {
        confirmed = []
        mutated.insert(answer.call)
        needed = nil
        disturbances += 1
    }

    /// A mutation of the program's own succeeded, and may write what it likes.
    mutating func noteSuccess(of edit: Int, at stamp: Int) {
        succeededAt[edit] = stamp
        confirmed = []
        needed = nil
        disturbances += 1
    }

    /// An operation has ended: all requests that it led to are sent.
    mutating func endHolding(at stamp: @autoclosure () -> Int) {
        guard isHeldWithin else { return }
        isHeldWithin = false
        heldAt = stamp()
        invalidatedAt = heldAt
    }

    mutating func noteCancellation() {
        disturbances += 1
        cancellations += 1
    }

    /// The entry is emptied. Changes that are pending may come back with the next value.
    mutating func noteReset() {
        possible.formUnion(pending.union(late))
        pending = []
        late = []
        confirmed = []
        needed = nil
        noteNewEntry()
        noteCancellation()
    }

    /// The process ended: all that it only had in memory is gone.
    mutating func noteRestart(keepsDisk: Bool) {
        noteReset()
        possible = []
        covering = []
        noteEmpty()
        lastWrite = 0
        if !keepsDisk { needed = nil }
    }

    /// The entry is no longer there, or begins anew: it counts from the start.
    mutating func noteNewEntry(call: Int? = nil) {
        firstCall = call ?? firstCall
        newestFetch = 0
        age = nil
        listAge = nil
    }

    /// The entry holds no value of the server: whatever comes next is the first.
    mutating func noteEmpty() {
        noteNewEntry()
        newest = 0
        newestAnswer = 0
        calls = []
        origins = []
        attempts = []
    }

    /// The entry is no longer in memory.
    mutating func noteGone(isPersisted: Bool) {
        noteEmpty()
        confirmed = lasting
        // What a running mutation shows comes back with the entry.
        covering.formIntersection(possible.union(pending))
        if isInDoubt || !isPersisted { confirmed = [] }
        isInDoubt = false
        if !isPersisted { needed = nil }
    }

    mutating func end(_ edit: Int, succeeded: Bool, at stamp: Int) {
        let wasPossible = possible.remove(edit) != nil
        let wasLate = late.remove(edit) != nil
        let wasPending = pending.remove(edit) != nil
        guard succeeded, wasPending || wasPossible || wasLate else {
            covering.remove(edit)
            return
        }
        // A whole value, which the server has now.
        if covering.contains(edit) { needed = nil }
        // One that is written while the mutation ends may come after its confirmation.
        if wasPending, succeededAt[edit] ?? stamp > lastWholeWrite { confirmed.insert(edit) }
        confirmedAt[edit] = stamp
    }
}
