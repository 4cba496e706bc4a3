internal import Foundation
internal import PigeonCore

/// Carries out what the state machine decides about the store.
extension Outbox {
    /// Returns the next step. Called by the writer only. `nil` if there is nothing to do until the next input.
    func nextStep() -> OutboxStep? {
        guard reference.client != nil else { return nil }
        let now = clock.now
        var effects: [OutboxEffect] = []
        let step = state.withLock { $0.nextStep(at: now, into: &effects) }
        perform(effects)
        return step
    }

    /// Called by the writer only.
    func carryOut(_ step: OutboxStep) async {
        guard let setup, let client = reference.client else { return }
        switch step {
        case .load(let revision, let session, let epoch):
            load(after: revision, session: session, epoch: epoch, from: setup.store)
        case .takeLease(let end):
            do {
                let lease = clock.written(MutationLease(holder: holder, end: end))
                receive(.leased(clock.read(try setup.store.takeLease(lease, now: environment.wallClock()))))
            } catch { receive(.unreadable(error)) }
        case .endLease:
            try? setup.store.endLease(of: holder)
            receive(.leased(MutationLease(holder: "", end: .distantPast)))
        case .erase:
            do {
                try setup.store.eraseRemoved()
                receive(.erased(nil))
            } catch { receive(.erased(error)) }
        case .store(let batch):
            // A result must be in the caches before its mutation is forgotten. Otherwise, a crash would lose it.
            if batch.confirms { await client.writeAllRecords() }
            store(batch, in: setup.store)
        }
    }

    private func store(_ batch: OutboxBatch, in store: any MutationStore) {
        do {
            var receipt = MutationReceipt(numbers: [], revision: state.withLock { $0.revision })
            if !batch.changes.isEmpty {
                receipt = try store.apply(
                    MutationBatch(
                        batch.changes.map(clock.written), isDurable: batch.isDurable,
                        lease: batch.lease.map(clock.written)))
            }
            receive(.stored(batch, receipt))
        } catch {
            receive(.refused(batch, error))
        }
    }

    func load(after revision: Int64, session: String?, epoch: Int, from store: any MutationStore) {
        guard let client = reference.client else { return }
        do {
            guard let changes = try store.changes(after: revision, in: session) else { return receive(.unchanged) }
            let known = state.withLock { state in changes.records.map { state.items[$0.number] } }
            let ids = TemporaryIDs(identifiers(adding: changes.assigned))
            let decoder = JSONDecoder()
            var last = ""
            let items = zip(changes.records, known).map { record, known in
                var item = read(record, known, decoder, ids, in: client)
                // Thousands of records of one client have one text.
                if item.record.client == last { item.record.client = last } else { last = item.record.client }
                return item
            }
            receive(.loaded(changes, items, epoch: epoch))
        } catch {
            receive(.unreadable(error))
        }
    }

    /// Decodes a record, and shows its edits.
    private func read(
        _ record: MutationRecord, _ known: OutboxState.Item?, _ decoder: JSONDecoder, _ ids: TemporaryIDs,
        in client: QueryClient
    ) -> OutboxState.Item {
        var item = OutboxState.Item(
            record: record, options: OutboxItemOptions(scope: record.scope), since: clock.begin(of: record),
            digest: record.mutation.digest)
        item.record.progress = clock.read(record.progress)
        item.record.mutation.data = Data()
        if let known, known.digest == item.digest, let mutation = known.mutation {
            (item.mutation, item.layer, item.options) = (mutation, known.layer, known.options)
        } else {
            do {
                let mutation = try decode(record.mutation, with: decoder, resolving: ids)
                (item.mutation, item.options) = (mutation, OutboxItemOptions(mutation, tokens: ids.takeRemaining()))
            } catch {
                _ = ids.takeRemaining()
                item.error = error
                item.options = OutboxItemOptions(scope: record.scope, tokens: tokens(in: record.mutation))
            }
        }
        guard let mutation = item.mutation, !item.isSetAside else {
            item.layer = nil
            return item
        }
        if record.progress.notBefore != nil {
            let (retry, failures) = (mutation.retry, record.progress.attempts - 1)
            if failures >= 0, failures < retry.limit { item.wait = retry.delay(failures).inSeconds }
        }
        if item.layer == nil { item.layer = client.restoreEdits(of: mutation) }
        return item
    }
}

/// Writes the store of an outbox, outside the caller's actor. One batch at a time.
///
/// An actor and not a job queue, because a caller that enqueues a mutation carries out the steps in its own task: it waits
/// for no other thread to wake up. The actor also guards the step that such a caller leaves.
actor OutboxWriter {
    /// A step that a caller has left to others.
    private var left: OutboxStep?

    /// - Parameter enough: Once it has a result, a task carries out the remaining steps. A caller that waits for the disk in
    ///   any case waits for no other thread that way.
    func write(for outbox: Outbox, until enough: SharedOneShot<Payload>? = nil) async {
        while let step = left ?? outbox.nextStep() {
            left = nil
            if let enough, enough.result != nil {
                left = step
                return outbox.startWriting()
            }
            await outbox.carryOut(step)
        }
    }
}
