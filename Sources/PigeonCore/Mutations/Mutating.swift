public import Foundation

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
    /// The answer of the server.
    associatedtype Output: Sendable

    /// Makes the change on the server. Called again for each retry, with the same idempotency key.
    func run(_ context: MutationContext) async throws -> Output

    /// Adds the edits to show before the server has confirmed the change. The default adds none.
    func optimistic(_ edits: inout OptimisticEdits)

    /// Writes the answer to the cache. Called once, after success and before invalidation. The default does nothing.
    func succeeded(_ output: Output, _ writes: CacheWrites)

    /// Returns the entries that the change makes stale. The default returns none.
    func invalidates(_ output: Output) -> [KeyFilter]

    /// The scope of the mutation. Mutations with the same scope run one after the other, in the order in which they
    /// were started. The default is `nil`: the mutation waits for no other.
    var scope: String? { get }

    /// The policy by which a failed attempt is retried. The default is never.
    ///
    /// Only a mutation with ``isIdempotent`` set is retried.
    var retry: RetryPolicy { get }

    /// The policy while a caller waits for the outcome, as in ``QueryClient/mutate(_:)``. The default is ``retry``.
    var retryWhileAwaited: RetryPolicy { get }

    /// True if the server makes the change only once, however often it receives the request: because it recognizes the
    /// idempotency key, or because repeating the change has no effect. The default is `false`.
    var isIdempotent: Bool { get }

    /// The behavior of the mutation without a network. By default, it waits for the network.
    var networkMode: NetworkMode { get }
}

extension Mutating {
    /// The default shows nothing.
    public func optimistic(_ edits: inout OptimisticEdits) {}
    /// The default writes nothing.
    public func succeeded(_ output: Output, _ writes: CacheWrites) {}
    /// The default invalidates nothing.
    public func invalidates(_ output: Output) -> [KeyFilter] { [] }
    /// The default is `nil`: the mutation waits for no other.
    public var scope: String? { nil }
    /// The default never retries.
    public var retry: RetryPolicy { .never }
    /// The default is ``retry``.
    public var retryWhileAwaited: RetryPolicy { retry }
    /// The default is `false`.
    public var isIdempotent: Bool { false }
    /// The default waits for the network.
    public var networkMode: NetworkMode { .online }
}

/// Gives a running mutation information about itself.
public struct MutationContext: Sendable {
    /// A number that is unique among the mutations of the client.
    public let id: UInt64
    /// A key that is the same for all attempts. With it, a server can recognize repeated requests and make the change
    /// only once.
    public var idempotencyKey: String { key.text }
    /// Number of the attempt, from 1. For a durable mutation, attempts of earlier runs of the program count too.
    public let attempt: Int
    /// The client that runs the mutation.
    public let client: QueryClient
    let key: IdempotencyKey
    package let name: String
    /// The time at which a durable mutation was enqueued. `nil` for other mutations.
    public var enqueuedAt: Date?
    /// True if a durable mutation was enqueued by an earlier run of the program, or by another process.
    public var isRestored = false

    package init(
        id: UInt64, attempt: Int, client: QueryClient, key: IdempotencyKey, name: String, enqueuedAt: Date? = nil,
        isRestored: Bool = false
    ) {
        (self.id, self.attempt, self.client, self.key, self.name) = (id, attempt, client, key, name)
        (self.enqueuedAt, self.isRestored) = (enqueuedAt, isRestored)
    }

    /// Something that the client was given for its fetchers and mutations: `try await context[API.self].rename(…)`. See
    /// ``Dependencies``.
    ///
    /// - Throws: ``QueryError/missingDependency(type:of:given:)``.
    public subscript<Dependency: Sendable>(type: Dependency.Type) -> Dependency {
        get throws { try client.dependencies.required(type, by: "mutation \(name)") }
    }
}

/// Creates the key when it is first read, because its random numbers cost more than the rest of a mutation.
package final class IdempotencyKey: Sendable {
    private let random: @Sendable () -> UInt64
    private let made = Locked<String?>(nil)

    package init(random: @escaping @Sendable () -> UInt64) {
        self.random = random
    }

    /// Restores a key that was created earlier.
    package convenience init(_ text: String) {
        self.init { 0 }
        made.withLock { $0 = text }
    }

    package var text: String {
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

/// Writes the answer of a mutation to the cache. A written value replaces the mutation's own optimistic changes to it.
public struct CacheWrites: Sendable {
    package let client: QueryClient
    let mutation: UInt64
    let cause: Cause

    /// Writes a value as if it had just been received. If the key holds another type, writes nothing and reports the
    /// mismatch.
    public func set<Value>(_ value: Value, for definition: QueryDefinition<Value>) {
        while client.isCurrent(mutation) {
            guard let slot = try? client.withSlot(for: definition, { _, slot in slot }) else { return }
            if client.write(slot, .value, .keep, cause, of: mutation, { _ in PayloadOf(value) }) { return }
        }
    }

    /// Edits the value in memory or in the cache of a persisted definition. Does nothing if there is none.
    public func update<Value>(_ definition: QueryDefinition<Value>, _ edit: (inout Value) -> Void) {
        client.update(definition, during: .keep, cause: cause, of: mutation, edit)
    }

    /// Edits all values of a type in memory that a filter selects, as ``QueryClient/update(_:as:during:_:)`` does.
    public func update<Value: Sendable>(_ filter: KeyFilter, as type: Value.Type, _ edit: (inout Value) -> Void) {
        client.update(filter, as: type, during: .keep, cause: cause, of: mutation, edit)
    }

    /// Makes entries stale as ``Mutating/invalidates(_:)`` does, for a mutation that needs the client to find them.
    package func invalidate(_ filter: KeyFilter) {
        client.state.withLock { $0.mutations.invalidations[mutation, default: []].append(filter) }
    }
}
