public import Foundation
public import PigeonCore

/// Keeps durable mutations until the server has accepted them: in a file, as `SQLiteMutationStore` does, or in memory,
/// as ``InMemoryMutationStore`` does.
///
/// Several clients may use one store, in one process or in several. One of them at a time holds its lease, and sends
/// the mutations. Methods can be called from any thread. They may block for as long as a disk takes.
public protocol MutationStore: AnyObject, Sendable {
    /// Reads the records of a session that have changed.
    ///
    /// - Parameters:
    ///   - revision: The ``MutationChanges/revision`` of the last call. `-1` for all records.
    ///   - session: The session. `nil` for records without one.
    /// - Returns: `nil` if the store has the same revision.
    func changes(after revision: Int64, in session: String?) throws -> MutationChanges?

    /// Carries out changes in order, in one transaction: all or none.
    ///
    /// - Throws: ``MutationStoreError/outdated`` if a record to change is missing or has another revision than the change
    ///   names. ``MutationStoreError/leaseLost`` if the batch names a lease that another holder has taken. Any other error
    ///   means that the store could not write.
    func apply(_ batch: MutationBatch) throws -> MutationReceipt

    /// Overwrites everything that was removed before the call, so that no file has its bytes any more. The client calls it
    /// after a sign-out, and again after a while if it fails. The default does nothing, for a store without files.
    ///
    /// - Throws: If removed data may still be readable.
    func eraseRemoved() throws

    /// Takes or renews the lease, unless another holder has one that has not ended.
    ///
    /// - Parameters:
    ///   - lease: The lease to take.
    ///   - now: The current time.
    /// - Returns: The store's lease after the call: `lease`, or the one of another holder.
    func takeLease(_ lease: MutationLease, now: Date) throws -> MutationLease

    /// Ends the lease of a holder. Does nothing if the holder has none.
    func endLease(of holder: String) throws

    /// Calls `listener` whenever another client may have changed the store, until the subscription ends. Returns `nil` if
    /// the store has no way to notice. The client then learns of other clients' changes when it writes.
    func onChange(_ listener: @escaping @Sendable () -> Void) -> QuerySubscription?
}

extension MutationStore {
    /// The default does nothing.
    public func eraseRemoved() throws {}
}

/// The right to send the mutations of a store, for a limited time.
public struct MutationLease: Sendable, Hashable {
    /// Identifies the client that holds the lease.
    public let holder: String
    /// The time at which the lease ends, unless it is renewed.
    public let end: Date

    /// Creates a lease.
    public init(holder: String, end: Date) {
        (self.holder, self.end) = (holder, end)
    }

    /// True if the holder of another lease cannot take this one, because it has not ended. A lease that ends a minute
    /// later than the new one would is over: the wall clock has been set back.
    public func excludes(_ other: MutationLease, at now: Date) -> Bool {
        holder != other.holder && end > now && end <= other.end + 60
    }
}

/// Changes of a store that are carried out together.
public struct MutationBatch: Sendable {
    /// A change of a store.
    public enum Change: Sendable, Hashable {
        /// Adds a record, and gives it the next number.
        case insert(MutationRecord)
        /// Replaces the progress of a record whose revision is still the given one, and its mutation unless that is `nil`.
        case update(Int64, revision: Int64, MutationProgress, mutation: EncodedMutation?)
        /// Removes a record whose revision is still the given one.
        case remove(Int64, revision: Int64)
        /// Keeps an identifier that the server has assigned. The store may forget all but the newest 10,000 of each session,
        /// except those that a mutation in the store names, as ``EncodedMutation/temporaryIDs`` says.
        case assign(AssignedID, session: String?)
        /// Removes all records of a session, and its assigned identifiers.
        case removeAll(session: String?)
    }

    /// The changes, in order.
    public let changes: [Change]
    /// True if the changes must be on disk when ``MutationStore/apply(_:)`` returns. Otherwise it is enough that they
    /// survive the end of the process.
    public let isDurable: Bool
    /// The lease that the changes require. It is renewed. `nil` for changes that need none.
    public let lease: MutationLease?

    /// Creates a batch.
    public init(_ changes: [Change], isDurable: Bool, lease: MutationLease? = nil) {
        (self.changes, self.isDurable, self.lease) = (changes, isDurable, lease)
    }

    /// The number of assigned identifiers of a session that a store always knows.
    package static let mostAssigned = 10_000

    /// True if a store forgets old identifiers after this many assignments. Not after each one, because it visits all
    /// identifiers.
    package static func mustForget(after count: some BinaryInteger) -> Bool { count.isMultiple(of: 256) }

    package var insertions: Int { changes.count { if case .insert = $0 { true } else { false } } }
}

/// The result of a batch.
public struct MutationReceipt: Sendable {
    /// The numbers of the inserted records, in order.
    public let numbers: [Int64]
    /// The number of the transaction, which all inserted and updated records have as their revision.
    ///
    /// Revisions and ``numbers`` come from one counter of the store: a transaction of any client that inserts takes a
    /// number for each record, and its revision is the last of them. Another takes one.
    public let revision: Int64

    /// Creates a result.
    public init(numbers: [Int64], revision: Int64) {
        (self.numbers, self.revision) = (numbers, revision)
    }

