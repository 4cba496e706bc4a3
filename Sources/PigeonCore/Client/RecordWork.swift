internal import Foundation

/// A value on its way into a cache.
final class RecordSave: @unchecked Sendable {  // guarded by the lock of its one client; only read once taken
    let persistence: Persistence
    let payload: Payload
    /// The value that storage has now, for values that are kept in parts.
    var previous: Payload?
    let key: QueryKey
    let writtenAt: MonotonicInstant
    let freshFor: Int64?
    let validators: FetchValidators
    var isStale: Bool
    /// The number of the request that made it.
    let number: UInt64

    init(
        persistence: Persistence, payload: Payload, previous: Payload?, key: QueryKey, writtenAt: MonotonicInstant,
        freshFor: Int64?, validators: FetchValidators, isStale: Bool, number: UInt64
    ) {
        self.persistence = persistence
        self.payload = payload
        self.previous = previous
        self.key = key
        self.writtenAt = writtenAt
        self.freshFor = freshFor
        self.validators = validators
        self.isStale = isStale
        self.number = number
    }

    /// When the value was received, by the wall clock.
    func savedAt(now: MonotonicInstant, date: Date) -> Date {
        date.addingTimeInterval(-max(.zero, writtenAt.duration(to: now)).inSeconds)
    }
}

/// Scopes, each with the number of the newest request that named it.
struct NumberedScopes {
    private var numbers: [QueryRecordScope: UInt64] = [:]

    var isEmpty: Bool { numbers.isEmpty }
    var count: Int { numbers.count }

    /// The scopes, in the order in which they were last named.
    var inOrder: [QueryRecordScope] { numbers.sorted { $0.value < $1.value }.map(\.key) }

    /// The number of the newest request for exactly this scope. 0 if there is none.
    subscript(scope: QueryRecordScope) -> UInt64 { numbers[scope] ?? 0 }

    /// The number of the newest request whose scope contains a key. 0 if there is none.
    ///
    /// Costs one look-up for each component and each tag of the key.
    func newest(containing key: QueryKey) -> UInt64 {
        guard !numbers.isEmpty else { return 0 }
        var newest = max(self[.all], self[.key(key)])
        for tag in key.tags { newest = max(newest, self[.tag(tag)]) }
        key.forEachPath { newest = max(newest, self[.path($0)]) }
        return newest
    }

    mutating func add(_ scope: QueryRecordScope, _ number: UInt64) {
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

/// Work for one cache that is not carried out yet, merged to at most one item for each key and scope.
///
/// A cache carries out sign-outs first, then removals, marks and saves. Numbers decide what a save has to do with a removal
/// or a mark, so that naming a scope never visits the saves in it.
struct RecordWork {
    /// True if the cache is to be emptied by a sign-out.
    private(set) var signsOut = false
    /// Callers that await the first attempt to sign out.
    private(set) var clears: [Waiter] = []
    private(set) var removals = NumberedScopes()
    private(set) var marks = NumberedScopes()
    /// Includes saves that a later removal has made pointless. ``isLive(_:)`` tells them.
    private(set) var saves: [QueryKey: RecordSave] = [:]

    var isEmpty: Bool { !signsOut && removals.isEmpty && marks.isEmpty && saves.isEmpty }
    /// Number of marks and removals.
    var stepCount: Int { removals.count + marks.count }

    // MARK: Asking

    /// The save of a key, unless a later removal concerns it.
    func save(of key: QueryKey) -> RecordSave? {
        saves[key].flatMap { isLive($0) ? $0 : nil }
    }

    /// Whether a key is that of a value to save, or of a part of one. Looks at every save.
    func saves(partOf key: QueryKey) -> Bool {
        saves.keys.contains { key.isWithin($0) }
    }

    /// Whether no removal concerns a save that was made before it.
    func isLive(_ save: RecordSave) -> Bool {
        removals.newest(containing: save.key) < save.number
    }

    /// Whether a save is to be marked stale: its value was invalidated before or after it was made.
    func isStale(_ save: RecordSave) -> Bool {
        save.isStale || marks.newest(containing: save.key) > save.number
    }

    /// What the cache will have for a key once this work is carried out after `earlier` work.
    func pending(for key: QueryKey, after earlier: PendingRecord = .nothing) -> PendingRecord {
        if let save = save(of: key) { return .save(save, isStale: isStale(save)) }
        if signsOut || removals.newest(containing: key) > 0 { return .removal }
        return marks.newest(containing: key) > 0 ? earlier.marked : earlier
    }

    // MARK: Adding

    /// - Returns: The save that it replaces, to be freed outside the lock.
    mutating func add(_ save: RecordSave) -> RecordSave? {
        saves.updateValue(save, forKey: save.key)
    }

    mutating func markStale(_ scope: QueryRecordScope, _ number: UInt64) {
        // What was removed needs no mark.
        if removals[scope] > 0, case .key(let key) = scope, saves[key] == nil { return }
        marks.add(scope, number)
    }

    /// - Returns: The saves that it makes pointless and that it found without a search, to be freed outside the lock.
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

    /// Forgets all work for a sign-out.
    ///
    /// - Returns: The work that it replaces, to be freed outside the lock.
    mutating func clear(_ waiter: Waiter) -> RecordWork {
        let old = self
        self = RecordWork()
        signsOut = true
        clears = old.clears + [waiter]
        return old
    }

    /// Adds work that was asked for later. A sign-out, or the removal of everything, drops what was asked before it.
    mutating func add(_ later: RecordWork) {
        if later.signsOut { return self = later }
        guard later.removals[.all] == 0 else {
            let signsOut = signsOut
            self = later
            return self.signsOut = signsOut
        }
        for save in later.saves.values {
            // It takes the place of a save that was not carried out, and must write that one's changes too.
            if let old = self.save(of: save.key), later.isLive(old) { save.previous = old.previous }
            saves[save.key] = save
        }
        removals.add(later.removals)
        marks.add(later.marks)
    }

    /// The work after a write that failed: callers of a sign-out have had their answer, and pointless saves are dropped.
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

extension QueryKey {
    /// Calls `body` with this key and each path above it.
    fileprivate func forEachPath(_ body: (QueryKey) -> Void) {
        body(self)
        var rest = queryKeyValue[...]
        // By bytes: a character may swallow the separator, as "/" and a combining mark are one.
        while let slash = rest.utf8.lastIndex(of: UInt8(ascii: "/")) {
            rest = rest[..<slash]
            body(QueryKey(canonical: String(rest)))
        }
    }
}

/// Work for the record of one key, which is newer than its cache.
enum PendingRecord {
    case nothing
    case save(RecordSave, isStale: Bool)
    case removal
    case stale

    /// The same after an invalidation.
    var marked: PendingRecord {
        switch self {
        case .nothing, .stale: .stale
        case .save(let save, _): .save(save, isStale: true)
        case .removal: .removal
        }
    }
}
