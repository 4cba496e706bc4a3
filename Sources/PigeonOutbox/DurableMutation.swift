public import Foundation
public import PigeonCore

/// A mutation that reaches the server even if the process ends first, or if there is no network for days.
///
/// ```swift
/// struct RenameNote: DurableMutation {
///     var id: Note.ID
///     var title: String
///     var scope: String? { "notes/\(id)" }
///
///     func run(_ context: MutationContext) async throws -> Note {
///         try await context[NotesAPI.self].rename(id, to: title, idempotencyKey: context.idempotencyKey)
///     }
///     func optimistic(_ edits: inout OptimisticEdits) { edits.update(.note(id)) { $0.title = title } }
///     func invalidates(_ note: Note) -> [KeyFilter] { [.tag("notes")] }
/// }
/// try await client.enqueue(RenameNote(id: 7, title: "Milk"))
/// ```
///
/// The client records the mutation in its ``MutationStore`` and calls ``/PigeonCore/Mutating/run(_:)`` when it can: now, when the network
/// is back, or after the next start. The server receives it at least once. All attempts carry one
/// ``/PigeonCore/MutationContext/idempotencyKey``, by which a server recognizes repeated requests.
///
/// A mutation that the server refuses for good is *set aside*: its edits are rolled back, and the ``Outbox`` keeps it, without
/// another attempt, until the program retries, edits or discards it.
///
/// What the mutation needs besides its properties comes from the client's ``/PigeonCore/Dependencies``, because a record can only
/// contain what is `Codable`. For a file, store its location, and keep the file until ``/PigeonCore/Mutating/succeeded(_:_:)``.
public protocol DurableMutation: Mutating, Codable {
    /// The name of the type in records. It must never change once a version of the program has been released, and no other
    /// type of ``Outbox/Setup/mutations`` may have it. The default is the name of the type without its module and the types
    /// around it: `Rename` for `Notes.Rename`, and for `Albums.Rename` too.
    static var name: String { get }

    /// The version of the type's encoding. Increase it when older records no longer decode, and implement
    /// ``upgrade(_:from:)``. The default is 1.
    static var version: Int { get }

    /// Converts the data of a record from one version to the next. Called once for each version between the record's and
    /// ``version``. The default throws, and the record is then set aside.
    static func upgrade(_ data: Data, from version: Int) throws -> Data

    /// Combines this mutation with an earlier one of the same scope that has not been attempted. The default keeps both.
    ///
    /// Called when this mutation is enqueued, with the newest waiting mutation of the scope first.
    func merging(_ earlier: any DurableMutation) -> MutationMerge

    /// Returns the identifiers that the server has assigned in place of temporary ones. The default returns none. See
    /// ``/PigeonCore/TemporaryID``.
    func assigns(_ output: Output) -> [AssignedID]

    /// Decides what an error means. The default is described at each case of ``MutationFailure``.
    func classify(_ error: any Error) -> MutationFailure

    /// Resolves a conflict with what the server has. The default sets the mutation aside.
    func resolve(_ conflict: MutationConflict) async throws -> ConflictResolution

    /// The behavior while an earlier mutation of the same scope is set aside. The default is to proceed without it. A
    /// mutation with a ``/PigeonCore/TemporaryID`` waits for its creation in any case.
    var afterSetAside: AfterSetAside { get }

    /// The time after which a mutation that has not succeeded is set aside. The default is `nil`: never.
    var maximumAge: Duration? { get }
}

extension DurableMutation {
    /// The default is the name of the type, without its module and the types around it.
    public static var name: String { String(describing: Self.self) }
    /// The default is 1.
    public static var version: Int { 1 }
    /// The default throws ``OutboxError/noUpgrade(name:from:)``.
    public static func upgrade(_ data: Data, from version: Int) throws -> Data {
        throw OutboxError.noUpgrade(name: name, from: version)
    }
    /// The default keeps both.
    public func merging(_ earlier: any DurableMutation) -> MutationMerge { .separate }
    /// The default returns none.
    public func assigns(_ output: Output) -> [AssignedID] { [] }
    /// The default follows the status of the server's answer, and the mutation's retry policy.
    public func classify(_ error: any Error) -> MutationFailure { MutationFailure(error, retry: retry) }
    /// The default sets the mutation aside.
    public func resolve(_ conflict: MutationConflict) async throws -> ConflictResolution { .setAside }
    /// The default is to proceed without the earlier mutation.
    public var afterSetAside: AfterSetAside { .proceed }
    /// The default is `nil`: never.
    public var maximumAge: Duration? { nil }
    /// The default is `RetryPolicy.persistent`.
    public var retry: RetryPolicy { .persistent }
    /// The default is ``/PigeonCore/Mutating/retry``, at most three times: in an outbox, nobody waits for the last attempt.
    public var retryWhileAwaited: RetryPolicy {
        var policy = retry
        policy.limit = min(policy.limit, RetryPolicy.standard.limit)
        return policy
    }
    /// The default is `true`: the server must recognize ``/PigeonCore/MutationContext/idempotencyKey``, or tolerate repetition.
    public var isIdempotent: Bool { true }
}

