import Foundation
import PigeonCore
import PigeonOutbox

/// A store of mutations in memory that records the batches, and fails when a test says so.
final class MutationStoreDouble: MutationStore {
    struct Refusal: Error {}

    private struct State {
        var isFull = false
        var refusedText: String?
        var batchesLeft = Int.max
        var before: (@Sendable () throws -> Void)?
        var losesAnswer: Bool?
        var commits: [MutationBatch] = []
        var failedErasures = 0
        var erasures = 0
    }

    private let inner = InMemoryMutationStore()
    private let state = Locked(State())
    private let announces: Bool

    /// - Parameter announces: False for a store that tells no client of another's changes.
    init(announces: Bool = true) {
        self.announces = announces
    }

    /// The batches that were not refused.
    var commits: [MutationBatch] { state.withLock { $0.commits } }

    /// How often what was removed was erased.
    var erasures: Int { state.withLock { $0.erasures } }

    /// Fails to erase so many times.
    func failErasing(_ count: Int) { state.withLock { $0.failedErasures = count } }

    func fail(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    /// Fails batches that insert a mutation with a text in it.
    func refuse(_ text: String) { state.withLock { $0.refusedText = text } }

    /// Fails after so many batches, because a client that tries in vain for ever would hang the test.
    func fail(afterBatches count: Int) { state.withLock { $0.batchesLeft = count } }

    /// Fails the next batch.
    ///
    /// - Parameter applies: True if the batch is applied, and only the answer is lost. `nil` for no failure.
    func failNext(afterApplying applies: Bool?) { state.withLock { $0.losesAnswer = applies } }

    /// Does something before the next batch is stored.
    func beforeNext(_ action: @escaping @Sendable () throws -> Void) { state.withLock { $0.before = action } }

    func changes(after revision: Int64, in session: String?) throws -> MutationChanges? {
        try inner.changes(after: revision, in: session)
    }

    func apply(_ batch: MutationBatch) throws -> MutationReceipt {
        let (before, losesAnswer) = try state.withLock { state in
            state.batchesLeft -= 1
            let isRefused = batch.changes.contains { change in
                guard let text = state.refusedText, case .insert(let record) = change else { return false }
                return record.mutation.data.range(of: Data(text.utf8)) != nil
            }
            guard !state.isFull, !isRefused, state.batchesLeft > 0 else { throw Refusal() }
            state.commits.append(batch)
            defer { (state.before, state.losesAnswer) = (nil, nil) }
            return (state.before, state.losesAnswer)
        }
        try before?()
        if losesAnswer == false { throw Refusal() }
        let receipt = try inner.apply(batch)
        if losesAnswer == true { throw Refusal() }
        return receipt
    }

    func takeLease(_ lease: MutationLease, now: Date) throws -> MutationLease {
        try inner.takeLease(lease, now: now)
    }

    func eraseRemoved() throws {
        try state.withLock { state in
            guard state.failedErasures == 0 else {
                state.failedErasures -= 1
                throw Refusal()
            }
            state.erasures += 1
        }
    }

    func endLease(of holder: String) throws { try inner.endLease(of: holder) }

    func onChange(_ listener: @escaping @Sendable () -> Void) -> QuerySubscription? {
        announces ? inner.onChange(listener) : nil
    }
}
