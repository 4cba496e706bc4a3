internal import Foundation

/// What a member knows of the log. A value, so that it can be tested by itself.
struct FleetState {
    /// True while the log is followed. Only then, values of the store can be believed.
    private(set) var isConnected = false
    /// The position up to which the log was read.
    private(set) var position: FleetPosition?
    /// The last time at which the log was known up to its end.
    private(set) var lastContact = MonotonicInstant(nanoseconds: .min)
    /// Number of the last entry whose content is not known.
    private var unknown: UInt64 = 0
    /// The newest entry of each scope after that.
    private var scopes = NumberedScopes()
    /// Own changes that are not published yet, in order.
    private(set) var unpublished: [OwnChange] = []
    private var isPublishing = false
    private var isPatrolling = false
    /// The newest own entry.
    private var published: FleetPosition?
    /// Numbers of fetches, by how they ended.
    var counts = Fleet.Counts()

    /// The most scopes that are remembered. A value that is older than those that are not is fetched again.
    private static let scopeLimit = 20_000
    /// The most changes that wait to be published. More are merged into one, of all keys.
    private static let changeLimit = 10_000

    // MARK: The log

    /// The changes to carry out here.
    enum Consequence: Equatable {
        case changes([FleetNews.Change])
        /// Anything may have changed.
        case everythingIsStale
    }

    /// Takes a part of the log that was read.
    mutating func take(_ reading: FleetReading, as member: String, at now: MonotonicInstant) -> Consequence {
        (isConnected, lastContact) = (true, now)
        switch reading {
        case .news(let news):
            let news = news.filter { $0.number > position?.number ?? 0 }
            note(news)
            if let last = news.last { position?.number = last.number }
            return .changes(news.filter { $0.member != member }.map(\.change))
        case .log(let news, let after, let end):
            // A member that knew nothing has shown nothing that could be wrong.
            let wasMember = position != nil
            (position, unknown, scopes) = (end, after, NumberedScopes())
            note(news)
            return wasMember ? .everythingIsStale : .changes([])
        }
    }

    private mutating func note(_ news: [FleetNews]) {
        for entry in news { scopes.add(entry.change.scope, entry.number) }
        guard scopes.count > Self.scopeLimit, let last = news.last else { return }
        (unknown, scopes) = (last.number, NumberedScopes())
    }

    /// The store cannot be reached.
    ///
    /// - Returns: True if it could be reached before.
    mutating func lose() -> Bool {
        defer { isConnected = false }
        return isConnected
    }

    /// - Returns: True if values must be watched over from now on, because the store cannot be reached.
    mutating func beginPatrol() -> Bool {
        defer { isPatrolling = true }
        return !isPatrolling
    }

    /// - Returns: True if values need not be watched over any more.
    mutating func endsPatrol() -> Bool {
        if isConnected { isPatrolling = false }
        return isConnected
    }

    // MARK: Own changes

    /// A change that this member has made.
    struct OwnChange {
        let change: FleetNews.Change
        /// The value that was written. `nil` for an invalidation.
        var write: FleetWrite?
    }

    /// Adds a change that is to be published.
    mutating func add(_ own: OwnChange) {
        if let last = unpublished.last, last.change == own.change { unpublished.removeLast() }
        unpublished.append(own)
        guard unpublished.count > Self.changeLimit else { return }
        // Members learn more than they need to, and nothing is missed.
        var removals = unpublished.map(\.change).filter { if case .removed = $0 { true } else { false } }
        if removals.count > Self.changeLimit / 2 { removals = [.removed(.all)] }
        unpublished = (removals + [.stale(.all)]).map { OwnChange(change: $0) }
    }

    /// Takes the changes to publish, unless others are being published.
    mutating func takeUnpublished() -> [OwnChange] {
        guard !isPublishing else { return [] }
        defer { unpublished = [] }
        isPublishing = !unpublished.isEmpty
        return unpublished
    }

    /// Ends the publication of changes.
    ///
    /// - Parameters:
    ///   - position: The position of the last one. `nil` if nothing was published.
    ///   - rest: The changes that could not be published. Their values are not kept.
    mutating func endPublishing(at position: FleetPosition?, rest: [OwnChange]) {
        isPublishing = false
        if let position { published = position }
        unpublished = rest.map { OwnChange(change: $0.change) } + unpublished
    }

    /// The position at which a fetch can begin: it includes all own changes. `nil` if there is none yet.
    var start: FleetPosition? {
        guard isConnected, let position, unpublished.isEmpty, !isPublishing else { return nil }
        guard let published, published.epoch == position.epoch else { return position }
        return published.number <= position.number ? position : nil
    }

    // MARK: Values

    /// The number that a fetch of a key must include.
    func needed(for key: QueryKey) -> UInt64 { scopes.newest(containing: key) }

    /// True if nothing has invalidated a value since it was requested.
    func believes(_ value: FleetValue, of key: QueryKey) -> Bool {
        guard isConnected, let position, value.position.epoch == position.epoch else { return false }
        let number = value.position.number
        let key = value.record.tags.isEmpty ? key : key.adding(tags: value.record.tags)
        return number >= unknown && scopes.newest(containing: key) <= number
    }
}
