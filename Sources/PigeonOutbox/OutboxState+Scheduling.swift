internal import Foundation
internal import PigeonCore

extension OutboxState.Item {
    /// The longest time for which a server can let a mutation wait.
    private static let longestWait: TimeInterval = 3600

    /// True if the time of the next attempt has come. If it is further away than the mutation waits at all, the wall
    /// clock has been set back. A mutation that was never attempted does not wait.
    func isDue(_ date: Date, at now: Date) -> Bool {
        date <= now || isHurried || record.progress.attempts == 0
            || date.timeIntervalSince(now) > max(Self.longestWait, wait) + 1
    }

    /// The time from which the age counts: that of the enqueueing, or of the program's decision to try again. The
    /// record has the latter until the next attempt.
    var begin: Date {
        let recorded = record.progress.attempts == 0 ? record.progress.notBefore : nil
        return max(since, decidedAt, recorded ?? .distantPast)
    }
}

/// Decides which mutation starts next.
extension OutboxState {
    mutating func consider(_ scope: String) {
        for number in scopes[scope] ?? [] {
            guard let item = items[number], item.stage != .leaving, !item.isSetAside, !isHeld(number) else { continue }
            return ready.insert(number)
        }
    }

    /// Starts waiting retries at once, except those whose time the server named.
    mutating func hurry() {
        for (number, item) in items where item.mayHurry { items[number]?.isHurried = true }
        considerAll()
    }

    mutating func considerAll() {
        ready = _Heap(items.keys.sorted())
        later = _Heap()
    }

    /// Reconsiders the mutations that wait behind one that was set aside.
    mutating func considerFollowers(of item: Item) {
        // Mutations that wait for its identifiers no longer block their scopes.
        if !item.options.tokens.isEmpty { considerAll() } else if let scope = item.scope { consider(scope) }
    }

    enum QueuePosition: Equatable {
        case first
        /// Another mutation comes first.
        case behind(Int64)
        /// The mutation must be set aside with an error.
        case falls(OutboxError)
    }

    func queuePosition(of number: Int64, _ item: Item) -> QueuePosition {
        switch queuePosition(behindCreationsOf: number, item) {
        case .first: return positionInScope(of: number, item)
        case let other: return other
        }
    }

    private func queuePosition(behindCreationsOf number: Int64, _ item: Item) -> QueuePosition {
        var earlier: Int64?
        for token in item.options.tokens where assigned[token] == nil {
            guard let creation = creation(of: token) else {
                return .falls(.noCreation(name: item.record.mutation.name))
            }
            guard creation != number else { continue }
            earlier = creation
            if item.options.afterSetAside == .setAside, items[creation]?.isSetAside == true {
                return .falls(.afterSetAside(name: item.record.mutation.name))
            }
        }
        return earlier.map { .behind($0) } ?? .first
    }

    private func positionInScope(of number: Int64, _ item: Item) -> QueuePosition {
        guard let scope = item.scope else { return .first }
        for earlier in scopes[scope] ?? [] {
            guard earlier != number else { return .first }
            guard let other = items[earlier], other.stage != .leaving else { continue }
            guard other.isSetAside || isHeld(earlier) else { return .behind(earlier) }
            switch item.options.afterSetAside {
            case .wait: return .behind(earlier)
            case .proceed: continue
            // A mutation that waits for an identifier is not set aside.
            case .setAside where !other.isSetAside: continue
            case .setAside: return .falls(.afterSetAside(name: item.record.mutation.name))
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
            switch queuePosition(of: number, item) {
            case .behind: continue
            case .falls(let error): return (number, error)
            case .first: break
            }
            if let age = item.options.maximumAge, now.timeIntervalSince(item.begin) > age.inSeconds {
                return (number, .expired(name: item.record.mutation.name, age: age))
            }
            if let date = item.record.progress.notBefore, !item.isDue(date, at: now) {
                later.insert(Later(at: date, number: number))
                continue
            }
            if isOnline || !item.needsNetwork { return (number, nil) }
        }
        return nil
    }

    /// True if a mutation runs, or will start without an input other than the end of another attempt.
    private func isComing(_ number: Int64, at now: Date) -> Bool {
        guard let item = items[number] else { return false }
        if item.stage != .waiting || item.isResolving { return true }
        guard !item.isUnready, !isClosed, !hasLeft else { return false }
        guard stage(of: item, isFirst: true, at: now, 0) == .waiting(.turn) else { return false }
        switch queuePosition(of: number, item) {
        case .first, .falls: return true
        case .behind(let earlier): return isComing(earlier, at: now)
        }
    }

    /// Answers the callers of ``PigeonCore/QueryClient/submit(_:)`` whose mutations have to wait.
    mutating func answerSubmissions(at now: Date, _ effects: inout [OutboxEffect]) {
        for number in submitted where !isComing(number, at: now) {
            submitted.remove(number)
            for waiting in items[number]?.submissions.waiting ?? [] {
                effects.append(.end(waiting, .success(.nothing)))
            }
            items[number]?.submissions = OutboxSubmissions()
        }
    }

    /// Records that a caller of ``PigeonCore/QueryClient/submit(_:)`` no longer waits for a mutation, which is then
    /// kept if it is refused.
    mutating func leaveSubmission(of number: Int64) {
        items[number]?.submissions.areAll = false
    }

    mutating func setAlarm(at now: Date, _ effects: inout [OutboxEffect]) {
        var next = Date.distantFuture
        if let first = later.min { next = min(next, first.at) }
        if activeCount > 0 { next = min(next, renewal) }
        if !ownsLease, leaseAgainAt > now, ready.count > 0 { next = min(next, leaseAgainAt) }
        if storeAgainAt > now, isOutdated || erasing != nil || !decisions.isEmpty || ready.count > 0 {
            next = min(next, storeAgainAt)
        }
        guard next < alarm else { return }
        alarm = next
        // Dates are rounded, so a time that has come may still be in the future by a little.
        effects.append(.alarm(max(next, now + 0.001)))
    }
}
