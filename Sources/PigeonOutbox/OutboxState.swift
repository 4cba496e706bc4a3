internal import Foundation
internal import PigeonCore

/// The state machine of an outbox. It decides which mutations are executed, and in which order. It is pure: it reads no
/// clock, calls no user code, and only appends effects for its owner to perform.
///
/// A decision is stored before it takes effect. ``nextStep(at:into:)`` returns the owner's next operation on the store,
/// and the owner reports the result as an input.
struct OutboxState {
    struct Item {
        /// The record, without the encoded properties of a mutation that was decoded.
        var record: MutationRecord
        /// `nil` if the record cannot be read.
        var mutation: (any DurableMutation)?
        var stage = ItemStage.waiting
        /// The edits that are shown. `nil` if none are.
        var layer: ShownEdits?
        var error: (any Error)?
        /// The reason of the error, as the mutation's type classified it. `nil` if it classified none.
        var failureReason: FailureReason?
        var outcomes: [SharedOneShot<Payload>] = []
        var submissions = OutboxSubmissions()
        /// The conditions of the mutation. Its scope has the server's identifiers in place of temporary ones.
        var options: OutboxItemOptions
        /// True while the mutation is decoded again, with the server's identifiers.
        var isResolving = false
        /// True while the program lacks something that the mutation needs.
        var isUnready = false
        /// True if the program got what the mutation needs after the last attempt began, which may not have found it.
        var becameReady = false
        /// The wait before the next attempt that the mutation's policy asks for, in seconds.
        var wait: TimeInterval = 0
        /// True if the policy of the mutation set the wait, and not the server.
        var mayHurry = false
        /// True if the next attempt no longer waits, because there is a reason to try now.
        var isHurried = false
        /// The time from which the age counts: that of the enqueueing, as this process's clock sees it.
        var since = Date.distantPast
        /// The time at which the program decided to try again, during this run.
        var decidedAt = Date.distantPast
        /// Hash of the encoded properties, by which a change by another client is noticed.
        var digest = 0

        /// False if the mutation can be executed without a network.
        var needsNetwork: Bool {
            switch options.networkMode {
            case .online: true
            case .offlineFirst: record.progress.attempts > 0
            case .always: false
            }
        }

        var scope: String? { options.scope }

        /// True if the mutation was refused, or cannot be read.
        var isSetAside: Bool { record.progress.setAside != nil || mutation == nil }

        var isOver: Bool { stage == .ending || stage == .leaving }

        /// Adopts the version of the mutation that another client has stored.
        mutating func adopt(_ other: Item, _ effects: inout [OutboxEffect]) {
            (record, mutation, error, digest) = (other.record, other.mutation, other.error, other.digest)
            wait = other.wait
            guard other.layer?.id != layer?.id else { return }
            if let layer { effects.append(.hide(layer, isReplaced: other.layer != nil)) }
            layer = other.layer
        }
    }

    enum ItemStage {
        case waiting
        /// The beginning of an attempt is being stored.
        case starting
        case running
        /// The mutation was sent or discarded; its record still has to be deleted.
        case ending
        /// The removal of the record is being stored.
        case leaving
    }

    let holder: String
    /// Maximum number of concurrent attempts.
    let width: Int
    /// The time after which another client may take over, unless this one renews its lease.
    let leaseTime: TimeInterval

    var items: [Int64: Item] = [:]
    /// The mutations of each scope, in order.
    var scopes: [String: [Int64]] = [:]
    /// The newest decision to insert a mutation into each scope.
    var insertions: [String: OutboxInsertion] = [:]
    /// Mutations that may start next. Each is checked again before it starts.
    var ready = _Heap<Int64>()
    /// Mutations that wait for a time.
    var later = _Heap<Later>()
    /// The number of attempts that start or run.
    var activeCount = 0
    var decisions: [OutboxDecision] = []
    /// True while the owner carries out steps.
    var isWriting = false

    /// The identifiers that the server has assigned.
    var assigned: [UUID: Data] = [:]
    /// The temporary identifiers that the server will not replace, because their creations are gone.
    var abandoned: Set<UUID> = []
    /// The mutations that have each temporary identifier, in order.
    var mentions: [UUID: [Int64]] = [:]

    var isOnline: Bool
    /// True once no more attempts begin.
    var isClosed = false
    /// True once the client no longer executes mutations, even if an attempt ignores its cancellation.
    var hasLeft = false
    var isUnauthorized = false
    var session: String?
    /// Increases when all mutations are dropped from memory, so that later results are ignored.
    var epoch = 0

