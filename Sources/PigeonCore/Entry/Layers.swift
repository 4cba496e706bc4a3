/// One optimistic change, shown on top of the server's value until its mutation has ended.
///
/// It applies to the key's value when the mutation starts, and to each value that arrives from a cache or the server while
/// the mutation runs.
package final class Patch: Sendable {
    /// How a patch changes values. User code: called outside locks only.
    enum Work: Sendable {
        /// Changes values of one type.
        case values(any Sendable.Type, @Sendable (Payload?) -> Payload?)
        /// Changes items, in values of all types that contain such.
        ///
        /// - Parameter concerns: True of what contains items that can be changed so. Calls no code of the program.
        case items(concerns: @Sendable (Containment) -> Bool, @Sendable (Payload, Containment) -> Payload?)
    }

    package let mutation: UInt64
    /// Increases from patch to patch. ``Slot/Extras/editsUpTo`` is the number of the newest patch that a slot has.
    let number: UInt64
    let work: Work
    /// True for a patch of an item, as one of the values of an entry that contains it.
    let isOfItem: Bool

    init(mutation: UInt64, number: UInt64, _ work: Work, isOfItem: Bool = false) {
        (self.mutation, self.number, self.work, self.isOfItem) = (mutation, number, work, isOfItem)
    }

    package convenience init(
        mutation: UInt64, number: UInt64, type: any Sendable.Type, apply: @escaping @Sendable (Payload?) -> Payload?
    ) {
        self.init(mutation: mutation, number: number, .values(type, apply))
    }

    /// User code: called outside locks only.
    package func apply(_ value: Payload?) -> Payload? {
        if case .values(_, let apply) = work { apply(value) } else { nil }
    }

    /// True if the patch can change the values of an entry.
    func concerns(_ slot: Slot) -> Bool {
        switch work {
        case .values(let type, _): ObjectIdentifier(type) == slot.valueType
        case .items(let concerns, _): slot.extras?.contents.map { concerns($0.containment) } ?? false
        }
    }

    /// The patch of items as one of the values of an entry.
    func bound(to type: any Sendable.Type, containing containment: Containment, isOfItem: Bool) -> Patch {
        guard case .items(_, let edit) = work else { return self }
        let work = Work.values(type) { $0.flatMap { edit($0, containment) } }
        return Patch(mutation: mutation, number: number, work, isOfItem: isOfItem)
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
