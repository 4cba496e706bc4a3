internal import Foundation
public import PigeonCore

extension Outbox {
    func run(_ number: Int64, in client: QueryClient) {
        let (item, epoch) = state.withLock { ($0.items[number], $0.epoch) }
        guard let item, item.stage == .running, let mutation = item.mutation, let layer = item.layer else { return }
        _ = client.environment.launch { [self] in
            await attempt(mutation, item.record, layer, epoch: epoch, in: client)
        }
    }

    private func attempt<M: DurableMutation>(
        _ mutation: M, _ record: MutationRecord, _ layer: ShownEdits, epoch: Int, in client: QueryClient
    ) async {
        let context = MutationContext(
            id: layer.id, attempt: record.progress.attempts, client: client, key: IdempotencyKey(record.mutation.key),
            name: name(of: M.self), enqueuedAt: record.enqueuedAt, isRestored: record.client != holder)
        do {
            let output = try await client.attempt(mutation, context, while: { isCurrent(epoch) })
            guard isCurrent(epoch) else { return }
            let layer = state.withLock { $0.items[record.number]?.layer } ?? layer
            if layer.isRestored { client.applyEditsToRecords(of: mutation) }
            let assigned = mutation.assigns(output).filter { $0.token != nil }
            func succeed() throws {
                let (made, shown) = adopt(assigned, in: mutation, layer, client)
                try client.succeed(
                    MutationPlan(made, name: context.name), shown.id, output, shown.edited, number: context.id)
                receive(.succeeded(record.number, revision: record.revision, PayloadOf(output), assigned))
            }
            // The identifier changes in what was created and in all that waits for it, which observers see as one change.
            if assigned.isEmpty { try succeed() } else { try client.delivered(asOne: succeed) }
        } catch {
            guard isCurrent(epoch) else { return }
            let (next, reason) = await next(after: error, of: mutation, record, context)
            let outcome = OutboxOutcome(error: error, reason: reason, next: next, revision: record.revision)
            receive(.failed(record.number, epoch: epoch, outcome))
        }
    }

    /// False if the mutations of that time belong to another session, or were removed.
    private func isCurrent(_ epoch: Int) -> Bool { state.withLock { $0.epoch == epoch } }

    /// Replaces the edits with temporary identifiers by those with the server's identifiers.
    private func adopt<M: DurableMutation>(
        _ assigned: [AssignedID], in mutation: M, _ layer: ShownEdits, _ client: QueryClient
    ) -> (M, ShownEdits) {
        guard !assigned.isEmpty, let made = try? resolve(mutation, assigned).mutation else { return (mutation, layer) }
        let shown = client.showEdits(of: made)
        client.hideEdits(layer, isReplaced: true)
        return (made, shown)
    }

    /// Decides the reaction to an error. Calls user code.
    private func next<M: DurableMutation>(
        after error: any Error, of mutation: M, _ record: MutationRecord, _ context: MutationContext
    ) async -> (OutboxOutcome.Next, FailureReason?) {
        if error is MutationNotReady { return (.unready, nil) }
        // An attempt that a closing client has cancelled says nothing of the mutation.
        if context.client.isClosed, TransientError.isCancellation(error) {
            return (.again(after: 0, asServerSays: false), nil)
        }
        let failure = TransientError.isCancellation(error) ? .transient : mutation.classify(error)
        return (await next(after: error, classified: failure, of: mutation, record, context), FailureReason(failure))
    }

