internal import Foundation

extension OutboxState.Item {
    /// The longest time for which a server can let a mutation wait.
    private static let longestWait: TimeInterval = 3600

    /// True if the time of the next attempt has come. If it is further away than the mutation waits at all, the wall clock
    /// has been set back. What has not been attempted does not wait.
    func isDue(_ date: Date, at now: Date) -> Bool {
        date <= now || record.progress.attempts == 0 || date.timeIntervalSince(now) > max(Self.longestWait, wait) + 1
    }

    /// The time from which the age counts: that of the enqueueing, or of the program's decision to try again. The record
    /// has the latter until the next attempt.
    var begin: Date {
        let recorded = record.progress.attempts == 0 ? record.progress.notBefore : nil
        return max(record.enqueuedAt, decidedAt, recorded ?? .distantPast)
    }
}

/// Decides which mutation starts next.
extension OutboxState {
    /// Lets the first mutation of a scope that can start be considered.
    mutating func consider(_ scope: String) {
        for number in scopes[scope] ?? [] {
            guard let item = items[number], item.stage != .leaving, !item.isSetAside else { continue }
            return ready.insert(number)
        }
    }

    mutating func considerAll() {
        ready = _Heap(items.keys.sorted())
        later = _Heap()
    }

    enum Standing {
        case first, behind, falls
    }

    func standing(of number: Int64, _ item: Item) -> Standing {
        guard let scope = item.scope else { return .first }
        for earlier in scopes[scope] ?? [] {
            guard earlier != number else { return .first }
            guard let other = items[earlier], other.stage != .leaving else { continue }
            guard other.isSetAside else { return .behind }
            switch item.terms.afterSetAside {
            case .wait: return .behind
            case .proceed: continue
            case .setAside: return .falls
            }
        }
        return .first
    }

    /// Returns the next mutation to start, or the next one to set aside, with the error.
    mutating func nextStart(at now: Date) -> (number: Int64, error: OutboxError?)? {
        guard !isUnauthorized, !isClosed else { return nil }
        while let number = ready.popMin() {
            guard let item = items[number], item.stage == .waiting, !item.isSetAside, !item.isResolving,
                !item.isUnready
            else { continue }
            let name = item.record.mutation.name
            switch standing(of: number, item) {
            case .behind: continue
            case .falls: return (number, .afterSetAside(name: name))
            case .first: break
            }
            if let age = item.terms.maximumAge, now.timeIntervalSince(item.begin) > age.inSeconds {
                return (number, .expired(name: name, age: age))
            }
            if let date = item.record.progress.notBefore, !item.isDue(date, at: now) {
                later.insert(Later(at: date, number: number))
                continue
            }
            if isOnline || !item.needsNetwork { return (number, nil) }
        }
        return nil
    }

    mutating func setAlarm(at now: Date, _ effects: inout [OutboxEffect]) {
        var next = Date.distantFuture
        if let first = later.min { next = min(next, first.at) }
        if activeCount > 0 { next = min(next, renewal) }
        if !ownsLease, leaseAgainAt > now, ready.count > 0 { next = min(next, leaseAgainAt) }
        if storeAgainAt > now, isOutdated || !decisions.isEmpty || ready.count > 0 { next = min(next, storeAgainAt) }
        guard next < alarm else { return }
        alarm = next
        // Dates are rounded, so a time that has come may still be in the future by a little.
        effects.append(.alarm(max(next, now + 0.001)))
    }
}
