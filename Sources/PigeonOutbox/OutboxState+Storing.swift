internal import Foundation
internal import PigeonCore

/// Stores decisions, and carries them out once they are stored.
extension OutboxState {
    /// Returns the next operation on the store. `nil` if there is none until the next input.
    mutating func nextStep(at now: Date, into effects: inout [OutboxEffect]) -> OutboxStep? {
        if erasing != nil, storeAgainAt <= now { return .erase }
        // Mutations that are about to be removed must not be read again.
        if isOutdated, storeAgainAt <= now, !decisions.contains(where: \.isClearing) {
            isOutdated = false  // another change in the meantime is read next
            return .load(after: revision, session: session, epoch: epoch)
        }
        while let next = later.min, items[next.number]?.isDue(next.at, at: now) ?? true {
            later.popMin()
            ready.insert(next.number)
        }
        if let step = nextBatch(at: now, &effects) { return step }
        if activeCount > 0, !hasLeft, ownsLease, renewal <= now { return .takeLease(until: now + leaseTime) }
        if activeCount == 0 || hasLeft, ownsLease, lease.end > now { return .endLease }
        answerSubmissions(at: now, &effects)
        isWriting = false
        setAlarm(at: now, &effects)
        if activeCount == 0, decisions.isEmpty, !mayProgress {
            for drain in drains { effects.append(.end(drain, .success(.nothing))) }
            drains = []
        }
        return nil
    }

    /// True if mutations can start without further input, as time passes.
    var mayProgress: Bool { !isUnauthorized && !isClosed && isOnline && (ready.count > 0 || later.count > 0) }

    func needsRenewal(at now: Date) -> Bool { !ownsLease || renewal <= now }

    var renewal: Date { lease.end - leaseTime / 2 }

    mutating func nextBatch(at now: Date, _ effects: inout [OutboxEffect]) -> OutboxStep? {
        let isBlocked = storeAgainAt > now
        let mayStart = !isBlocked && !isOutdated && alone == 0
        if mayStart, needsRenewal(at: now), ownsLease || leaseAgainAt <= now, let (number, _) = nextStart(at: now) {
            ready.insert(number)
            return .takeLease(until: now + leaseTime)
        }
        var batch = OutboxBatch(epoch: epoch, session: session)
        var kept: [OutboxDecision] = []
        // A sign-out must not remove mutations that are enqueued after it, so both are stored in order.
        let mustClear = decisions.contains { $0.insertion != nil }
        for decision in decisions {
            let canWait = decision.canWait && !(mustClear && decision.isClearing)
            if isBlocked && canWait || alone > 0 && !batch.isEmpty || batch.concerns(decision) {
                kept.append(decision)
            } else {
                add(decision, to: &batch)
            }
        }
        decisions = kept
        if alone > 0 { alone -= 1 } else if !isBlocked { start(at: now, &batch, &effects) }
        return batch.isEmpty ? nil : .store(batch)
    }

    /// Adds the mutations that start to a batch, and those that are set aside instead.
    mutating func start(at now: Date, _ batch: inout OutboxBatch, _ effects: inout [OutboxEffect]) {
        var skipped: [Int64] = []
        while ownsLease, activeCount < width, let (number, error) = nextStart(at: now) {
            guard let item = items[number], !batch.numbers.contains(number) else {
                skipped.append(number)
                continue
            }
            if let error {
                items[number]?.error = error
                items[number]?.failureReason = nil
                guard !withdraw(number, error, basedOn: item.record.revision, &effects) else { continue }
                batch.add(.setAside(error.description), number, item)
            } else {
                items[number]?.stage = .starting
                items[number]?.becameReady = false
                activeCount += 1
                batch.add(.start, number, item)
                batch.lease = MutationLease(holder: holder, end: now + leaseTime)
            }
        }
        for number in skipped { ready.insert(number) }
    }