    var revision: Int64 = -1
    /// True if other clients may have changed the store.
    var isOutdated = false
    /// The callers of sign-outs whose mutations are removed, but whose bytes the store may not have erased yet. `nil` if
    /// nothing has to be erased.
    var erasing: [SharedOneShot<Payload>]?
    var lease: MutationLease
    /// The time at which this client tries to take the lease from another one.
    var leaseAgainAt = Date.distantPast
    /// The time before which only insertions are stored, because the store failed.
    var storeAgainAt = Date.distantPast
    var storeFailures = 0
    /// The number of decisions that are stored one at a time, to find the one that the store refuses.
    var alone = 0
    var alarm = Date.distantFuture
    var problems: [String] = []
    /// Increases with each input that may change what is shown.
    var version = 0
    /// Completed once no more mutations can be executed at the moment.
    var drains: [SharedOneShot<Payload>] = []
    /// The mutations whose callers wait for the first attempt. See ``OutboxSubmissions``.
    var submitted: Set<Int64> = []

    init(holder: String, width: Int, leaseTime: TimeInterval, isOnline: Bool, session: String?) {
        (self.holder, self.width, self.leaseTime) = (holder, max(1, width), leaseTime)
        (self.isOnline, self.session) = (isOnline, session)
        lease = MutationLease(holder: "", end: .distantPast)
    }

    /// A mutation that waits for a time.
    struct Later: Comparable {
        let at: Date
        let number: Int64
        static func < (one: Later, other: Later) -> Bool { (one.at, one.number) < (other.at, other.number) }
    }

    var ownsLease: Bool { lease.holder == holder }

    // MARK: Inputs

    /// - Returns: True if the caller must start to carry out steps, because no task does.
    mutating func receive(_ input: OutboxInput, at now: Date, into effects: inout [OutboxEffect]) -> Bool {
        switch input {
        case .online(let isOnline):
            guard self.isOnline != isOnline else { return false }
            self.isOnline = isOnline
            if isOnline { hurry() }
        case .close: isClosed = true
        case .leave: hasLeft = true
        case .timePassed: alarm = .distantFuture
        case .hurry: hurry()
        case .storeChanged:
            // Another client may have ended its lease.
            (isOutdated, leaseAgainAt) = (true, now)
        case .authorized:
            isUnauthorized = false
            hurry()
        case .ready(let isConcerned):
            for (number, item) in items.sorted(by: { $0.key < $1.key }) {
                guard let mutation = item.mutation, !item.isOver, isConcerned(mutation) else { continue }
                items[number]?.isUnready = false
                items[number]?.becameReady = true
                if !item.isSetAside { effects.append(.show(number, mutation)) }
                ready.insert(number)
            }
        case .insert(let insertion):
            decisions.append(.insert(insertion))
            if let scope = insertion.scope { insertions[scope] = insertion }
        case .succeeded(let number, let revision, let output, let assigned):
            succeed(number, revision, output, assigned, &effects)
        case .resolved(let number, let mutation, let layer, let options):
            resolve(number, mutation, layer, options, &effects)
        case .unresolved(let number, let error): failToResolve(number, error, &effects)
        case .failed(let number, let epoch, let outcome): fail(number, outcome, epoch: epoch, at: now, &effects)
        case .change(let number, let change, let revision, let stored):
            if items[number]?.stage == .waiting {
                decisions.append(.change(number, change, basedOn: revision, stored))
            } else {
                effects.append(.end(stored, .failure(OutboxError.notWaiting(number))))
            }
        case .leased(let lease):
            self.lease = lease
            let isFree = ownsLease || lease.holder.isEmpty
            leaseAgainAt = isFree ? now : now + min(max(lease.end.timeIntervalSince(now), 0.05), leaseTime)
        case .unreadable(let error):
            isOutdated = true
            pauseStore(after: error, at: now)
            // Decisions that are refused as outdated would be refused again at once.
            giveUp(\.mayBeOutdated, because: error, &effects)
        case .loaded(let changes, let items, let epoch): load(changes, items, epoch, &effects)
        case .unchanged: break
        case .erased(let error):
            for stored in erasing ?? [] {
                effects.append(.end(stored, error.map { .failure($0) } ?? .success(.nothing)))
            }
            erasing = error == nil ? nil : []
            if let error { pauseStore(after: error, at: now) }
        case .stored(let batch, let receipt): store(batch, receipt, now, &effects)
        case .refused(let batch, let error): refuse(batch, error, now, &effects)
        case .drain(let drained):
            drains.append(drained)
            hurry()
            for (number, item) in items where item.isUnready {
                items[number]?.isUnready = false
                ready.insert(number)
            }
        case .clear(let stored):
            forgetAll(&effects)
            decisions.append(.clear(session, stored))
            revision = -1
        case .session(let session, let discardsCurrent):
            forgetAll(&effects)
            if discardsCurrent { decisions.append(.clear(self.session, nil)) }
            (self.session, isUnauthorized, revision, isOutdated) = (session, false, -1, true)
        }
        if input.mayShow {
            version += 1
            effects.append(.announce)
        }
        defer { isWriting = true }
        return !isWriting
    }