    private func next<M: DurableMutation>(
        after error: any Error, classified failure: MutationFailure, of mutation: M, _ record: MutationRecord,
        _ context: MutationContext
    ) async -> OutboxOutcome.Next {
        let client = context.client
        switch failure {
        case .unauthorized:
            client.emit(.mutationPaused, mutation: context.name, context.id, error: error, reason: .unauthorized)
            return .unauthorized
        case .refused: return .setAside(TransientError.label(error))
        case .transient: return again(after: error, of: mutation, record, context)
        case .conflict:
            do {
                switch try await mutation.resolve(MutationConflict(error: error, context: context)) {
                case .setAside: return .setAside(TransientError.label(error))
                case .discard: return .discard
                case .retry(let other): return .replace(try replacement(of: other, for: record, in: client))
                }
            } catch {
                // The server's version could not be fetched. The next attempt meets the conflict again.
                guard mutation.classify(error) == .transient else { return .setAside(TransientError.label(error)) }
                return again(after: error, of: mutation, record, context)
            }
        }
    }

    /// Decides when the next attempt begins, by the mutation's policy.
    private func again<M: DurableMutation>(
        after error: any Error, of mutation: M, _ record: MutationRecord, _ context: MutationContext
    ) -> OutboxOutcome.Next {
        let (failures, label) = (record.progress.attempts - 1, TransientError.label(error))
        guard failures < mutation.retry.limit else { return .setAside(label) }
        let wait = mutation.retry.delay(after: error, failures: failures, random: environment.random())
        context.client.emit(.retrying(in: wait, after: label), mutation: context.name, context.id, error: error)
        let isServers = (error as? any TransientErrorType)?.retryAfter != nil
        return .again(after: min(wait.inSeconds, 1e9), asServerSays: isServers)
    }

    func replacement<M: DurableMutation>(
        of mutation: M, for record: MutationRecord, in client: QueryClient
    ) throws -> OutboxReplacement {
        let key = record.progress.isUntouched ? record.mutation.key : client.makeKey()
        return replacement(by: try encode(mutation, key: key), in: client)
    }

    private func replacement<M: DurableMutation>(by new: Encoded<M>, in client: QueryClient) -> OutboxReplacement {
        OutboxReplacement(
            mutation: new.mutation, encoded: new.encoded, layer: client.showEdits(of: new.mutation),
            options: OutboxItemOptions(new.mutation, tokens: new.tokens))
    }
}

extension QueryClient {
    /// Records a mutation, which then reaches the server whatever happens to the process, the network or the screen. Shows
    /// its optimistic edits at once.
    ///
    /// ```swift
    /// try await client.enqueue(RenameNote(id: 7, title: "Milk"))
    /// ```
    ///
    /// Returns once the mutation is on disk. Calls at the same time share one write. Cancelling the caller's task has no
    /// effect. See ``Outbox``.
    ///
    /// - Returns: The recorded mutation, with which a caller can wait for the server's answer.
    /// - Throws: ``OutboxError`` if the client has no store, does not know the type of the mutation, or cannot encode or
    ///   write it. The mutation is then not sent.
    @discardableResult
    public func enqueue<M: DurableMutation>(_ mutation: M) async throws -> EnqueuedMutation<M.Output> {
        try await outbox.enqueue(mutation, submission: nil, in: self)
    }

    /// Records a mutation, attempts it at once if that is possible, and returns what became of it. Suits a Save button.
    ///
    /// ```swift
    /// switch try await client.submit(RenameNote(id: 7, title: "Milk")) {
    /// case .completed(let note): close(note)          // the server has it
    /// case .queued: show("Will be sent.")             // it is on disk, and is sent as soon as possible
    /// }                                               // refused: thrown, rolled back, and nothing is left behind
    /// ```
    ///
    /// Shows the optimistic edits at once. Waits for one attempt, and for those of earlier mutations of its scope while
    /// they run. If there is no network, the server cannot answer, the session has expired, an earlier mutation has to
    /// wait, or another process sends the mutations, the mutation is queued: from then on it is one that was enqueued.
    ///
    /// A mutation that the server refuses is removed, unless it was combined with an earlier one that was enqueued, which
    /// is kept. Cancelling the caller's task ends the wait only: the mutation is then one that was enqueued. See ``Outbox``.
    ///
    /// - Throws: The error with which the server refused the mutation, which ``/PigeonCore/QueryClient/onFailure(_:)`` reports too.
    ///   `CancellationError` if the caller was cancelled, or the mutation was discarded or cleared. ``OutboxError`` or an
    ///   error of the store if the mutation could not be recorded, or cannot be attempted because an earlier one has failed.
    public func submit<M: DurableMutation>(_ mutation: M) async throws -> Submission<M.Output> {
        let submission = SharedOneShot<Payload>()
        let enqueued = try await outbox.enqueue(mutation, submission: submission, in: self)
        do {
            let payload = try await submission.value()
            return (payload as? PayloadOf<M.Output>).map { .completed($0.value) } ?? .queued(enqueued)
        } catch OutboxError.noAnswer {
            // Another mutation has replaced it, or another process has executed it.
            return .queued(enqueued)
        } catch {
            if Task.isCancelled, let id = enqueued.id { outbox.state.withLock { $0.leaveSubmission(of: id) } }
            throw error
        }
    }
}