    mutating func add(_ decision: OutboxDecision, to batch: inout OutboxBatch) {
        switch decision {
        case .insert(let insertion):
            // A mutation with which it was merged may have started or changed in the meantime.
            let isCurrent = insertion.merged.allSatisfy { number in
                items[number].map { $0.stage == .waiting && $0.record.revision == insertion.revisions[number] } ?? false
            }
            guard isCurrent else { return batch.outdated.append(insertion) }
            batch.insertions.append(insertion)
            for number in insertion.removed {
                guard let revision = insertion.revisions[number] else { continue }
                items[number]?.stage = .leaving
                batch.changes.append(.remove(number, revision: revision))
            }
            batch.numbers.formUnion(insertion.merged)
            for number in insertion.merged {
                abandon(identifiersOf: number, but: insertion.added?.replacement.options.tokens ?? [], &batch)
            }
            guard let record = insertion.added?.record else { return }
            if let number = insertion.replaced, let item = items[number] {
                batch.changes.append(
                    .update(number, revision: item.record.revision, item.record.progress, mutation: record.mutation))
            } else {
                batch.changes.append(.insert(record))
            }
        case .change(let number, let change, let basedOn, let stored):
            guard let item = items[number] else {
                return batch.dropped.append((decision, OutboxError.notWaiting(number)))
            }
            guard basedOn == nil || basedOn == item.record.revision else {
                // The outcome of an attempt says nothing about a mutation that has changed since.
                if item.stage == .ending { items[number]?.stage = .waiting }
                ready.insert(number)
                return batch.dropped.append((decision, MutationStoreError.outdated))
            }
            if change.progress(after: item.record.progress) == nil {
                items[number]?.stage = .leaving
                if let scope = item.scope { consider(scope) }
            }
            switch change {
            case .end, .discard: abandon(identifiersOf: number, but: [], &batch)
            case .replace(let replacement, _): abandon(identifiersOf: number, but: replacement.options.tokens, &batch)
            default: break
            }
            batch.add(change, number, item, basedOn: basedOn, stored: stored)
        case .clear(let session, let stored):
            batch.changes.append(.removeAll(session: session))
            batch.clears.append((session, stored))
        }
    }

    /// Reverts the effects on the items of a batch that is not stored.
    mutating func giveBack(_ batch: OutboxBatch) {
        for number in batch.insertions.flatMap(\.removed) { items[number]?.stage = .waiting }
        for (number, change, _, _) in batch.updates {
            guard let item = items[number] else { continue }
            switch change {
            case .start where item.stage == .starting:
                items[number]?.stage = .waiting
                activeCount -= 1
                ready.insert(number)
            case .end where item.stage == .leaving: items[number]?.stage = .ending
            case .setAside: ready.insert(number)
            case .discard where item.stage == .leaving: items[number]?.stage = .waiting
            default: break
            }
        }
    }

    mutating func store(
        _ batch: OutboxBatch, _ receipt: MutationReceipt, _ now: Date, _ effects: inout [OutboxEffect]
    ) {
        (storeAgainAt, storeFailures) = (.distantPast, 0)
        if let end = batch.lease?.end, ownsLease { lease = MutationLease(holder: holder, end: end) }
        if !batch.changes.isEmpty { follow(receipt) }
        if !batch.clears.isEmpty { erasing = (erasing ?? []) + batch.clears.compactMap(\.stored) }
        guard batch.epoch == epoch else { return drop(batch, &effects) }
        var numbers = receipt.numbers[...]
        for insertion in batch.insertions { take(insertion, receipt, &numbers, &effects) }
        for (number, change, _, stored) in batch.updates {
            apply(change, to: number, receipt, now, &effects)
            if let stored { effects.append(.end(stored, .success(.nothing))) }
        }
        add(batch.abandoned, &effects)
        finish(batch, &effects)
    }

    private mutating func follow(_ receipt: MutationReceipt) {
        guard receipt.previousRevision != revision else { return revision = receipt.revision }
        // Another client has written in between.
        isOutdated = true
        // A store that has begun anew is read whole.
        if receipt.revision <= revision { revision = -1 }
    }

    /// Completes the decisions of a batch that was stored, but belongs to another session or is about to be cleared.
    mutating func drop(_ batch: OutboxBatch, _ effects: inout [OutboxEffect]) {
        for insertion in batch.insertions {
            if let layer = insertion.added?.replacement.layer { effects.append(.hide(layer)) }
            for outcome in insertion.outcomes { effects.append(.end(outcome, .failure(CancellationError()))) }
            effects.append(.end(insertion.stored, .success(.nothing)))
        }
        for (_, change, _, stored) in batch.updates {
            if case .replace(let replacement, _) = change { effects.append(.hide(replacement.layer)) }
            if let stored { effects.append(.end(stored, .success(.nothing))) }
        }
        finish(batch, &effects)
    }

    /// Resumes the callers whose decisions were not stored because they were outdated.
    mutating func finish(_ batch: OutboxBatch, _ effects: inout [OutboxEffect]) {
        for insertion in batch.outdated {
            effects.append(.end(insertion.stored, .failure(MutationStoreError.outdated)))
        }
        for (decision, error) in batch.dropped { decision.end(with: error, &effects) }
        forget(batch.outdated + batch.insertions)
    }

