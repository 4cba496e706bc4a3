/// One optimistic change, shown on top of the server's value until its mutation has ended.
///
/// It applies to the key's value when the mutation starts, and to each value that arrives from a cache or the server while
/// the mutation runs.
package final class Patch: Sendable {
    package let mutation: UInt64
    /// Increases from patch to patch. ``Slot/Extras/editsUpTo`` is the number of the newest patch that a slot has.
    let number: UInt64
    /// The type of the values that the patch changes.
    let type: any Sendable.Type

    /// User code: called outside locks only.
    package let apply: @Sendable (Payload?) -> Payload?

    package init(
        mutation: UInt64, number: UInt64, type: any Sendable.Type, apply: @escaping @Sendable (Payload?) -> Payload?
    ) {
        (self.mutation, self.number, self.type) = (mutation, number, type)
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
    package internal(set) var confirmedAfter: UInt64?

    package init(patch: Patch, arrivals: UInt32 = 0, confirmedAfter: UInt64? = nil) {
        self.patch = patch
        self.arrivals = arrivals
        self.confirmedAfter = confirmedAfter
    }

    package var isConfirmed: Bool { confirmedAfter != nil }

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
