/// The fetch that a reading of the source of truth is to lead to.
package enum Demand: Sendable, Hashable {
    /// No fetch. The reading only shows the source's content.
    case nothing
    /// A fetch if the source is empty, or if its content is stale.
    case ifStale(Cause)
    /// A fetch, whatever the content is.
    case always(Cause)

    /// Returns the stronger of two demands, or the first if they are equally strong.
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

/// The readings of a source of truth: those requested, the one in flight, and the demands they serve.
///
/// At most one reading is in flight. A demand during a reading may concern newer content than that reading sees, so one
/// more reading follows, which all such demands share.
package struct SourceWork: Sendable {
    /// The demand that a reading serves, and the number of the newest demand among those that share it.
    package struct ReadRequest: Sendable {
        package fileprivate(set) var demand: Demand
        package fileprivate(set) var number: UInt64
    }

    /// The demand of the reading that has not started yet. `nil` if none is requested.
    package private(set) var requested: ReadRequest?
    /// The demand of the reading in flight.
    package private(set) var running: ReadRequest?
    /// Number of times that the source is still to be emptied. Content that is read before then is outdated.
    package private(set) var emptyings: UInt32 = 0
    /// Number of writes of the program that are still to be saved. Content that is read before then is older.
    package private(set) var savings: UInt32 = 0
    /// True if a reading has ever ended, or the source was emptied. Before that, its content is unknown.
    package private(set) var wasRead = false

    package var isIdle: Bool { requested == nil && running == nil }

    /// True if the source is still to be emptied, so that content that is read now is outdated.
    var isEmptying: Bool { emptyings > 0 }

    /// - Parameter number: Number of the demand. Among the demands that share a reading, the newest number decides
    ///   which later events outdate the fetch.
    /// - Returns: True if a reading must be started. Otherwise the demand shares one that has not started yet.
    mutating func request(_ demand: Demand, number: UInt64) -> Bool {
        guard let before = requested else {
            requested = ReadRequest(demand: demand, number: number)
            return true
        }
        requested = ReadRequest(demand: before.demand.joined(with: demand), number: max(before.number, number))
        return false
    }

    /// Starts the requested reading. Does nothing while the source is still to be emptied, because later demands get a
    /// reading of their own.
    mutating func begin() {
        guard !isEmptying else { return }
        running = requested.take()
    }

    /// - Returns: The demand that the reading served. `nil` if the entry was reset in the meantime, so that the content
    ///   is outdated.
    mutating func end() -> ReadRequest? {
        guard let ended = running.take() else { return nil }
        wasRead = true
        return ended
    }

    /// Withdraws all demands. The readings still show their content, but start no fetch.
    mutating func callOff() {
        requested?.demand = .nothing
        running?.demand = .nothing
    }

    /// Records that a job in the source's queue will empty the source. Earlier readings no longer count.
    mutating func empty() {
        requested = nil
        running = nil
        wasRead = true
        emptyings += 1
    }

    /// Records that a job in the source's queue will save a write of the program.
    mutating func save() {
        wasRead = true
        savings += 1
    }

    /// Records that such a job has ended, whether or not it succeeded.
    mutating func wasSaved() {
        if savings > 0 { savings -= 1 }
    }

    /// Records that emptying the source has ended, whether or not it succeeded.
    mutating func wasEmptied() {
        if isEmptying { emptyings -= 1 }
    }
}

package enum SourceInput {
    /// Requests a reading of the source, and then a fetch as demanded.
    case consult(Demand)
    case readingBegan
    case reading(SourceAnswer)
    /// Emptying the source has ended, whether or not it succeeded.
    case emptied
    /// Saving a write of the program has ended, whether or not it succeeded.
    case saved
    /// The program changed the source's content. The candidate is `nil` if the source is now empty. Fetches with a
    /// greater generation than `requested` were requested after the change.
    case change(CommitCandidate?, requested: UInt64 = .max)
}

/// The result of reading a source of truth.
package enum SourceAnswer {
    /// - isStale: True if the content must be fetched again, by whatever options.
    /// - isDated: True if the candidate has the content's age and freshness, so that the options decide as well.
    case content(CommitCandidate, isStale: Bool, isDated: Bool = false)
    /// The source is empty.
    case nothing
    case failure(Failure)
}
