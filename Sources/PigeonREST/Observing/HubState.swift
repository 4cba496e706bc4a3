internal import PigeonCore

/// What an ``ObserverHub`` guards with its lock. Calls nobody.
struct HubState {
    var observations: [Observation] = []
    /// Observations that have ended, and whose observers have not been notified of it yet.
    var ended: [Observation] = []
    /// How many were added, ever.
    var additions = 0
    private(set) var lastNumber: UInt64 = 0
    private var events: [Happening] = []
    private(set) var isTelling = false
    /// Those who wait until all is told.
    var waiters: [CheckedContinuation<Void, Never>] = []

    /// Watches the entry while anybody observes.
    var core: ObserverCore?
    var isAttaching = false
    /// What of the entry was told last.
    var told: EntryPicture?
    /// What came before it was known what was there.
    private var early: [EntryPicture] = []
    /// What began when the entry was newer than what was told of it.
    var waiting: [Happening] = []

    // MARK: The entry

    /// - Returns: What is to be let go outside of the lock.
    mutating func begin(_ core: ObserverCore, before: EntryPicture?, now: EntryPicture) -> [EntryPicture] {
        isAttaching = false
        self.core = core
        told = now
        if let before, before.version < now.version { add(from: before, to: now) }
        defer { early = [] }
        return early.flatMap { take($0) }
    }

    /// - Returns: What is to be let go outside of the lock.
    mutating func take(_ picture: EntryPicture) -> [EntryPicture] {
        guard let old = told else {
            // One that comes after the last observer has gone is nobody's.
            if isAttaching { early.append(picture) }
            return []
        }
        guard picture.version > old.version else { return [] }
        told = picture
        add(from: old, to: picture)
        while let first = waiting.first, !isAhead(first) { add(began: waiting.removeFirst()) }
        return [old]
    }

    /// Adds what began, after what is still to be told of the entry.
    mutating func wait(_ happening: Happening) {
        if isAhead(happening) { waiting.append(happening) } else { add(began: happening) }
    }

    /// Adds what began. Other threads may have told of newer pictures than the one it was seen with.
    private mutating func add(began happening: Happening) {
        add(Happening(event: happening.event, picture: told ?? happening.picture))
    }

    private func isAhead(_ happening: Happening) -> Bool {
        guard let told, let picture = happening.picture else { return false }
        return told.version < picture.version
    }

    private mutating func add(from old: EntryPicture, to new: EntryPicture) {
        for happening in Happening.all(from: old, to: new) { add(happening) }
    }

    private mutating func add(_ happening: Happening) {
        lastNumber += 1
        var happening = happening
        happening.number = lastNumber
        events.append(happening)
    }

    // MARK: Telling

    var hasEvents: Bool { !events.isEmpty }

    /// - Returns: Whether the caller is the one to tell.
    mutating func beginTelling() -> Bool {
        guard !isTelling else { return false }
        isTelling = true
        return true
    }

    mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
        defer { waiters = [] }
        return waiters
    }

    mutating func next() -> (Happening, [Observation])? {
        guard !events.isEmpty else {
            isTelling = false
            return nil
        }
        return (events.removeFirst(), observations)
    }
}
