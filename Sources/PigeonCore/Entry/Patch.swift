/// One optimistic change to an entry, shown on top of the server's value until its mutation has ended.
package final class Patch: Sendable {
    package let mutation: UInt64

    /// User code: called outside locks only.
    package let apply: @Sendable (Payload?) -> Payload?

    package init(mutation: UInt64, apply: @escaping @Sendable (Payload?) -> Payload?) {
        self.mutation = mutation
        self.apply = apply
    }
}

/// A patch and the state of its mutation.
package struct Layer: Sendable {
    package let patch: Patch

    /// Number of values that had arrived when the layer was added. A later value may already include the change.
    package internal(set) var arrivals: UInt32 = 0
    /// Number of the newest request when the mutation succeeded. `nil` while it is pending. The answer to a later
    /// request includes the change.
    package internal(set) var confirmedAt: UInt64?

    package init(patch: Patch, arrivals: UInt32 = 0, confirmedAt: UInt64? = nil) {
        self.patch = patch
        self.arrivals = arrivals
        self.confirmedAt = confirmedAt
    }

    package var isConfirmed: Bool { confirmedAt != nil }

    /// True if the mutation succeeded, and no value has arrived since the layer was added that may already include its
    /// change.
    ///
    /// - Parameter mutation: A mutation that has just succeeded.
    package func isMergeable(arrivals: UInt32, confirming mutation: UInt64? = nil) -> Bool {
        (isConfirmed || patch.mutation == mutation) && self.arrivals == arrivals
    }
}

/// The optimistic layers of an entry, lowest first. Boxed, because most entries have none.
package final class Layers: Sendable {
    package let list: [Layer]
    /// The base with the confirmed layers applied that it certainly does not include yet.
    package let confirmedValue: Payload?

    package init?(_ list: [Layer], confirmedValue: Payload?) {
        guard !list.isEmpty else { return nil }
        self.list = list
        self.confirmedValue = confirmedValue
    }
}
