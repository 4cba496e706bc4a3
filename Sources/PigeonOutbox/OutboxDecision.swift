internal import Foundation
internal import PigeonCore

/// A decision of an outbox that is not stored yet.
enum OutboxDecision {
    case insert(OutboxInsertion)
    /// Changes an item, unless its record no longer has the revision on which the decision was based. Any will do if that
    /// is `nil`. The outcome, if a caller waits for it, ends once the change is stored.
    case change(Int64, Change, basedOn: Int64?, SharedOneShot<Payload>?)
    /// Removes all mutations of a session.
    case clear(String?, SharedOneShot<Payload>?)

    enum Change {
        /// An attempt begins.
        case start
        /// The mutation is over. It was executed, and the server has assigned identifiers, or it was refused while its caller
        /// waited, and is not kept.
        case end([AssignedID])
        /// The mutation is not sent.
        case discard
        /// The next attempt begins at a time.
        case wait(until: Date)
        /// The last attempt does not count.
        case takeBack
        case setAside(String)
        /// The mutation is attempted again, as if for the first time. The program has decided so at a time, from which its
        /// age counts.
        case retry(at: Date)
        /// Another mutation takes its place. The time is that of the program's decision, if it was one.
        case replace(OutboxReplacement, at: Date = .distantPast)

        /// Returns the progress of an item after the change. `nil` if the record is removed.
        func progress(after progress: MutationProgress) -> MutationProgress? {
            let attempts = progress.attempts
            return switch self {
            case .start: MutationProgress(attempts: attempts + 1)
            case .end, .discard: nil
            case .wait(let date): MutationProgress(attempts: attempts, notBefore: date)
            case .takeBack:
                attempts > 1 ? MutationProgress(attempts: attempts - 1) : .anew
            case .setAside(let reason): MutationProgress(attempts: attempts, setAside: reason)
            case .retry(let date), .replace(_, let date):
                progress.isUntouched && progress.setAside == nil
                    ? MutationProgress() : MutationProgress(notBefore: date)
            }
        }
    }

    /// Ends when the decision is stored. `nil` if no caller waits for that.
    private var stored: SharedOneShot<Payload>? {
        switch self {
        case .insert(let insertion): insertion.stored
        case .change(_, _, _, let stored), .clear(_, let stored): stored
        }
    }

    /// False if a caller waits, which is notified if the store fails.
    var canWait: Bool { stored == nil }

    /// True if a caller waits for a change of a mutation, which other clients may have changed too.
    var mayBeOutdated: Bool {
        if case .change(_, _, _, _?) = self { true } else { false }
    }

    var insertion: OutboxInsertion? {
        if case .insert(let insertion) = self { insertion } else { nil }
    }

    var isClearing: Bool {
        if case .clear = self { true } else { false }
    }

    /// Resumes the caller who waits for the decision.
    func end(with error: any Error, _ effects: inout [OutboxEffect]) {
        if let stored {
            effects.append(.end(stored, .failure(error)))
        } else if case .change(_, .replace(let replacement, _), _, _) = self {
            effects.append(.hide(replacement.layer))
        }
    }
}

/// A mutation that was enqueued and is not stored yet.
final class OutboxInsertion: @unchecked Sendable {  // `number` is set before `stored` ends, and read after that
    let scope: String?
    /// The record to add, and its mutation. `nil` if the mutation is not needed, because it cancels an earlier one.
    let added: (record: MutationRecord, replacement: OutboxReplacement)?
    /// The time from which the age of the mutation counts, of the outbox's clock.
    let since: Date
    let name: String
    /// The mutations that are no longer needed.
    let removed: [Int64]
    /// The mutation whose place the new one takes.
    let replaced: Int64?
    /// The revisions of the mutations with which the new one was merged.
    let revisions: [Int64: Int64]
    /// Ends when the mutation is stored.
    let stored = SharedOneShot<Payload>()
    let outcome = SharedOneShot<Payload>()
    /// The result that the caller of ``PigeonCore/QueryClient/submit(_:)`` waits for. `nil` if the mutation was enqueued otherwise.
    let submission: SharedOneShot<Payload>?
    /// The number of the stored record.
    var number: Int64?

    init(
        scope: String?, added: (record: MutationRecord, replacement: OutboxReplacement)?, since: Date, name: String,
        removed: [Int64], replaced: Int64?, revisions: [Int64: Int64], submission: SharedOneShot<Payload>?
    ) {
        (self.scope, self.added, self.since, self.name) = (scope, added, since, name)
        (self.removed, self.replaced, self.revisions, self.submission) = (removed, replaced, revisions, submission)
    }