    mutating func succeed(
        _ number: Int64, _ revision: Int64, _ output: Payload, _ assigned: [AssignedID],
        _ effects: inout [OutboxEffect]
    ) {
        guard let item = items[number], item.stage == .running else { return }
        activeCount -= 1
        items[number]?.stage = .ending
        // Another client may have changed the mutation during the attempt. Its new edits stay.
        if item.record.revision == revision { items[number]?.layer = nil }
        items[number]?.outcomes = []
        for outcome in item.outcomes { effects.append(.end(outcome, .success(output))) }
        decisions.append(.change(number, .end(assigned), basedOn: revision, nil))
        add(assigned, &effects)
    }

    /// Removes a mutation that was refused, if all callers that have a part in it are waiting for its result.
    ///
    /// - Returns: False if the mutation must be kept.
    mutating func withdraw(
        _ number: Int64, _ error: any Error, basedOn revision: Int64, _ effects: inout [OutboxEffect]
    ) -> Bool {
        guard let item = items[number], item.submissions.areAll else { return false }
        if let layer = item.layer { effects.append(.hide(layer)) }
        for outcome in item.outcomes { effects.append(.end(outcome, .failure(error))) }
        effects.append(.emit(OutboxEvent(.mutationFailed(TransientError.label(error)), of: item, error: error)))
        var withdrawn = item
        (withdrawn.stage, withdrawn.layer, withdrawn.outcomes, withdrawn.isResolving) = (.ending, nil, [], false)
        items[number] = withdrawn
        decisions.append(.change(number, .end([]), basedOn: revision, nil))
        return true
    }

    /// Has the mutations that mention these identifiers decoded again before they start. Those whose identifiers were
    /// abandoned are considered, to be set aside.
    mutating func add(_ assigned: [AssignedID], _ effects: inout [OutboxEffect]) {
        var new: [AssignedID] = []
        for id in assigned {
            guard let token = id.token else { continue }
            if id.isAbandoned {
                if abandoned.insert(token).inserted { new.append(id) }
                for number in mentions[token] ?? [] { ready.insert(number) }
            } else if self.assigned.updateValue(id.data, forKey: token) == nil {
                new.append(id)
                for number in mentions[token] ?? [] { resolveIfAssigned(number, &effects) }
            }
        }
        // After the edits with the server's identifiers.
        if !new.isEmpty { effects.append(.assigned(new)) }
    }

    /// Lets a mutation that waits be decoded again, if the server has assigned an identifier that it mentions.
    mutating func resolveIfAssigned(_ number: Int64, _ effects: inout [OutboxEffect]) {
        guard let item = items[number], item.stage == .waiting, !item.isResolving, let mutation = item.mutation,
            item.options.tokens.contains(where: { assigned[$0] != nil })
        else { return }
        items[number]?.isResolving = true
        effects.append(.resolve(number, mutation))
    }

    /// Sets aside a mutation that cannot be decoded with the server's identifiers, as a restart would do.
    mutating func failToResolve(_ number: Int64, _ error: any Error, _ effects: inout [OutboxEffect]) {
        guard let old = items[number], old.isResolving else { return }
        if withdraw(number, error, basedOn: old.record.revision, &effects) { return }
        if let layer = old.layer { effects.append(.hide(layer)) }
        for outcome in old.outcomes { effects.append(.end(outcome, .failure(error))) }
        effects.append(.release(old))
        effects.append(.emit(OutboxEvent(.setAside("\(error)"), of: old, error: error)))
        var item = old
        (item.mutation, item.layer, item.error, item.outcomes, item.isResolving) = (nil, nil, error, [], false)
        (item.failureReason, items[number]) = (nil, item)
        considerFollowers(of: item)
    }

