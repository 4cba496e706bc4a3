/// A change of server data, as a value.
///
/// ```swift
/// struct RenameUser: Mutating {
///     var id: User.ID
///     var name: String
///
///     func run(_ context: MutationContext) async throws -> User {
///         try await api.rename(id, to: name, idempotencyKey: context.idempotencyKey)
///     }
///     func optimistic(_ edits: inout OptimisticEdits) { edits.update(.user(id)) { $0.name = name } }
///     func invalidates(_ user: User) -> [KeyFilter] { [.tag("users")] }
/// }
/// let renamed = try await client.mutate(RenameUser(id: 42, name: "Ann"))
/// ```
public protocol Mutating: Sendable {
    /// What the server answers.
    associatedtype Output: Sendable

    /// Makes the change. Called again for each retry, with the same idempotency key.
    func run(_ context: MutationContext) async throws -> Output

    /// Shows the change before the server has confirmed it. By default shows nothing.
    func optimistic(_ edits: inout OptimisticEdits)

    /// Writes into the cache what the answer tells. Called once, after success, before invalidation. By default nothing.
    func succeeded(_ output: Output, _ writes: CacheWrites)

    /// What the change makes stale. By default nothing.
    func invalidates(_ output: Output) -> [KeyFilter]

    /// Mutations with the same scope run one after the other, in the order they were started. `nil` for at once.
    var scope: String? { get }

    /// When a failed attempt is repeated. By default never.
    ///
    /// Only a mutation that ``isIdempotent`` is ever repeated.
    var retry: RetryPolicy { get }

    /// Whether the server makes the change once however often it is asked: because it knows the idempotency key, or
    /// because the change is of that kind. By default not.
    var isIdempotent: Bool { get }

    /// What the mutation does without a network. By default it waits.
    var networkMode: NetworkMode { get }
}

extension Mutating {
    /// Nothing.
    public func optimistic(_ edits: inout OptimisticEdits) {}
    /// Nothing.
    public func succeeded(_ output: Output, _ writes: CacheWrites) {}
    /// Nothing.
    public func invalidates(_ output: Output) -> [KeyFilter] { [] }
    /// None.
    public var scope: String? { nil }
    /// Never.
    public var retry: RetryPolicy { .never }
    /// Not known to be.
    public var isIdempotent: Bool { false }
    /// Waits for the network.
    public var networkMode: NetworkMode { .online }
}

/// What a running mutation may know.
public struct MutationContext: Sendable {
    /// A number that tells this mutation from all others of its client.
    public let id: UInt64
    /// A key that is the same for all attempts, for a server that makes a change once for each.
    public var idempotencyKey: String { key.text }
    /// Which attempt this is, from 1.
    public let attempt: Int
    /// The client it runs in.
    public let client: QueryClient
    let key: IdempotencyKey
}

/// Made when it is first asked for, as its chance costs more than the rest of a mutation.
final class IdempotencyKey: Sendable {
    private let random: @Sendable () -> UInt64
    private let made = Locked<String?>(nil)

    init(random: @escaping @Sendable () -> UInt64) {
        self.random = random
    }

    var text: String {
        if let known = made.withLock({ $0 }) { return known }
        let new = Self.text(random(), random())
        return made.withLock { made in
            if made == nil { made = new }
            return made ?? new
        }
    }

    private static func text(_ high: UInt64, _ low: UInt64) -> String {
        String(unsafeUninitializedCapacity: 32) { digits in
            for place in 0..<32 {
                let bits = place < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: bits >> UInt64(60 - 4 * (place % 16))) & 0xF
                digits.initializeElement(at: place, to: digit < 10 ? 48 + digit : 87 + digit)
            }
            return 32
        }
    }
}

/// Writes what a mutation's answer tells. A written value takes the place of the mutation's own optimistic changes to it.
public struct CacheWrites: Sendable {
    let client: QueryClient
    let mutation: UInt64
    let cause: Cause

    /// Writes a value, as if it had just been received. A key that holds another type is left alone, and reported.
    public func set<Value>(_ value: Value, for definition: QueryDefinition<Value>) {
        while client.isCurrent(mutation) {
            guard let slot = try? client.withSlot(for: definition, { _, _, _, slot in slot }) else { return }
            if client.write(slot, .value, .keep, cause, of: mutation, { _ in PayloadOf(value) }) { return }
        }
    }

    /// Edits what is cached, in memory or in the cache of a persisted definition. Does nothing when nothing is.
    public func update<Value>(
        _ definition: QueryDefinition<Value>, _ edit: (inout Value) -> Void
    ) {
        client.update(definition, during: .keep, cause: cause, of: mutation, edit)
    }
}
