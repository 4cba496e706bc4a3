import PigeonCore

/// The history of a key, as far as the rules of the engine need it.
struct EngineModel {
    /// Time of the last write by the program or a mutation. Answers to earlier requests may be dropped.
    var heldBefore = 0
    /// Time of the last invalidation. Answers to earlier requests leave the value stale.
    var invalidatedBefore = 0
    /// True if the last write was made within a call of user code. A fetch whose request is sent later may have been
    /// requested before the write.
    var isHeldWithin = false
    /// Calls with smaller numbers belong to an earlier entry.
    var firstCall = 0

    /// The age of the value, which becomes younger with a new value or an answer only.
    var age: Age?
    /// The age of a list, which becomes younger with an answer or a write only. A page does not confirm the others.
    var listAge: Age?

    // Lists.

    /// The list whose pages are in ``calls``.
    var list: Payload?
    var calls: Set<Int> = []
    /// Times at which refreshes of the list began.
    var refreshes: [Int] = []
    /// The fetches that requested pages of the list, and their attempts. Older fetches continue beside newer ones.
    var begun: Set<String> = []

    /// The time at which a value was last known to be right, and the two counts that change when it is known anew.
    struct Age {
        let writtenAt: MonotonicInstant
        let counts: (UInt64, UInt64)

        /// Returns true if the value became younger although no count has changed.
        func isYounger(than last: Age?) -> Bool {
            guard let last, last.counts == counts, last.writtenAt.nanoseconds != .min else { return false }
            return writtenAt > last.writtenAt
        }
    }

    /// Records that an operation has ended, so that all its requests are sent.
    mutating func endHolding(at stamp: @autoclosure () -> Int) {
        guard isHeldWithin else { return }
        isHeldWithin = false
        heldBefore = stamp()
        invalidatedBefore = heldBefore
    }

    /// Records that the entry was removed or created again, so that its numbers start again.
    mutating func forgetAge() {
        age = nil
        listAge = nil
    }

    /// Records that the entry has no value of the server, so that the next value is the first.
    mutating func forgetValue() {
        forgetAge()
        list = nil
        calls = []
        begun = []
    }
}