    /// Forgets completed insertions, so that new mutations no longer wait to merge with them.
    private mutating func forget(_ ended: [OutboxInsertion]) {
        for insertion in ended {
            guard let scope = insertion.scope, insertions[scope] === insertion else { continue }
            insertions[scope] = nil
        }
    }

    /// Ends decisions that cannot be stored at present, and notifies their callers.
    mutating func giveUp(
        _ isMeant: (OutboxDecision) -> Bool, because error: any Error, _ effects: inout [OutboxEffect]
    ) {
        let ended = decisions.filter(isMeant)
        decisions.removeAll(where: isMeant)
        for decision in ended { decision.end(with: error, &effects) }
        forget(ended.compactMap(\.insertion))
    }

    mutating func take(
        _ insertion: OutboxInsertion, _ receipt: MutationReceipt, _ numbers: inout ArraySlice<Int64>,
        _ effects: inout [OutboxEffect]
    ) {
        for number in insertion.removed { remove(number, isDiscarded: true, failing: OutboxError.noAnswer, &effects) }
        defer { effects.append(.end(insertion.stored, .success(.nothing))) }
        guard let (record, replacement) = insertion.added else {
            for outcome in insertion.outcomes {
                effects.append(.end(outcome, .failure(OutboxError.noAnswer(name: insertion.name))))
            }
            return
        }
        if let number = insertion.replaced {
            replace(number, with: replacement, receipt.revision, &effects)
            items[number]?.outcomes += insertion.outcomes
            insertion.number = number
            return note(insertion.submission, of: number, isFirst: false)
        }
        guard let number = numbers.popFirst() else { return }
        insertion.number = number
        var item = Item(
            record: record, mutation: replacement.mutation, layer: replacement.layer, outcomes: insertion.outcomes,
            options: replacement.options, since: insertion.since, digest: replacement.digest)
        (item.record.number, item.record.revision) = (number, receipt.revision)
        item.record.mutation.data = Data()
        // A store that has begun anew reuses numbers.
        remove(number, failing: OutboxError.noAnswer, &effects)
        add(item)
        note(insertion.submission, of: number, isFirst: true)
        resolveIfAssigned(number, &effects)
        effects.append(.emit(OutboxEvent(.enqueued, of: item)))
    }

    /// Records the caller that waits for a mutation, or for its share of a merged one.
    private mutating func note(_ submission: SharedOneShot<Payload>?, of number: Int64, isFirst: Bool) {
        guard let submission else {
            items[number]?.submissions.areAll = false
            return
        }
        if isFirst { items[number]?.submissions.areAll = true }
        items[number]?.submissions.waiting.append(submission)
        submitted.insert(number)
    }

    mutating func add(_ item: Item) {
        let number = item.record.number
        items[number] = item
        if let scope = item.scope { enter(scope, number) }
        noteMentions(by: number, item.options)
        ready.insert(number)
    }

    mutating func remove(
        _ number: Int64, isDiscarded: Bool = false, failing error: (String) -> any Error,
        _ effects: inout [OutboxEffect]
    ) {
        guard let item = items.removeValue(forKey: number) else { return }
        if isDiscarded { effects.append(.emit(OutboxEvent(.discarded, of: item))) }
        if let scope = item.scope { leave(scope, number) }
        forgetMentions(by: number, item.options)
        if let layer = item.layer { effects.append(.hide(layer)) }
        for outcome in item.outcomes { effects.append(.end(outcome, .failure(error(item.record.mutation.name)))) }
        effects.append(.release(item))
    }

    mutating func replace(
        _ number: Int64, with replacement: OutboxReplacement, _ revision: Int64, _ effects: inout [OutboxEffect]
    ) {
        guard let old = items[number] else { return }
        if let layer = old.layer { effects.append(.hide(layer, isReplaced: true)) }
        effects.append(.release(old))
        var item = old
        (item.mutation, item.layer, item.digest) = (replacement.mutation, replacement.layer, replacement.digest)
        (item.record.revision, item.record.mutation, item.error) = (revision, replacement.encoded, nil)
        item.record.mutation.data = Data()
        items[number] = item
        effects += [.emit(OutboxEvent(.discarded, of: old)), .emit(OutboxEvent(.enqueued, of: item))]
        adopt(replacement.options, number)
        ready.insert(number)
        resolveIfAssigned(number, &effects)
    }