    /// The results that are set when the mutation ends.
    var outcomes: [SharedOneShot<Payload>] { [outcome] + (submission.map { [$0] } ?? []) }

    /// The mutations with which the new one was merged.
    var merged: [Int64] { removed + (replaced.map { [$0] } ?? []) }
}

/// A mutation that takes the place of another, with its edits, which are shown already.
struct OutboxReplacement {
    let mutation: any DurableMutation
    let encoded: EncodedMutation
    let layer: ShownEdits
    let options: OutboxItemOptions
    var digest: Int { encoded.digest }
}

/// The properties of a mutation that decide when it is sent. They are user code, so they are read outside the lock.
struct OutboxItemOptions {
    var scope: String?
    var afterSetAside = AfterSetAside.proceed
    var maximumAge: Duration?
    var networkMode = NetworkMode.online
    /// The temporary identifiers in the mutation.
    var tokens: Set<UUID> = []

    init(scope: String?, tokens: Set<UUID> = []) { (self.scope, self.tokens) = (scope, tokens) }

    init(_ mutation: any DurableMutation, tokens: Set<UUID>) {
        scope = mutation.scope
        afterSetAside = mutation.afterSetAside
        maximumAge = mutation.maximumAge
        networkMode = mutation.networkMode
        self.tokens = tokens
    }
}

/// The callers of ``PigeonCore/QueryClient/submit(_:)`` who wait for the first attempt at a mutation. They are also notified of
/// its end.
struct OutboxSubmissions {
    var waiting: [SharedOneShot<Payload>] = []
    /// True if all callers who have a part in the mutation are waiting. If it is refused, they are notified, and it is not
    /// kept.
    var areAll = false
}

/// The state of a scope when a new mutation is merged.
struct OutboxScope {
    let name: String
    /// A mutation that is being stored.
    let pending: OutboxInsertion?
    /// The number of the newest mutation.
    let last: Int64?
}

/// Changes of items that are stored together.
struct OutboxBatch {
    let epoch: Int
    let session: String?
    var changes: [MutationBatch.Change] = []
    var lease: MutationLease?
    var insertions: [OutboxInsertion] = []
    var updates: [(number: Int64, change: OutboxDecision.Change, basedOn: Int64?, stored: SharedOneShot<Payload>?)] = []
    var clears: [(session: String?, stored: SharedOneShot<Payload>?)] = []
    /// Temporary identifiers whose creations are gone.
    var abandoned: [AssignedID] = []
    /// Items that the batch changes. One batch changes an item once.
    var numbers: Set<Int64> = []
    /// Mutations that must be merged again.
    var outdated: [OutboxInsertion] = []
    /// Decisions about items that are gone, or that have changed since, with the error for the caller.
    var dropped: [(decision: OutboxDecision, error: any Error)] = []

    var isEmpty: Bool { changes.isEmpty && outdated.isEmpty && dropped.isEmpty && insertions.isEmpty }

    /// True if the changes must be on disk before any caller is notified.
    var isDurable: Bool { !insertions.isEmpty || !clears.isEmpty }

    /// True if the batch removes mutations that were executed, whose results must be in the caches first.
    var confirms: Bool {
        updates.contains { if case .end = $0.change { true } else { false } }
    }

    func concerns(_ decision: OutboxDecision) -> Bool {
        switch decision {
        case .insert(let insertion): insertion.merged.contains(where: numbers.contains)
        case .change(let number, _, _, _): numbers.contains(number)
        case .clear: false
        }
    }

    mutating func add(
        _ change: OutboxDecision.Change, _ number: Int64, _ item: OutboxState.Item, basedOn: Int64? = nil,
        stored: SharedOneShot<Payload>? = nil
    ) {
        numbers.insert(number)
        updates.append((number, change, basedOn, stored))
        guard let progress = change.progress(after: item.record.progress) else {
            if case .end(let assigned) = change { changes += assigned.map { .assign($0, session: session) } }
            return changes.append(.remove(number, revision: item.record.revision))
        }
        var mutation: EncodedMutation?
        if case .replace(let replacement, _) = change { mutation = replacement.encoded }
        changes.append(.update(number, revision: item.record.revision, progress, mutation: mutation))
    }

    /// The decisions of the batch, to be stored again.
    var decisions: [OutboxDecision] {
        // A sign-out comes before what is enqueued after it.
        clears.map { .clear($0.session, $0.stored) } + insertions.map { .insert($0) }
            + updates.compactMap { number, change, basedOn, stored in
                if case .start = change { nil } else { .change(number, change, basedOn: basedOn, stored) }
            }
    }
}

