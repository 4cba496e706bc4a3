internal import Foundation
internal import PigeonCore

/// Describes the mutations.
extension OutboxState {
    func scope(_ scope: String) -> OutboxScope {
        OutboxScope(name: scope, pending: insertions[scope], last: scopes[scope]?.last)
    }

    /// Returns the newest mutation of a scope with which a new one may merge, among those older than `last`.
    func candidate(
        in scope: String, before last: Int64?
    ) -> (number: Int64, revision: Int64, mutation: any DurableMutation)? {
        for number in (scopes[scope] ?? []).reversed() where last.map({ number < $0 }) ?? true {
            guard let item = items[number], item.stage == .waiting, item.record.progress == MutationProgress(),
                let mutation = item.mutation
            else { continue }
            return (number, item.record.revision, mutation)
        }
        return nil
    }

    /// True if a scope is still in the state in which it was when a new mutation was merged.
    func isCurrent(_ scope: OutboxScope) -> Bool {
        insertions[scope.name] === scope.pending && scopes[scope.name]?.last == scope.last
    }

    /// - Parameter shift: The seconds by which the wall clock is ahead of the clock of the state.
    func snapshot(at now: Date, shift: TimeInterval) -> OutboxSnapshot {
        var (waiting, setAside): ([OutboxItem], [OutboxItem]) = ([], [])
        var positions = ScopePositions()
        for number in items.keys.sorted() {
            guard let item = items[number], !item.isOver else { continue }
            let outboxItem = outboxItem(of: item, isFirst: positions.isFirst(item, in: self), at: now, shift)
            if item.isSetAside { setAside.append(outboxItem) } else { waiting.append(outboxItem) }
        }
        return OutboxSnapshot(waiting: waiting, setAside: setAside, problems: problems, version: version)
    }

    func outboxItem(of item: Item, at now: Date, shift: TimeInterval) -> OutboxItem {
        outboxItem(of: item, isFirst: queuePosition(of: item.record.number, item) == .first, at: now, shift)
    }

    func outboxItem(of item: Item, isFirst: Bool, at now: Date, _ shift: TimeInterval) -> OutboxItem {
        OutboxItem(
            id: item.record.number, name: item.record.mutation.name, mutation: item.mutation, scope: item.scope,
            enqueuedAt: item.record.enqueuedAt, attempts: item.record.progress.attempts,
            stage: stage(of: item, isFirst: isFirst, at: now, shift), error: item.error)
    }

    func stage(of item: Item, isFirst: Bool, at now: Date, _ shift: TimeInterval) -> OutboxItem.Stage {
        if let reason = item.record.progress.setAside { return .setAside(reason) }
        guard item.mutation != nil else { return .setAside(item.error.map { "\($0)" } ?? "unreadable") }
        if item.stage != .waiting { return .running }
        if isUnauthorized { return .waiting(.authorization) }
        if !isFirst { return .waiting(.turn) }
        if let date = item.record.progress.notBefore, !item.isDue(date, at: now) {
            return .waiting(.time(date + shift))
        }
        if !isOnline && item.needsNetwork { return .waiting(.network) }
        if storeAgainAt > now { return .waiting(.storage) }
        return .waiting(!ownsLease && leaseAgainAt > now ? .otherProcess : .turn)
    }

    /// Finds the first mutation of each scope, when all mutations are visited in order.
    struct ScopePositions {
        private var behind: Set<String> = []
        private var behindSetAside: Set<String> = []
        private var behindHeld: Set<String> = []
        /// The mutations that wait for the creation of an identifier, which is set aside or waits in the same way.
        private var held: Set<Int64> = []

        mutating func isFirst(_ item: Item, in state: OutboxState) -> Bool {
            let number = item.record.number
            let creations = state.creations(beforeNumber: number, item)
            let isHeld = creations.contains { held.contains($0) || state.items[$0]?.isSetAside == true }
            if isHeld { held.insert(number) }
            guard let scope = item.scope else { return creations.isEmpty }
            if item.isSetAside {
                behindSetAside.insert(scope)
                return true
            }
            defer { if isHeld { behindHeld.insert(scope) } else { behind.insert(scope) } }
            return creations.isEmpty && !behind.contains(scope)
                && (!behindSetAside.contains(scope) || item.options.afterSetAside == .proceed)
                && (!behindHeld.contains(scope) || item.options.afterSetAside != .wait)
        }
    }

    /// Called by the owner once the edits of an item are shown.
    ///
    /// - Returns: False if the edits must be hidden again, because the mutation was executed or set aside in the
    ///   meantime.
    mutating func setLayer(_ layer: ShownEdits, of number: Int64) -> Bool {
        guard let item = items[number], !item.isSetAside, !item.isOver else { return false }
        items[number]?.layer = layer
        return true
    }
}