    mutating func resolve(
        _ number: Int64, _ mutation: any DurableMutation, _ layer: ShownEdits, _ options: OutboxItemOptions,
        _ effects: inout [OutboxEffect]
    ) {
        guard let old = items[number], old.stage == .waiting else { return effects.append(.hide(layer)) }
        var item = old
        (item.mutation, item.isResolving) = (mutation, false)
        if let layer = old.layer { effects.append(.hide(layer, isReplaced: !old.isSetAside)) }
        if old.isSetAside { effects.append(.hide(layer)) } else { item.layer = layer }
        effects.append(.release(old))
        items[number] = item
        adopt(options, number)
        ready.insert(number)
    }

    /// Replaces the options of an item, which may move it to another scope.
    mutating func adopt(_ options: OutboxItemOptions, _ number: Int64) {
        guard let old = items[number]?.options else { return }
        items[number]?.options = options
        forgetMentions(by: number, old)
        noteMentions(by: number, options)
        guard old.scope != options.scope else { return }
        if let scope = old.scope { leave(scope, number) }
        if let scope = options.scope { enter(scope, number) }
    }

    /// Other clients insert too, so the newest number is not always the last to become known.
    mutating func enter(_ scope: String, _ number: Int64) {
        let place = scopes[scope]?.lastIndex { $0 < number }.map { $0 + 1 } ?? 0
        scopes[scope, default: []].insert(number, at: place)
    }

    mutating func leave(_ scope: String, _ number: Int64) {
        scopes[scope]?.removeAll { $0 == number }
        if scopes[scope]?.isEmpty == true { scopes[scope] = nil }
        consider(scope)
    }

    mutating func fail(
        _ number: Int64, _ outcome: OutboxOutcome, epoch: Int, at now: Date, _ effects: inout [OutboxEffect]
    ) {
        guard epoch == self.epoch, var item = items[number], item.stage == .running else {
            if case .replace(let replacement) = outcome.next { effects.append(.hide(replacement.layer)) }
            return
        }
        activeCount -= 1
        effects.append(.release(item))
        item.stage = .waiting
        (item.error, item.failureReason) = (outcome.error, outcome.reason)
        items[number] = item
        resolveIfAssigned(number, &effects)
        func conclude(_ change: OutboxDecision.Change) {
            decisions.append(.change(number, change, basedOn: outcome.revision, nil))
        }
        switch outcome.next {
        case .again(let wait, let isServers):
            items[number]?.wait = wait
            items[number]?.mayHurry = !isServers
            items[number]?.isHurried = false
            conclude(.wait(until: now + wait))
        case .setAside(let reason):
            guard !withdraw(number, outcome.error, basedOn: outcome.revision, &effects) else { break }
            conclude(.setAside(reason))
        case .replace(let replacement): conclude(.replace(replacement))
        case .discard:
            let layer = items[number]?.layer
            guard withdraw(number, outcome.error, basedOn: outcome.revision, &effects) else {
                return conclude(.discard)
            }
            if let layer { effects.append(.refetch(layer)) }
        case .unauthorized:
            isUnauthorized = true
            conclude(.takeBack)
        case .unready:
            items[number]?.isUnready = !item.becameReady
            ready.insert(number)
            conclude(.takeBack)
        }
    }

    /// Removes everything from memory, except sign-outs that are not stored yet. A batch that is being stored no longer
    /// has an effect here.
    mutating func forgetAll(_ effects: inout [OutboxEffect]) {
        epoch += 1
        for item in items.values {
            if let layer = item.layer { effects += [.stop(layer), .hide(layer)] }
            for outcome in item.outcomes { effects.append(.end(outcome, .failure(CancellationError()))) }
            effects.append(.release(item))
        }
        let clears = decisions.filter(\.isClearing)
        decisions.removeAll(where: \.isClearing)
        for decision in decisions { decision.end(with: CancellationError(), &effects) }
        effects.append(.release(decisions))
        (items, scopes, insertions, decisions) = ([:], [:], [:], clears)
        (assigned, abandoned, mentions) = ([:], [], [:])
        (ready, later, activeCount, alone, submitted) = (_Heap(), _Heap(), 0, 0, [])
    }
}
