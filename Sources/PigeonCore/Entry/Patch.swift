/// One optimistic change to an entry, shown on top of the server's value until its mutation is settled.
package final class Patch: Sendable {
    package let mutation: UInt64

    /// User code: called outside locks only.
    package let apply: @Sendable (Payload?) -> Payload?

    package init(mutation: UInt64, apply: @escaping @Sendable (Payload?) -> Payload?) {
        self.mutation = mutation
        self.apply = apply
    }
}

/// A patch and how far its mutation is.
package struct Layer: Sendable {
    package let patch: Patch

    /// Number of answers that had landed when the layer was put on. One that landed since may have the change already.
    package internal(set) var answers: UInt32 = 0
    /// Number of the newest ask when the mutation succeeded; `nil` while it is pending. A fetch asked later brings the
    /// change.
    package internal(set) var confirmedAt: UInt64?

    package init(patch: Patch, answers: UInt32 = 0, confirmedAt: UInt64? = nil) {
        self.patch = patch
        self.answers = answers
        self.confirmedAt = confirmedAt
    }

    package var isConfirmed: Bool { confirmedAt != nil }
}

/// The optimistic layers of an entry, lowest first. Boxed, as most entries have none.
package final class Layers: Sendable {
    package let list: [Layer]
    /// The base with the confirmed layers on top, and without those that are pending.
    package let settled: Payload?

    package init?(_ list: [Layer], settled: Payload?) {
        guard !list.isEmpty else { return nil }
        self.list = list
        self.settled = settled
    }
}