    mutating func apply(
        _ change: OutboxDecision.Change, to number: Int64, _ receipt: MutationReceipt, _ now: Date,
        _ effects: inout [OutboxEffect]
    ) {
        guard let item = items[number] else { return }
        effects.append(.release(item))
        let name = item.record.mutation.name
        // A record that could not be read is read again, and until then keeps its revision.
        if item.mutation != nil { items[number]?.record.revision = receipt.revision }
        if let progress = change.progress(after: item.record.progress) { items[number]?.record.progress = progress }
        switch change {
        case .start where isClosed:
            // Counts as an attempt that was interrupted.
            items[number]?.stage = .waiting
            activeCount -= 1
        case .start:
            items[number]?.stage = .running
            effects.append(.run(number))
        case .end: remove(number, failing: OutboxError.noAnswer(name:), &effects)
        case .discard:
            if let layer = item.layer { effects.append(.refetch(layer)) }
            remove(number, isDiscarded: true, failing: { _ in CancellationError() }, &effects)
        case .wait(let date):
            later.insert(Later(at: date, number: number))
        case .takeBack: break
        case .retry where item.mutation == nil:
            // The program may now have what is needed to read it, such as a key.
            (isOutdated, revision) = (true, min(revision, receipt.revision - 1))
        case .retry(let date):
            items[number]?.error = nil
            items[number]?.failureReason = nil
            items[number]?.decidedAt = date
            if item.layer == nil, let mutation = item.mutation { effects.append(.show(number, mutation)) }
            ready.insert(number)
        case .replace(let replacement, let date):
            items[number]?.decidedAt = max(date, item.decidedAt)
            replace(number, with: replacement, receipt.revision, &effects)
        case .setAside(let reason):
            if let layer = item.layer { effects.append(.hide(layer)) }
            items[number]?.layer = nil
            let error = item.error ?? OutboxError.afterSetAside(name: name)
            for outcome in item.outcomes { effects.append(.end(outcome, .failure(error))) }
            items[number]?.outcomes = []
            effects.append(.emit(OutboxEvent(.setAside(reason), of: item, error: error)))
            considerFollowers(of: item)
        }
    }

    mutating func refuse(
        _ batch: OutboxBatch, _ error: any Error, _ now: Date, _ effects: inout [OutboxEffect]
    ) {
        guard batch.epoch == epoch else {
            // Nothing that was decided before a sign-out is stored after it, but the sign-out itself.
            let error = error is MutationStoreError ? CancellationError() : error
            for decision in batch.decisions { decision.end(with: error, &effects) }
            // They come before what was enqueued since.
            decisions.insert(contentsOf: batch.clears.map { .clear($0.session, nil) }, at: 0)
            return finish(batch, &effects)
        }
        giveBack(batch)
        finish(OutboxBatch(epoch: epoch, session: session, outdated: batch.outdated, dropped: batch.dropped), &effects)
        let again = batch.decisions
        // A store that gives a reason for its refusal works again.
        if error is MutationStoreError { (storeAgainAt, storeFailures) = (.distantPast, 0) }
        switch error as? MutationStoreError {
        case .outdated:
            // A record that another client has removed is missing from all later changes, so all are read.
            (isOutdated, revision) = (true, -1)
            decisions = again + decisions
        case .leaseLost:
            isOutdated = true
            lease = MutationLease(holder: "", end: .distantPast)
            decisions = again + decisions
        case nil:
            guard again.count <= 1 else {
                alone = again.count
                decisions = again + decisions
                return
            }
            pauseStore(after: error, at: now)
            for decision in again where !decision.canWait {
                decision.end(with: error, &effects)
                if case .clear(let session, _) = decision { decisions.append(.clear(session, nil)) }
            }
            finish(OutboxBatch(epoch: epoch, session: session, insertions: batch.insertions), &effects)
            decisions = again.filter(\.canWait) + decisions
            if !batch.clears.isEmpty { giveUp({ $0.insertion != nil }, because: error, &effects) }
        }
    }

    mutating func note(_ problem: String) {
        guard problems.last != problem else { return }
        problems.append(problem)
        if problems.count > 100 { problems.removeFirst() }
    }

    mutating func pauseStore(after error: any Error, at now: Date) {
        note("\(error)")
        storeFailures += 1
        storeAgainAt = now + Double(min(60, 1 << min(storeFailures, 6)))
    }
}
