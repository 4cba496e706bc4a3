/// What somebody who needs the data asks for.
package enum Demand: Sendable, Hashable {
    /// Only to see what is there.
    case nothing
    /// A fetch, if there is nothing, or what is there is stale.
    case ifStale(Cause)
    /// A fetch, whatever is there.
    case always(Cause)

    /// What both ask for: the stronger, and of two alike the first.
    package func joined(with other: Demand) -> Demand {
        other.strength > strength ? other : self
    }

    private var strength: Int {
        switch self {
        case .nothing: 0
        case .ifStale: 1
        case .always: 2
        }
    }

    var cause: Cause {
        switch self {
        case .nothing: .cached
        case .ifStale(let cause), .always(let cause): cause
        }
    }
}

/// When a source of truth is read, for whom, and what of it counts.
///
/// One reading is under way at a time. Whoever asks while one runs may ask about something newer than it sees, so another
/// follows it, one for all who asked.
package struct SourceWork: Sendable {
    /// What a reading is for, and the number of the newest demand among those that share it.
    package struct Ask: Sendable {
        package fileprivate(set) var demand: Demand
        package fileprivate(set) var number: UInt64
    }

    /// What the reading that has not begun yet is for. `nil` when none is asked for.
    package private(set) var asked: Ask?
    /// What the reading under way is for.
    package private(set) var running: Ask?
    /// How many times the source is still to be emptied. What comes out of it until then is from before.
    package private(set) var emptyings: UInt32 = 0
    /// Whether a reading ever ended, or the source was emptied: before, nothing is known of it.
    package private(set) var wasRead = false

    package var isIdle: Bool { asked == nil && running == nil }

    /// Whether what comes out of the source is from before it is emptied.
    var isEmptying: Bool { emptyings > 0 }

    /// - Parameter number: That of the demand. Of those who share a reading the newest decides what its fetch may not land
    ///   after.
    /// - Returns: Whether a reading must begin. Otherwise one that has not begun yet is shared.
    mutating func ask(_ demand: Demand, number: UInt64) -> Bool {
        guard let before = asked else {
            asked = Ask(demand: demand, number: number)
            return true
        }
        asked = Ask(demand: before.demand.joined(with: demand), number: max(before.number, number))
        return false
    }

    /// The source is read from now on. Not for what was asked before it is emptied: what is asked later has its own turn.
    mutating func begin() {
        guard !isEmptying else { return }
        running = asked.take()
    }

    /// The reading has ended.
    ///
    /// - Returns: What it was for. `nil` when the entry was emptied meanwhile, so that what was read is from before.
    mutating func end() -> Ask? {
        guard let ended = running.take() else { return nil }
        wasRead = true
        return ended
    }

    /// Whatever is being read is shown, and leads to no fetch.
    mutating func callOff() {
        asked?.demand = .nothing
        running?.demand = .nothing
    }

    /// The source will be emptied in its turn: what was asked for before says nothing any more.
    mutating func empty() {
        asked = nil
        running = nil
        wasRead = true
        emptyings += 1
    }

    /// The turn of emptying the source is over, however it went.
    mutating func wasEmptied() {
        if isEmptying { emptyings -= 1 }
    }
}

/// What can happen to an entry that has a source of truth.
package enum SourceInput {
    /// Have the source read, and fetched from the server as demanded.
    case consult(Demand)
    case readingBegan
    case reading(SourceAnswer)
    /// The turn of emptying the source is over, however it went.
    case emptied
    /// The program changed what the source holds. `nil` when nothing is there any more. A fetch of a newer generation than
    /// `asked` was asked for after the change.
    case change(Landing?, asked: UInt64 = .max)
}

/// What reading a source of truth brought.
package enum SourceAnswer {
    case content(Landing, isStale: Bool)
    /// There is nothing in it.
    case nothing
    case failure(Failure)
}
