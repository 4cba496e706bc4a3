/// The items in the value of an entry. Guarded by the lock of its client.
final class Contents {
    let containment: Containment
    /// The items of each section that has been read.
    var sections: [UInt64: [ItemKey]] = [:]
    /// The number of the newest change that has been read.
    var lastRead: UInt64 = 0
    /// The changes of the value that are not read yet, oldest first.
    var changes: [ItemChange] = []
    /// The stamps of sections that only optimistic changes show.
    var optimistic: Set<UInt64> = []
    /// The numbers of further sections that have an item, for those that several have.
    var repeats: [ItemKey: Int] = [:]
    /// The items of which others have newer ones.
    var behind: Set<ItemKey> = []
    /// The items that the source of truth of the entry has not saved.
    var refused: Set<ItemKey> = []
    /// The value before the entry took items of others, until its source of truth has been read again.
    var valueBeforeSaving: Payload?
    /// The place of the reading of a source of truth that runs.
    var readingOrder: ItemOrder?
    /// True if the value is a record that others have written, and is theirs to write.
    var isFromOthers = false
    /// ``Entry/valueVersion`` at the last change.
    var valueVersion: UInt64 = 0

    init(_ containment: Containment) {
        self.containment = containment
    }

    func isRepeated(_ key: ItemKey) -> Bool { !repeats.isEmpty && repeats[key] != nil }

    /// True if the server's value has an item, and not only what is shown.
    func isKnown(_ key: ItemKey) -> Bool {
        sections.contains { !optimistic.contains($0.key) && $0.value.contains(key) }
    }
}
