internal import Foundation

/// A value that is to be saved in a cache.
final class RecordSave: @unchecked Sendable {  // guarded by the lock of its one client; only read once taken
    let persistence: Persistence
    let payload: Payload
    let key: QueryKey
    let writtenAt: MonotonicInstant
    let freshFor: Int64?
    let metadata: AnswerMetadata
    var isStale: Bool
    /// The number of the request that created the save.
    let number: UInt64
    /// The mark of the value's own record, once it is encoded.
    @exclusivity(unchecked) var mark = 0

    init(
        persistence: Persistence, payload: Payload, key: QueryKey, writtenAt: MonotonicInstant, freshFor: Int64?,
        metadata: AnswerMetadata, isStale: Bool, number: UInt64
    ) {
        self.persistence = persistence
        self.payload = payload
        self.key = key
        self.writtenAt = writtenAt
        self.freshFor = freshFor
        self.metadata = metadata
        self.isStale = isStale
        self.number = number
    }

    /// The date at which the value was received.
    func savedAt(now: MonotonicInstant, date: Date) -> Date {
        date.addingTimeInterval(-max(.zero, writtenAt.duration(to: now)).inSeconds)
    }
}

/// Scopes, each with the number of the newest request that named it.
package struct NumberedScopes {
    private var numbers: [QueryRecordScope: UInt64] = [:]

    package init() {}

    var isEmpty: Bool { numbers.isEmpty }
    package var count: Int { numbers.count }

    /// The scopes, in the order in which they were last named.
    var inOrder: [QueryRecordScope] { numbers.sorted { $0.value < $1.value }.map(\.key) }

    /// The number of the newest request for exactly this scope. 0 if there is none.
    subscript(scope: QueryRecordScope) -> UInt64 { numbers[scope] ?? 0 }

    /// The number of the newest request whose scope contains a key. 0 if there is none.
    ///
    /// Takes one look-up for each component and each tag of the key.
    package func newest(containing key: QueryKey) -> UInt64 {
        guard !numbers.isEmpty else { return 0 }
        var newest = max(self[.all], self[.key(key)])
        for tag in key.tags { newest = max(newest, self[.tag(tag)]) }
        key.forEachPath { newest = max(newest, self[.path($0)]) }
        return newest
    }

    package mutating func add(_ scope: QueryRecordScope, _ number: UInt64) {
        if scope == .all { numbers = [:] }
        numbers[scope] = number
    }

    /// Adds scopes that were named later.
    mutating func add(_ later: NumberedScopes) {
        if later[.all] > 0 { numbers = [:] }
        numbers.merge(later.numbers) { max($0, $1) }
    }

    mutating func forget(_ scope: QueryRecordScope) {
        numbers[scope] = nil
    }
}

/// Pending work for one cache, merged to at most one item for each key and scope.
///
/// A cache carries out sign-outs first, then removals, marks and saves. Numbers decide whether a removal or a mark
/// applies to a save, so adding a scope never visits the saves in it.
struct RecordWork {
    /// True if the cache is to be emptied by a sign-out.
    private(set) var signsOut = false
    /// Callers that await the first attempt to sign out.
    private(set) var clears: [WaitingCaller] = []
    private(set) var removals = NumberedScopes()
    private(set) var marks = NumberedScopes()
    /// The saves. Includes those that a later removal has made pointless. ``isLive(_:)`` recognizes them.
    private(set) var saves: [QueryKey: RecordSave] = [:]

    var isEmpty: Bool { !signsOut && removals.isEmpty && marks.isEmpty && saves.isEmpty }
    /// Number of marks and removals.
    var stepCount: Int { removals.count + marks.count }

    // MARK: Reading

    /// True if a key belongs to a value that is to be saved, or to a part of one. Visits every save.
    func saves(partOf key: QueryKey) -> Bool {
        saves[key] != nil || saves.keys.contains { key.isWithin($0.pageRecords) }
    }

    /// True if no later removal applies to a save.
    func isLive(_ save: RecordSave) -> Bool {
        removals.newest(containing: save.key) < save.number
    }

    /// True if a save must be marked stale, because its value was invalidated before or after the save was created.
    func isStale(_ save: RecordSave) -> Bool {
        save.isStale || marks.newest(containing: save.key) > save.number
    }

    /// The state that the cache will have for a key once `earlier` work and then this work are carried out.
    func pending(for key: QueryKey, after earlier: PendingRecord = .nothing) -> PendingRecord {
        if let save = saves[key], isLive(save) { return .save(save, isStale: isStale(save)) }
        if signsOut || removals.newest(containing: key) > 0 { return .removal }
        return marks.newest(containing: key) > 0 ? earlier.marked : earlier
    }

    /// True if a removal applies to parts of a save that the cache still has.
    func removesParts(of save: RecordSave) -> Bool {
        removals.newest(containing: save.key) > 0 || removals[.path(save.key.pageRecords)] > 0
    }

    // MARK: Adding

    /// - Returns: The save that was replaced, to be released outside the lock.
    mutating func add(_ save: RecordSave) -> RecordSave? {
        saves.updateValue(save, forKey: save.key)
    }

    mutating func markStale(_ scope: QueryRecordScope, _ number: UInt64) {
        // A removed record needs no mark.
        if removals[scope] > 0, case .key(let key) = scope, saves[key] == nil { return }
        marks.add(scope, number)
    }

    /// - Returns: The saves that the removal makes pointless, as far as they are found without a search, to be released
    ///   outside the lock.
    mutating func remove(_ scope: QueryRecordScope, _ number: UInt64) -> [RecordSave] {
        defer { removals.add(scope, number) }
        switch scope {
        case .key(let key):
            marks.forget(scope)
            return saves.removeValue(forKey: key).map { [$0] } ?? []
        case .all:
            defer { saves = [:] }
            marks = NumberedScopes()
            return Array(saves.values)
        case .path, .tag: return []
        }
    }

    /// Replaces all work by a sign-out.
    ///
    /// - Returns: The work that was replaced, to be released outside the lock.
    mutating func clear(_ waiter: WaitingCaller) -> RecordWork {
        let old = self
        self = RecordWork()
        signsOut = true
        clears = old.clears + [waiter]
        return old
    }

    /// Adds later work. A sign-out, or the removal of all records, drops the earlier work.
    mutating func add(_ later: RecordWork) {
        if later.signsOut { return self = later }
        guard later.removals[.all] == 0 else {
            let signsOut = signsOut
            self = later
            return self.signsOut = signsOut
        }
        saves.merge(later.saves) { $1 }
        removals.add(later.removals)
        marks.add(later.marks)
    }

    /// The work that remains after a failed write, without pointless saves and without the callers of a sign-out, which
    /// have received their result.
    ///
    /// - Parameter signedOut: True if the cache was emptied before the rest failed.
    func remainder(signedOut: Bool) -> RecordWork {
        var rest = self
        rest.signsOut = signsOut && !signedOut
        rest.clears = []
        rest.saves = saves.filter { isLive($0.value) }
        return rest
    }
}

/// Pending work for the record of one key, which is newer than the cache.
enum PendingRecord {
    case nothing
    case save(RecordSave, isStale: Bool)
    case removal
    case stale

    /// The pending work after an invalidation.
    var marked: PendingRecord {
        switch self {
        case .nothing, .stale: .stale
        case .save(let save, _): .save(save, isStale: true)
        case .removal: .removal
        }
    }
}