    package init(of batch: MutationBatch, after revision: Int64) {
        let count = Int64(batch.insertions)
        self.init(numbers: Array(revision + 1..<revision + 1 + count), revision: revision + max(1, count))
    }

    /// The number of the transaction before this one, of any client.
    var previousRevision: Int64 { revision - max(1, Int64(numbers.count)) }
}

/// Changes of a store by all its clients.
public struct MutationChanges: Sendable {
    /// The new and changed records, in the order of their numbers.
    public let records: [MutationRecord]
    /// The numbers of all records of the session, in order.
    public let numbers: [Int64]
    /// The number of the store's last transaction.
    public let revision: Int64
    /// The identifiers that the server has assigned since.
    public let assigned: [AssignedID]
    /// Problems with the store that the program should know, such as a damaged record, which is kept.
    public let problems: [String]

    /// Creates changes.
    public init(
        records: [MutationRecord], numbers: [Int64], revision: Int64, assigned: [AssignedID] = [],
        problems: [String] = []
    ) {
        (self.records, self.numbers, self.revision) = (records, numbers, revision)
        (self.assigned, self.problems) = (assigned, problems)
    }
}

/// An expected outcome of ``MutationStore/apply(_:)``. Nothing was changed.
public enum MutationStoreError: Error, Sendable, Hashable {
    /// Another client has changed or removed a record.
    case outdated
    /// Another client has the lease, or the lease has ended.
    case leaseLost
}

/// Keeps durable mutations in memory, for previews and tests. They are lost with the process.
public final class InMemoryMutationStore: MutationStore {
    private struct State {
        var records: [Int64: MutationRecord] = [:]
        var revision: Int64 = 0
        var assigned: [String?: [(id: AssignedID, revision: Int64)]] = [:]
        var lease = MutationLease(holder: "", end: .distantPast)

        mutating func apply(_ change: MutationBatch.Change, numbers: inout ArraySlice<Int64>) throws {
            switch change {
            case .insert(var record):
                (record.number, record.revision) = (numbers.removeFirst(), revision)
                records[record.number] = record
            case .update(let number, let known, let progress, let mutation):
                guard var record = records[number], record.revision == known else { throw MutationStoreError.outdated }
                (record.revision, record.progress) = (revision, progress)
                if let mutation { record.mutation = mutation }
                records[number] = record
            case .remove(let number, let known):
                guard records[number]?.revision == known else { throw MutationStoreError.outdated }
                records[number] = nil
            case .assign(let id, let session):
                assigned[session, default: []].append((id, revision))
                forgetAssigned(of: session)
            case .removeAll(let session):
                records = records.filter { $0.value.session != session }
                assigned[session] = nil
            }
        }

        /// Forgets all but the newest identifiers of a session, except those that a mutation names.
        private mutating func forgetAssigned(of session: String?) {
            guard let known = assigned[session], known.count > MutationBatch.mostAssigned,
                MutationBatch.mustForget(after: known.count)
            else { return }
            let named = records.values.reduce(into: Set<UUID>()) { $0.formUnion($1.mutation.temporaryIDs) }
            let (old, new) = (known.dropLast(MutationBatch.mostAssigned), known.suffix(MutationBatch.mostAssigned))
            assigned[session] = old.filter { $0.id.token.map(named.contains) ?? false } + new
        }
    }

    private let state = Locked(State())
    private let listeners = Listeners()

    /// Creates an empty store.
    public init() {}

    /// Returns the records of a session that have changed.
    public func changes(after revision: Int64, in session: String?) throws -> MutationChanges? {
        state.withLock { state in
            guard state.revision != revision else { return nil }
            let all = state.records.values.filter { $0.session == session }.sorted { $0.number < $1.number }
            return MutationChanges(
                records: all.filter { $0.revision > revision }, numbers: all.map(\.number), revision: state.revision,
                assigned: (state.assigned[session] ?? []).filter { $0.revision > revision }.map(\.id))
        }
    }

    /// Carries out changes in order: all or none.
    public func apply(_ batch: MutationBatch) throws -> MutationReceipt {
        let receipt = try state.withLock { state in
            var new = state
            if let lease = batch.lease {
                guard new.lease.holder == lease.holder else { throw MutationStoreError.leaseLost }
                new.lease = lease
            }
            let receipt = MutationReceipt(of: batch, after: state.revision)
            new.revision = receipt.revision
            var numbers = receipt.numbers[...]
            for change in batch.changes { try new.apply(change, numbers: &numbers) }
            state = new
            return receipt
        }
        listeners.call()
        return receipt
    }

    /// Takes or renews the lease, unless another holder has one that has not ended.
    public func takeLease(_ lease: MutationLease, now: Date) throws -> MutationLease {
        state.withLock { state in
            if !state.lease.excludes(lease, at: now) { state.lease = lease }
            return state.lease
        }
    }

    /// Ends the lease of a holder.
    public func endLease(of holder: String) throws {
        let isEnded = state.withLock { state in
            guard state.lease.holder == holder else { return false }
            state.lease = MutationLease(holder: holder, end: .distantPast)
            return true
        }
        if isEnded { listeners.call() }
    }

    /// Calls `listener` after each change by any client of the store.
    public func onChange(_ listener: @escaping @Sendable () -> Void) -> QuerySubscription? {
        listeners.add(listener)
    }
}
