internal import Foundation
public import PigeonCore

/// Checks that a cache of your own keeps the contract of ``/PigeonCore/QueryRecordStore``.
///
/// Check it in one test:
///
/// ```swift
/// try RecordStoreContract(make: { NoteStore() }).check()
/// ```
///
/// If the store keeps records on disk, also check that they outlive it:
///
/// ```swift
/// try RecordStoreContract(open: { name in try FileStore(at: folder.appendingPathComponent(name)) }).check()
/// ```
///
/// The contract depends on no testing library. A store that breaks a rule causes a ``Violation``, which names the rule.
/// Most rules check every result that a correct store can return. The rules about threads run the store on several
/// threads for a short time, so they can miss a race, but they never refuse a correct store.
public struct RecordStoreContract: Sendable {
    private let open: @Sendable (String) throws -> any QueryRecordStore
    private let isPersistent: Bool

    /// Creates a contract for a store whose records need not outlive it.
    ///
    /// - Parameter make: Creates an empty store, which shares no records with the others. Called once for each rule.
    public init(make: @escaping @Sendable () throws -> any QueryRecordStore) {
        open = { _ in try make() }
        isPersistent = false
    }

    /// Creates a contract for a store whose records outlive it. Adds the rule ``Rule/outlivesStore``.
    ///
    /// - Parameter open: Opens the store of a name, which is also a valid file name. A new name has no records. The
    ///   second call with the same name, after the first store was released, returns a store with the same records.
    public init(open: @escaping @Sendable (_ name: String) throws -> any QueryRecordStore) {
        self.open = open
        isPersistent = true
    }

    /// Checks all rules, each with a store of its own.
    ///
    /// - Throws: A ``Violation`` for the first broken rule.
    public func check() throws {
        for rule in Rule.allCases { try check(rule) }
    }

    /// Checks one rule. Does nothing for ``Rule/outlivesStore`` if the contract was created with ``init(make:)``.
    ///
    /// - Throws: A ``Violation`` if the store breaks the rule. An error of the store is a violation too.
    public func check(_ rule: Rule) throws {
        do {
            try run(rule)
        } catch let violation as Violation {
            throw violation
        } catch {
            throw Violation(rule: rule, subject: "the store", expected: "no error", found: "\(error)")
        }
    }

    private func run(_ rule: Rule) throws {
        let name = "\(rule.rawValue)-\(UUID().uuidString)"
        guard rule == .outlivesStore else { return try RecordStoreCheck(rule: rule, store: open(name)).run() }
        guard isPersistent else { return }
        try RecordStoreCheck(rule: rule, store: open(name)).saveRecordsToOutliveStore()
        try RecordStoreCheck(rule: rule, store: open(name)).expectOutlivingRecords()
    }

    /// A broken rule.
    public struct Violation: Error, Sendable, Hashable, CustomStringConvertible {
        /// The rule.
        public let rule: Rule
        /// The result that breaks the rule, such as a record or a list of keys.
        public let subject: String
        /// The result according to the contract.
        public let expected: String
        /// The actual result.
        public let found: String

        /// Names the rule, and shows both results.
        public var description: String {
            """
            the store breaks the rule \(rule.rawValue): \(rule.description)
              result: \(subject)
              expected: \(expected)
              found: \(found)
            """
        }
    }
}

extension RecordStoreContract {
    /// A rule of the contract.
    public enum Rule: String, Sendable, CaseIterable, CustomStringConvertible {
        /// A key that was never saved has no record, and can be removed or marked stale without an error.
        case returnsNothingUnsaved
        /// A record is found with all of its fields. The date may be rounded to a millisecond.
        case keepsEveryField
        /// Removing all leaves no record. The store can be used afterwards.
        case removesAll
        /// A saved record replaces the previous one of its key, with its tags, its validators and its stale mark.
        case replacesRecords
        /// The changes of a batch are carried out in order.
        case appliesChangesInOrder
        /// Each key has a record of its own, also if its text is empty, very long, or contains slashes, percent signs,
        /// NUL or text beyond ASCII. Equal keys share one record.
        case keepsKeysApart
        /// The records of a path are those of the key and of all keys below it. `a` is not above `ab`.
        case findsByPath
        /// Removing a key removes its record, and no other.
        case removesByKey
        /// Removing a path removes the records of the key and of all keys below it, and no other.
        case removesByPath
        /// Removing a tag removes the records that have the tag, and no other.
        case removesByTag
        /// Scopes are removed before the changes of the same call are carried out.
        case removesBeforeChanges
        /// Marking a scope stale marks the records of the scope and no other, and changes nothing else.
        case marksStale
        /// A store keeps thousands of records that are saved in one batch.
        case keepsManyRecords
        /// A read sees all changes of a batch or none, also while another thread writes.
        case readsWholeBatches
        /// No record is lost while several threads write and read.
        case losesNothingToThreads
        /// The methods of ``/PigeonCore/QueryCacheType`` read and write the same records.
        case servesValues
        /// If the store tells how much it holds, that is right.
        case addsUpRecords
        /// Records, their fields and their removals outlive the store.
        case outlivesStore

        /// The rule as a sentence.
        public var description: String {
            switch self {
            case .returnsNothingUnsaved: "a key that was never saved has no record"
            case .keepsEveryField: "a record is found with all of its fields"
            case .replacesRecords: "a saved record replaces the previous one of its key"
            case .appliesChangesInOrder: "the changes of a batch are carried out in order"
            case .keepsKeysApart: "each key has a record of its own"
            case .findsByPath: "the records of a path are those of the key and of all keys below it"
            case .removesByKey: "removing a key removes its record, and no other"
            case .removesByPath: "removing a path removes the key and all keys below it, and no other"
            case .removesByTag: "removing a tag removes the records that have the tag, and no other"
            case .removesAll: "removing all leaves no record"
            case .removesBeforeChanges: "scopes are removed before the changes are carried out"
            case .marksStale: "marking a scope stale marks its records and no other, and changes nothing else"
            case .keepsManyRecords: "thousands of records can be saved in one batch"
            case .readsWholeBatches: "a read sees all changes of a batch or none"
            case .losesNothingToThreads: "no record is lost while several threads write and read"
            case .servesValues: "the methods of QueryCacheType read and write the same records"
            case .addsUpRecords: "totals() returns the number, the size and the dates of the records, or nil"
            case .outlivesStore: "records, their fields and their removals outlive the store"
            }
        }
    }
}
