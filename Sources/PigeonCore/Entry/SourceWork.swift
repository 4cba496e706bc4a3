/// Why a source of truth is read, and when what it holds is fetched again.
package enum SourceDemand: Sendable, Hashable {
    /// Only to see what is there.
    case nothing
    /// A fetch, if there is nothing, or what is there is stale.
    case ifStale(Cause)
    /// A fetch, whatever is there.
    case always(Cause)

    /// What both ask for: the stronger, and of two alike the first.
    package func joined(with other: SourceDemand) -> SourceDemand {
        other.strength > strength ? other : self
    }

    private var strength: Int {
        switch self {
        case .nothing: 0
        case .ifStale: 1
        case .always: 2
        }
    }
}

/// What an entry does with its source of truth.
///
/// One reading is under way at a time. Whoever asks while one runs may ask about something newer than it sees, so another
/// follows it, one for all who asked.
package struct SourceWork: Sendable {
    /// What the reading that has not begun yet is for. `nil` when none is asked for.
    package var asked: SourceDemand?
    /// What the reading under way is for.
    package var running: SourceDemand?
    /// Numbers of the newest demands of both.
    package var askedAt: UInt64 = 0
    package var runningAt: UInt64 = 0
    /// How many times the source is still to be emptied. What comes out of it until then is from before.
    package var emptyings: UInt32 = 0
    /// Whether a reading ever ended, or the source was emptied: before, nothing is known of it.
    package var wasRead = false

    package var isIdle: Bool { asked == nil && running == nil }
}

/// What reading a source of truth brought.
package enum SourceAnswer {
    case content(Landing, isStale: Bool)
    /// There is nothing in it.
    case nothing
    case failure(Failure)
}
