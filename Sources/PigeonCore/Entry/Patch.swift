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

    /// The generation of the newest fetch when the mutation succeeded; `nil` while it is pending. A fetch asked later
    /// has the mutation's result.
    package var confirmedAt: UInt64?

    package init(patch: Patch, confirmedAt: UInt64? = nil) {
        self.patch = patch
        self.confirmedAt = confirmedAt
    }
}