/// The relation of a mutation to an earlier one that waits in the same scope.
public enum MutationMerge: Sendable {
    /// Both are sent, in order. The client looks no further back.
    case separate
    /// The two do not concern each other. The client offers the mutation before the earlier one.
    case unrelated
    /// One mutation takes the place of both.
    case combined(any DurableMutation)
    /// The earlier mutation is no longer needed, as with an edit before a deletion. It is removed, and the client offers
    /// the one before it.
    case replacing
    /// Neither is needed, as with a creation and a deletion. Both are removed.
    case cancelling
}

/// The meaning of an error for a durable mutation.
public enum MutationFailure: Sendable, Hashable {
    /// The mutation is attempted again. The default for the errors that the mutation's ``/PigeonCore/Mutating/retry`` policy retries,
    /// and for those of the program's own part in a request, such as an adapter that signs requests
    /// (`TransientErrorType.isLocal`).
    case transient
    /// The server has something newer. The default for the statuses 409 and 412.
    case conflict
    /// The server does not accept the credentials. The outbox pauses, without counting the attempt, until
    /// ``Outbox/resume()`` is called. Reported by ``/PigeonCore/QueryClient/onFailure(_:)``. The default for the status 401.
    case unauthorized
    /// The server refuses the mutation for good, or it can never be sent, as when it cannot be encoded. It is set aside,
    /// with a reason that says which of both, and reported by ``/PigeonCore/QueryClient/onFailure(_:)``. The default for all other errors.
    case refused

    /// Returns the default meaning of an error, on which a ``DurableMutation/classify(_:)`` of your own can be built.
    ///
    /// ```swift
    /// func classify(_ error: any Error) -> MutationFailure {
    ///     error is QuotaExceeded ? .transient : MutationFailure(error, retry: retry)
    /// }
    /// ```
    public init(_ error: any Error, retry: RetryPolicy) {
        let known = error as? any TransientErrorType
        switch known?.statusCode {
        case 401: self = .unauthorized
        case 409, 412: self = .conflict
        default: self = known?.isLocal == true || retry.shouldRetry(error) ? .transient : .refused
        }
    }
}

extension FailureReason {
    /// The reason that the mutation's type gave for a failure. `nil` if the error itself decides.
    init?(_ failure: MutationFailure) {
        switch failure {
        case .unauthorized: self = .unauthorized
        case .conflict: self = .conflict
        case .refused: self = .refused
        case .transient: return nil
        }
    }
}

/// A conflict between a mutation and what the server has.
public struct MutationConflict: Sendable {
    /// The server's refusal.
    public let error: any Error
    /// The context of the attempt, with which the server's version can be fetched.
    public let context: MutationContext
}

/// The resolution of a conflict.
public enum ConflictResolution: Sendable {
    /// Sends a mutation in place of the one that conflicts, for instance the same change on top of the server's
    /// version.
    case retry(any DurableMutation)
    /// Keeps what the server has. The mutation is removed, and the entries that it edits are fetched again.
    case discard
    /// Sets the mutation aside, for the user to decide.
    case setAside
}

/// The behavior of a mutation while an earlier one of its scope is set aside.
public enum AfterSetAside: Sendable, Hashable {
    /// The mutation waits until the earlier one has succeeded or is discarded, and with it the rest of the scope.
    case wait
    /// The mutation is sent without the earlier one. The default.
    case proceed
    /// The mutation is set aside too.
    case setAside
}

extension RetryPolicy {
    /// Retries transient errors without limit. The delay starts at 1 second and doubles, up to 10 minutes, with full
    /// jitter. The default of durable mutations.
    public static let persistent = RetryPolicy(limit: .max, delay: { .seconds(min(600, 1 << min(max(0, $0), 10))) })
}