/// The outcome of a mutation that was passed to ``PigeonCore/QueryClient/submit(_:)``.
public enum Submission<Output: Sendable>: Sendable {
    /// The server has accepted the change. The output is what ``/PigeonCore/Mutating/run(_:)`` returned.
    case completed(Output)
    /// The change is on disk, and is sent as soon as possible. Its ``EnqueuedMutation/id`` is `nil` if it cancelled an
    /// earlier one, so that neither is sent.
    case queued(EnqueuedMutation<Output>)

    /// The output of ``completed(_:)``. `nil` for a change that is queued.
    public var output: Output? {
        if case .completed(let output) = self { output } else { nil }
    }
}

/// A mutation that an outbox has recorded.
public struct EnqueuedMutation<Output: Sendable>: Sendable {
    /// The number of the mutation in the outbox. `nil` if it cancelled an earlier one, so that neither is sent.
    public let id: OutboxItem.ID?
    let name: String
    let outcome: SharedOneShot<Payload>

    /// Waits for the server's answer. Cancelling the caller's task ends the wait, not the mutation.
    ///
    /// - Throws: The error for which the mutation was set aside. `CancellationError` if it was discarded or the client
    ///   was cleared. ``OutboxError/noAnswer(name:)`` if it was merged into another one, or sent or set aside by
    ///   another process.
    public func output() async throws -> Output {
        guard let payload = try await outcome.value() as? PayloadOf<Output> else {
            throw OutboxError.noAnswer(name: name)
        }
        return payload.value
    }
}

extension Outbox {
    fileprivate func enqueue<M: DurableMutation>(
        _ mutation: M, submission: SharedOneShot<Payload>?, in client: QueryClient
    ) async throws -> EnqueuedMutation<M.Output> {
        guard setup != nil else { throw OutboxError.noStore(name: M.name) }
        let own = try encode(mutation, key: client.makeKey())
        let mutation = own.mutation
        let epoch = state.withLock { $0.epoch }
        while true {
            let scope = mutation.scope.map { name in state.withLock { $0.scope(name) } }
            let merge = Merge(mutation, with: scope) { last in
                scope.flatMap { scope in state.withLock { $0.candidate(in: scope.name, before: last) } }
            }
            if let pending = merge.pending {
                _ = try? await pending.stored.value(onCancel: .isIgnored)
                continue
            }
            let insertion = try insertion(of: own, merge, submission, in: client)
            guard let mustWrite = add(insertion, to: scope, epoch: epoch) else {
                if let layer = insertion.added?.replacement.layer { client.hideEdits(layer) }
                // A sign-out in the meantime concerns the mutation too.
                guard state.withLock({ $0.epoch == epoch }) else { throw CancellationError() }
                continue
            }
            do {
                if mustWrite { await writer.write(for: self, until: insertion.stored) }
                try await insertion.stored.value(onCancel: .isIgnored)
                return EnqueuedMutation(id: insertion.number, name: own.encoded.name, outcome: insertion.outcome)
            } catch {
                if let layer = insertion.added?.replacement.layer { client.hideEdits(layer) }
                guard error as? MutationStoreError == .outdated else { throw error }
            }
        }
    }

