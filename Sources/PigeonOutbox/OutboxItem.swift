public import Foundation
public import PigeonCore

/// A durable mutation that has not succeeded yet.
public struct OutboxItem: Sendable, Identifiable {
    /// Identifies a mutation in all processes that use the store.
    public typealias ID = Int64

    /// The current state of a mutation.
    public enum Stage: Sendable, Hashable {
        /// No attempt runs.
        case waiting(Reason)
        /// An attempt runs in this process.
        case running
        /// The mutation is kept, and not attempted again until ``Outbox/retry(_:)`` is called. The text describes the error,
        /// without secrets.
        case setAside(String)
    }

    /// The reason why a mutation waits.
    public enum Reason: Sendable, Hashable {
        /// An earlier mutation of its scope, the creation of an identifier that it has, or another mutation is sent
        /// first.
        case turn
        /// There is no network.
        case network
        /// The next attempt begins at a time.
        case time(Date)
        /// The server did not accept the credentials. See ``Outbox/resume()``.
        case authorization
        /// Another process sends the mutations of the store, and may be sending this one.
        case otherProcess
        /// The store could not be written. The client tries again.
        case storage
    }

    /// Identifies the mutation in all processes that use the store.
    public let id: ID
    /// The name of the mutation's type.
    public let name: String
    /// The mutation. `nil` if its record cannot be read, as when its type is not registered.
    public let mutation: (any DurableMutation)?
    /// The scope in which mutations are sent in order. `nil` for none.
    public let scope: String?
    /// The time at which the mutation was enqueued.
    public let enqueuedAt: Date
    /// The number of attempts that have begun.
    public let attempts: Int
    /// The current state.
    public let stage: Stage
    /// The error of the last attempt in this process. `nil` if there is none.
    public let error: (any Error)?
}

/// The content of an outbox at one moment.
public struct OutboxSnapshot: Sendable {
    /// The mutations that run or wait, in the order in which they were enqueued.
    public let waiting: [OutboxItem]
    /// The mutations that were refused, or could not be sent, and are kept until the program decides. In the order in which
    /// they were enqueued.
    public let setAside: [OutboxItem]
    /// Problems with the store, such as a damaged record. The newest ones, at most 100.
    public let problems: [String]
    /// A number that increases with each change of the outbox.
    public let version: Int

    /// The number of mutations of the session that have not succeeded: those that run or wait, and those that are set aside.
    public var count: Int { waiting.count + setAside.count }

    /// True if nothing waits and nothing is set aside.
    public var isEmpty: Bool { waiting.isEmpty && setAside.isEmpty }
}

/// The states of an outbox. Iterations are independent of each other.
public struct OutboxUpdates: AsyncSequence, Sendable {
    let outbox: Outbox

    /// Creates an iterator that begins with the current state.
    public func makeAsyncIterator() -> Iterator { Iterator(outbox) }

    /// Iterates over the states of an outbox, beginning with the current one. Ends when its task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        private let outbox: Outbox
        /// Has an item if the outbox may have changed.
        private let mailbox = Mailbox<Void>()
        private let subscription: QuerySubscription
        /// The time before which there is no further state.
        private var next = MonotonicInstant(nanoseconds: .min)

        init(_ outbox: Outbox) {
            self.outbox = outbox
            subscription = outbox.onChange { [mailbox] in mailbox.put(()) }
            mailbox.put(())
        }

        /// Returns the current state once it may have changed, or `nil` once the task is cancelled.
        public mutating func next() async -> OutboxSnapshot? {
            guard await mailbox.next() != nil else { return nil }
            let clock = outbox.environment.clock
            if clock.now() < next { try? await clock.sleep(for: clock.now().duration(to: next)) }
            let (snapshot, now) = (outbox.snapshot, clock.now())
            next = snapshot.waiting.count > 100 ? now.advanced(by: .milliseconds(100)) : now
            return snapshot
        }
    }
}

/// Thrown by a mutation that lacks something, such as a service that the program has not created yet. The attempt does
/// not count, and the next one begins after ``Outbox/becameReady(_:)``.
package struct MutationNotReady: Error {
    package init() {}
}

/// An error of an outbox.
public enum OutboxError: Error, Sendable, Hashable {
    /// The client has no store for mutations.
    case noStore(name: String)
    /// The type of a mutation is not among those that the client was given.
    case notRegistered(name: String)
    /// A record of an older version cannot be upgraded.
    case noUpgrade(name: String, from: Int)
    /// A record was written by a newer version of the program.
    case newer(name: String, version: Int)
    /// A mutation or its record cannot be encoded or decoded. The text names the place, not the content.
    case coding(name: String, reason: String)
    /// The mutation expired before it could be sent.
    case expired(name: String, age: Duration)
    /// An earlier mutation of the same scope, or the creation of an identifier that it has, was set aside.
    case afterSetAside(name: String)
    /// The mutation has a ``/PigeonCore/TemporaryID`` whose creation was discarded, or has ended without an identifier of the server.
    case noCreation(name: String)
    /// A mutation was merged into a later one, removed with it, or sent by another process, so that its answer is
    /// unknown.
    case noAnswer(name: String)
    /// There is no such item, or it is running or has ended.
    case notWaiting(OutboxItem.ID)
    /// The store cannot be read or written.
    case storage(String)
}

extension OutboxError: PlainlyDescribedError {
    /// Describes the problem, the mutation it concerns, and the remedy.
    public var description: String {
        switch self {
        case .noStore(let name):
            "\(name) cannot be enqueued, because its client has no store: QueryClient(outbox: Outbox.Setup(store: …))"
        case .notRegistered(let name):
            "\(name) is not registered, so that it could not be read after a restart: name it in Outbox.Setup"
        case .noUpgrade(let name, let version):
            "\(name) has no upgrade from version \(version): implement upgrade(_:from:)"
        case .newer(let name, let version):
            "\(name) was enqueued by a newer version of the program, with version \(version) of its encoding"
        case .coding(let name, let reason): "\(name) cannot be encoded or decoded: \(reason)"
        case .expired(let name, let age): "\(name) was not sent within \(age.brief)"
        case .afterSetAside(let name): "\(name) follows a mutation that was set aside"
        case .noCreation(let name):
            "\(name) has a temporary identifier in place of which the server has assigned none: its creation was discarded, "
                + "or did not return the identifier from assigns(_:)"
        case .noAnswer(let name): "the answer to \(name) is unknown: it was merged, or sent by another process"
        case .notWaiting(let id): "mutation \(id) is not in the outbox any more, or is being sent"
        case .storage(let reason): "the outbox cannot be read or written: \(reason)"
        }
    }
}

extension OutboxError: LocalizedError, LocalizedReadableError {
    package var userText: UserText { .somethingWentWrong }
}
