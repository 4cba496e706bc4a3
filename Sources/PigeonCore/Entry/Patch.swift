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

    /// Number of values that had arrived when the layer was put on. One that arrived since may have the change already.
    package internal(set) var arrivals: UInt32 = 0
    /// Number of the newest ask when the mutation succeeded; `nil` while it is pending. A fetch asked later brings the
    /// change.
    package internal(set) var confirmedAt: UInt64?

    package init(patch: Patch, arrivals: UInt32 = 0, confirmedAt: UInt64? = nil) {
        self.patch = patch
        self.arrivals = arrivals
        self.confirmedAt = confirmedAt
    }

    package var isConfirmed: Bool { confirmedAt != nil }

    /// True if the mutation succeeded, and no value has arrived since the layer was put on that may have its change already.
    ///
    /// - Parameter mutation: One that has just succeeded.
    package func isSettled(arrivals: UInt32, confirming mutation: UInt64? = nil) -> Bool {
        (isConfirmed || patch.mutation == mutation) && self.arrivals == arrivals
    }
}

/// The optimistic layers of an entry, lowest first. Boxed, as most entries have none.
package final class Layers: Sendable {
    package let list: [Layer]
    /// The base with those layers on top that are known to be missing in it: confirmed, and in no doubt.
    package let settled: Payload?

    package init?(_ list: [Layer], settled: Payload?) {
        guard !list.isEmpty else { return nil }
        self.list = list
        self.settled = settled
    }
}