    /// - Returns: True if the caller must start to carry out steps. `nil` if the insertion was not added, because the
    ///   scope has changed since the mutation was merged, or all mutations were dropped.
    private func add(_ insertion: OutboxInsertion, to scope: OutboxScope?, epoch: Int) -> Bool? {
        let now = clock.now
        var effects: [OutboxEffect] = []
        let mustWrite = state.withLock { state -> Bool? in
            guard state.epoch == epoch else { return nil }
            if let scope, !state.isCurrent(scope) { return nil }
            return state.receive(.insert(insertion), at: now, into: &effects)
        }
        perform(effects)
        return mustWrite
    }

    private func insertion<M: DurableMutation>(
        of own: Encoded<M>, _ merge: Merge, _ submission: SharedOneShot<Payload>?, in client: QueryClient
    ) throws -> OutboxInsertion {
        var merge = merge
        if merge.replaced == nil, case .own = merge.addition,
            let creation = merge.removed.first(where: { number in
                !state.withLock { $0.created(by: number) }.isDisjoint(with: own.tokens)
            })
        {
            // Keeps the place of the creation, before the mutations that wait for it.
            merge.replaced = creation
            merge.removed.removeAll { $0 == creation }
        }
        let added =
            switch merge.addition {
            case .own: addition(of: own, in: client)
            case .combined(let both): try addition(of: both, key: own.encoded.key, in: client)
            case .nothing: nil as (MutationRecord, OutboxReplacement)?
            }
        return OutboxInsertion(
            scope: own.mutation.scope, added: added, since: clock.now, name: own.encoded.name, removed: merge.removed,
            replaced: merge.replaced, revisions: merge.revisions, submission: submission)
    }

    private func addition<M: DurableMutation>(
        of mutation: M, key: String, in client: QueryClient
    ) throws -> (MutationRecord, OutboxReplacement) {
        addition(of: try encode(mutation, key: key), in: client)
    }

    private func addition<M: DurableMutation>(
        of new: Encoded<M>, in client: QueryClient
    ) -> (MutationRecord, OutboxReplacement) {
        let replacement = replacement(by: new, in: client)
        let record = MutationRecord(
            scope: replacement.options.scope, session: state.withLock { $0.session }, client: holder,
            enqueuedAt: environment.wallClock(), mutation: new.encoded)
        return (record, replacement)
    }

    /// The result of merging a new mutation with those that wait in its scope. Calls user code.
    private struct Merge {
        enum Addition {
            case own
            case combined(any DurableMutation)
            case nothing
        }

        var addition = Addition.own
        var removed: [Int64] = []
        var replaced: Int64?
        /// The revisions of the removed mutations.
        var revisions: [Int64: Int64] = [:]
        /// A mutation that is being stored, with which the new one merges once it is.
        var pending: OutboxInsertion?

        /// - Parameter candidate: Returns the newest mutation that waits, among those older than a number.
        init(
            _ mutation: any DurableMutation, with scope: OutboxScope?,
            candidate: (Int64?) -> (number: Int64, revision: Int64, mutation: any DurableMutation)?
        ) {
            guard let scope else { return }
            if let pending = scope.pending, let earlier = pending.added?.replacement.mutation {
                switch mutation.merging(earlier) {
                case .separate: return
                case .unrelated: break
                case .combined, .replacing, .cancelling:
                    self.pending = pending
                    return
                }
            }
            var last: Int64?
            while let (number, revision, earlier) = candidate(last) {
                last = number
                revisions[number] = revision
                switch mutation.merging(earlier) {
                case .separate: return
                case .unrelated: continue
                case .replacing: removed.append(number)
                case .combined(let both):
                    (addition, replaced) = (.combined(both), number)
                    return
                case .cancelling:
                    removed.append(number)
                    addition = .nothing
                    return
                }
            }
        }
    }
}