/// The error of an attempt, and its consequence.
struct OutboxOutcome {
    let error: any Error
    /// The reason of the error, as the mutation's type classified it. `nil` if it classified none.
    let reason: FailureReason?
    let next: Next
    /// The revision of the record when the attempt began.
    let revision: Int64

    enum Next {
        /// In so many seconds. Sooner if there is a reason to try, unless the server has named the time.
        case again(after: TimeInterval, asServerSays: Bool)
        case setAside(String)
        case replace(OutboxReplacement)
        case discard
        case unauthorized
        /// The program lacks something that the mutation needs, and reports when it has it.
        case unready
    }
}

enum OutboxInput {
    case online(Bool)
    /// The client ends its work.
    case close
    /// The client leaves its mutations to others, also those whose attempts have not ended.
    case leave
    case timePassed
    /// There is a reason to try again what waits for its next attempt: the program has come to the foreground.
    case hurry
    /// Another client may have changed the store.
    case storeChanged
    /// The program has new credentials.
    case authorized
    /// The program has something that some mutations lacked, or another one than before.
    case ready(@Sendable (any DurableMutation) -> Bool)
    case insert(OutboxInsertion)
    case succeeded(Int64, revision: Int64, Payload, [AssignedID])
    /// A mutation was decoded again, with the server's identifiers.
    case resolved(Int64, any DurableMutation, ShownEdits, OutboxItemOptions)
    /// A mutation cannot be decoded with the server's identifiers.
    case unresolved(Int64, any Error)
    case failed(Int64, epoch: Int, OutboxOutcome)
    /// The program has decided to change a mutation that waits or is set aside.
    case change(Int64, OutboxDecision.Change, basedOn: Int64?, SharedOneShot<Payload>)
    case drain(SharedOneShot<Payload>)
    case clear(SharedOneShot<Payload>)
    case session(String?, discardingCurrent: Bool)
    case loaded(MutationChanges, [OutboxState.Item], epoch: Int)
    /// No other client has changed the store.
    case unchanged
    case leased(MutationLease)
    /// The store could not be read, or its lease not be taken.
    case unreadable(any Error)
    /// The store has overwritten what was removed, or could not.
    case erased((any Error)?)
    case stored(OutboxBatch, MutationReceipt)
    case refused(OutboxBatch, any Error)
}

extension OutboxInput {
    /// True if the input may change what the outbox shows.
    var mayShow: Bool {
        switch self {
        case .timePassed, .storeChanged, .unchanged, .drain, .ready, .insert, .change: false
        default: true
        }
    }
}

/// An operation on the store, which the owner of the state machine carries out.
enum OutboxStep {
    case load(after: Int64, session: String?, epoch: Int)
    case takeLease(until: Date)
    case endLease
    case store(OutboxBatch)
    /// Overwrite what a sign-out has removed.
    case erase
}

struct OutboxEvent {
    let kind: QueryEvent.Kind
    let name: String
    /// The number of the mutation in the client. `nil` if its edits are not shown.
    let number: UInt64?
    var error: (any Error)?
    var reason: FailureReason?
    var cause = Cause.requested

    init(_ kind: QueryEvent.Kind, of item: OutboxState.Item, error: (any Error)? = nil, _ cause: Cause = .requested) {
        (self.kind, name, number) = (kind, item.record.mutation.name, item.layer?.id)
        (self.error, reason, self.cause) = (error, error == nil ? nil : item.failureReason, cause)
    }
}

/// An action that follows from an input, which the owner of the state machine carries out.
enum OutboxEffect {
    /// Begin an attempt.
    case run(Int64)
    /// Report ``OutboxInput/timePassed`` at a time, in place of the time before.
    case alarm(Date)
    /// Notify those who observe the outbox.
    case announce
    case end(SharedOneShot<Payload>, Result<Payload, any Error>)
    /// Release what holds values of the user, outside the lock.
    case release(Any)
    /// Cancel an attempt.
    case stop(ShownEdits)
    /// Show the edits of a mutation again.
    case show(Int64, any DurableMutation)
    /// Decode a mutation again, with the server's identifiers.
    case resolve(Int64, any DurableMutation)
    /// Roll back the edits of a mutation, or remove them because those of another form of it are shown instead.
    case hide(ShownEdits, isReplaced: Bool = false)
    /// Keep the edits of a mutation until the entries have been fetched again, because another client executed it.
    case confirm(ShownEdits)
    /// Fetch the edited entries again.
    case refetch(ShownEdits)
    /// Show the entries of identifiers that the server has assigned in place of those of temporary ones.
    case assigned([AssignedID])
    case emit(OutboxEvent)
}
