public import Foundation
internal import PigeonCore

/// A durable mutation as a ``MutationStore`` keeps it.
public struct MutationRecord: Sendable, Hashable {
    /// The position among all records of a store. The store assigns it, and never uses a number twice.
    public var number: Int64 = 0
    /// The number of the store's transaction that changed the record last.
    public var revision: Int64 = 0
    /// The scope in which mutations are sent in order. `nil` for none.
    public var scope: String?
    /// The session to which the mutation belongs. `nil` for none.
    public var session: String?
    /// Identifies the client that enqueued the mutation, in one run of its program.
    public var client: String
    /// The time at which the mutation was enqueued.
    public var enqueuedAt: Date
    /// The mutation.
    public var mutation: EncodedMutation
    /// The outcome of the attempts so far.
    public var progress = MutationProgress()

    /// Creates a record of a mutation that has not been attempted.
    public init(scope: String?, session: String?, client: String, enqueuedAt: Date, mutation: EncodedMutation) {
        (self.scope, self.session, self.client) = (scope, session, client)
        (self.enqueuedAt, self.mutation) = (enqueuedAt, mutation)
    }

    /// True if both records with this number are of the same mutation, even if one of them is a later state.
    func isOfSameMutation(as other: MutationRecord) -> Bool {
        client == other.client && enqueuedAt == other.enqueuedAt
    }
}

/// A mutation in encoded form.
public struct EncodedMutation: Sendable, Hashable {
    /// The name of the mutation's type.
    public var name: String
    /// The version of the type's encoding.
    public var version: Int
    /// The encoded properties.
    public var data: Data
    /// The idempotency key of all attempts.
    public var key: String
    /// The temporary identifiers in the properties. A store keeps what the server has assigned in their place.
    public var temporaryIDs: Set<UUID> = []

    /// Creates an encoded mutation.
    public init(name: String, version: Int, data: Data, key: String) {
        (self.name, self.version, self.data, self.key) = (name, version, data, key)
    }

    /// Hash of the encoded properties. `Data` itself only hashes its first 80 bytes.
    var digest: Int {
        var hasher = Hasher()
        data.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}

/// The outcome of the attempts at a mutation.
public struct MutationProgress: Sendable, Hashable {
    /// The number of attempts that have begun.
    public var attempts: Int
    /// The time before which no attempt begins. `nil` if an attempt may begin at once.
    public var notBefore: Date?
    /// A short text about the error for which the mutation was set aside, without secrets. `nil` if it is to be sent.
    public var setAside: String?

    /// Creates the progress of a mutation.
    public init(attempts: Int = 0, notBefore: Date? = nil, setAside: String? = nil) {
        (self.attempts, self.notBefore, self.setAside) = (attempts, notBefore, setAside)
    }

    /// The progress of a mutation that starts over although the server may know it. The time, which has passed,
    /// distinguishes it from an untouched mutation.
    static let anew = MutationProgress(notBefore: .distantPast)

    /// True if no attempt has begun, so that no server knows the mutation.
    var isUntouched: Bool { attempts == 0 && notBefore == nil }
}
