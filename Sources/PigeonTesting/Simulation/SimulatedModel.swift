import PigeonCore

/// The reference model of one key: the values that may be shown, and those that must be shown.
///
/// The world records in it everything that it does to the key, and compares it with the shown value after each step.
package struct SimulatedModel {
    /// The newest call whose answer was shown, or write that no older fetch may replace.
    var newest = 0
    /// The newest call of the server whose answer was shown.
    var newestAnswer = 0
    package internal(set) var lastWrite = 0
    /// The newest write of a whole value. It includes all changes that were confirmed before.
    var lastWholeWrite = 0
    var writes: Set<Int> = []
    var newestFetch: UInt64 = 0
    /// Writes and late requests whose values may be replaced by answers to earlier requests.
    var written: Set<Int> = []
    /// Values whose order differs from that of their calls: those that mutations show or write, and those for which the
    /// server answered "not modified".
    var mutated: Set<Int> = []

    /// Edits that must be shown.
    var pending: Set<Int> = []
    /// Edits that were made while the entry had no value.
    var late: Set<Int> = []
    /// Edits that may be shown, because the entry was reset during their mutations.
    var possible: Set<Int> = []
    /// Edits that replace the whole value, and hide the layers below them.
    var covering: Set<Int> = []
    /// Edits that were confirmed and must still be shown.
    var confirmed: Set<Int> = []
    /// True if the value may already include a confirmed edit. The edit is then not written with the value, because it
    /// could be applied twice.
    var isAmbiguous = false
    var succeededAt: [Int: Int] = [:]
    var confirmedAt: [Int: Int] = [:]

    /// The state of the server when the value was last invalidated. `nil` once a newer value has arrived.
    var needed: Int?
    /// Counts the events that end a fetch before its answer, or replace its answer.
    var disturbances = 0
    /// Number of cancellations by the program.
    var cancellations = 0
    /// True if the value survived the last sign-out, as that of a source of truth that was not in use then.
    var survivedSignOut = false

    var pagesLanded: [PageDirection: Int] = [:]

    /// The confirmed edits that are not permanently hidden by a confirmed whole value.
    var lasting: Set<Int> {
        guard let hiding = covering.subtracting(possible.union(pending)).max() else { return confirmed }
        return confirmed.filter { $0 > hiding }
    }

    mutating func noteWrite(_ stamp: Int, keeps: Bool, isWhole: Bool) {
        writes.insert(stamp)
        lastWrite = max(lastWrite, stamp)
        if !keeps { written.insert(stamp) }
        // An edit leaves a stale value stale, and does not change how new the result of a refetch must be.
        if !isWhole { return }
        disturbances += 1
        needed = nil
        lastWholeWrite = stamp
        confirmed = []
    }

    /// Records that a mutation's answer becomes the value. It may lack edits that were confirmed in the meantime.
    mutating func noteWritten(answer: SimulatedValue) {
        confirmed = []
        mutated.insert(answer.call)
        needed = nil
        disturbances += 1
    }

    /// Records that a custom mutation succeeded, which may write any value.
    mutating func noteSuccess(of edit: Int, at stamp: Int) {
        succeededAt[edit] = stamp
        confirmed = []
        needed = nil
        disturbances += 1
    }

    mutating func noteCancellation() {
        disturbances += 1
        cancellations += 1
    }

    /// Records that the entry is emptied. Pending edits may return with the next value.
    mutating func noteReset() {
        possible.formUnion(pending.union(late))
        pending = []
        late = []
        confirmed = []
        needed = nil
        newestFetch = 0
        noteCancellation()
    }

    /// Records that the process ended, and lost everything that was only in memory.
    mutating func noteRestart(keepsDisk: Bool) {
        noteReset()
        possible = []
        covering = []
        noteEmpty()
        lastWrite = 0
        if !keepsDisk { needed = nil }
    }

    /// Records that the entry has no value of the server, so that the next value is the first.
    mutating func noteEmpty() {
        newestFetch = 0
        newest = 0
        newestAnswer = 0
    }

    /// Records that the entry is no longer in memory.
    mutating func noteGone(isPersisted: Bool) {
        noteEmpty()
        confirmed = lasting
        // The edits of a running mutation return with the entry.
        covering.formIntersection(possible.union(pending))
        if isAmbiguous || !isPersisted { confirmed = [] }
        isAmbiguous = false
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
        // The edit is a whole value, which the server now has.
        if covering.contains(edit) { needed = nil }
        // A value that is written while the mutation ends may follow its confirmation.
        if wasPending, succeededAt[edit] ?? stamp > lastWholeWrite { confirmed.insert(edit) }
        confirmedAt[edit] = stamp
    }
}
