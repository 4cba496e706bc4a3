internal import Foundation
internal import PigeonCore

/// A member's knowledge of the log, and its own changes that are not in it yet.
struct FleetState {
    /// True while the log is followed. Only then, values of the store can be believed.
    private(set) var isConnected = false
    private(set) var position: FleetPosition?
    /// The last time at which the log was read to its end.
    private(set) var lastContact = MonotonicInstant(nanoseconds: .min)
    /// The time at which the loss of the log was noticed.
    private(set) var lostAt = MonotonicInstant(nanoseconds: .min)
    /// Number of the last log entry with unknown content.
    private var unknown: UInt64 = 0
    /// The newest entry of each scope after `unknown`.
    private var scopes = NumberedScopes()
    /// The newest removal of each scope after `unknown`.
    private var removals = NumberedScopes()
    /// Own changes that are not published yet, in order.
    private var unpublished: [ClientChange] = []
    /// Number of own changes so far, and of those that the log was read up to.
    private(set) var notifiedCount = 0
    private var settledCount = 0
    /// The newest own entry, and the number of changes up to it.
    private var published: (position: FleetPosition, count: Int)?
    private var isPublishing = false
    /// True if the store refuses to publish, and can be reached.
    private(set) var isRefused = false
    private var isPatrolling = false
    private var isClosed = false
    /// True once a first attempt to read the log has ended.
    private var hasTried = false
    /// Numbers of fetches, by how they ended.
    var counts = Fleet.Counts()

    /// Maximum number of scopes to remember. A value older than the forgotten scopes is fetched again.
    private static let scopeLimit = 20_000
    /// Maximum number of changes that wait to be published. More are merged into one, of all keys.
    private static let changeLimit = 10_000

    // MARK: The log

    /// The changes to carry out in this client.
    enum Consequence: Equatable {
        case changes([FleetNews.Change])
        /// Anything may have changed.
        case everythingIsStale
    }

    mutating func take(_ reading: FleetReading, as member: String, at now: MonotonicInstant) -> Consequence {
        (isConnected, hasTried, lastContact) = (true, true, now)
        defer { noteSettled() }
        switch reading {
        case .news(let news):
            let news = news.filter { $0.number > position?.number ?? 0 }
            note(news)
            if let last = news.last { position?.number = last.number }
            return .changes(news.filter { $0.member != member }.map(\.change))
        case .log(let news, let after, let end):
            position = end
            forget(upTo: after)
            note(news)
            return .everythingIsStale
        }
    }

    private mutating func note(_ news: [FleetNews]) {
        for entry in news {
            scopes.add(entry.change.scope, entry.number)
            if case .removed(let scope) = entry.change { removals.add(scope, entry.number) }
        }
        guard scopes.count > Self.scopeLimit, let last = news.last else { return }
        forget(upTo: last.number)
    }

    private mutating func forget(upTo number: UInt64) {
        (unknown, scopes, removals) = (number, NumberedScopes(), NumberedScopes())
    }

    /// Records that the store cannot be reached.
    ///
    /// - Returns: False if that was already known.
    mutating func lose(at now: MonotonicInstant) -> Bool {
        if isConnected { lostAt = now }
        defer { (isConnected, hasTried) = (false, true) }
        return isConnected || !hasTried
    }

    /// - Returns: True if the caller must start a patrol, because the store cannot be reached.
    mutating func beginPatrol() -> Bool {
        guard !isPatrolling, !isClosed else { return false }
        isPatrolling = true
        return true
    }

    /// - Returns: True if the patrol is no longer needed.
    mutating func endsPatrol() -> Bool {
        if isConnected || isClosed { isPatrolling = false }
        return !isPatrolling
    }

    /// Called when the client is released.
    mutating func close() {
        (isClosed, isConnected, hasTried) = (true, false, true)
    }

    // MARK: Own changes

    mutating func add(_ own: ClientChange) {
        notifiedCount += 1
        guard unpublished.last != own else { return }
        unpublished.append(own)
        guard unpublished.count > Self.changeLimit else { return }
        // Members learn more than they need to, and nothing is missed.
        var removals = unpublished.filter { if case .removed = $0 { true } else { false } }
        if removals.count > Self.changeLimit / 2 { removals = [.removed(.all)] }
        unpublished = removals + [.stale(.all)]
    }

    /// Takes the changes to publish, unless others are being published.
    mutating func takeUnpublished() -> (changes: [ClientChange], count: Int)? {
        guard isConnected, !isPublishing, !unpublished.isEmpty else { return nil }
        defer { unpublished = [] }
        isPublishing = true
        return (unpublished, notifiedCount)
    }

    /// Ends the publication of changes.
    ///
    /// - Parameters:
    ///   - position: The position of the last one. `nil` if nothing was published.
    ///   - count: Number of own changes up to the last one.
    ///   - rest: The changes that could not be published.
    ///   - isRefused: True if the store can be reached, and does not take them.
    mutating func endPublishing(at position: FleetPosition?, _ count: Int, rest: [ClientChange], isRefused: Bool) {
        isPublishing = false
        self.isRefused = isRefused
        unpublished = rest + unpublished
        guard let position, rest.isEmpty else { return }
        published = (position, count)
        noteSettled()
    }

    private mutating func noteSettled() {
        guard let published, let position else { return }
        // The entries of another log are known, as far as it has them.
        guard published.position.epoch != position.epoch || published.position.number <= position.number else { return }
        settledCount = max(settledCount, published.count)
    }

    /// The position at which a fetch can begin that came after a number of own changes. `nil` if there is none yet.
    func start(after count: Int) -> FleetPosition? {
        isConnected && settledCount >= count ? position : nil
    }

    /// True if the log was read up to a position, and is still the same.
    func hasRead(_ end: FleetPosition) -> Bool {
        position.map { $0.epoch == end.epoch && $0.number >= end.number } ?? false
    }

    var publishedCount: Int { published?.count ?? 0 }

    /// True if waiting for a position is futile.
    var isHopeless: Bool { isRefused || (hasTried && !isConnected) }

    // MARK: Values

    /// The number of the log entry that a fetch of a key must include.
    func needed(for key: QueryKey) -> UInt64 { scopes.newest(containing: key) }

    /// True if nothing has invalidated a value since it was requested.
    func believes(_ value: FleetValue, of key: QueryKey) -> Bool { includes(value, of: key, all: scopes) }

    /// True if nothing has removed a value since it was requested, so that it may be shown as a stale one.
    func mayShow(_ value: FleetValue, of key: QueryKey) -> Bool { includes(value, of: key, all: removals) }

    private func includes(_ value: FleetValue, of key: QueryKey, all changes: NumberedScopes) -> Bool {
        guard isConnected, let position, value.position.epoch == position.epoch else { return false }
        let number = value.position.number
        let key = value.record.tags.isEmpty ? key : key.adding(tags: value.record.tags)
        return number >= unknown && changes.newest(containing: key) <= number
    }
}

extension ClientChange {
    /// The change as an entry of the log. The value of a write is read when it is published, so that the newest one is the
    /// last.
    var news: FleetNews.Change {
        switch self {
        case .stale(let scope): .stale(scope)
        case .removed(let scope): .removed(scope)
        case .written(let key): .stale(.key(key))
        }
    }

    var isWrite: Bool {
        if case .written = self { true } else { false }
    }
}
