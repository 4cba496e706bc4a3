public import Foundation

enum FutureOutcome<T: Sendable>: Sendable {
    case success(T)
    case failure(any Error)
    case cancelled

    /// The outcome that an error means. Errors that mean "cancelled" are no failures.
    init(_ error: any Error) {
        if case .cancelled = HTTPError(error) { self = .cancelled } else { self = .failure(error) }
    }

    func map<U>(_ transform: (T) -> U) -> FutureOutcome<U> {
        switch self {
        case .success(let value): .success(transform(value))
        case .failure(let error): .failure(error)
        case .cancelled: .cancelled
        }
    }

    /// - Throws: The error, or `CancellationError`.
    func get() throws -> T {
        switch self {
        case .success(let value): value
        case .failure(let error): throw error
        case .cancelled: throw CancellationError()
        }
    }
}

/// An error of a future itself.
public enum FutureError: Error, Sendable, Hashable {
    /// The future's action released the future without completing it, so that no code was left that could. Call
    /// `succeed(with:)`, `fail(with:)` or `cancel()` on every path of the action.
    case abandoned
}

extension FutureError: CustomStringConvertible {
    /// Describes the problem and the remedy.
    public var description: String {
        "A future's action released the future without completing it: call succeed(with:), fail(with:) or cancel() on every"
            + " path of the action, or hold the future as long as it is to run."
    }
}

extension FutureError: LocalizedError, LocalizedReadableError {
    package var userText: UserText { .somethingWentWrong }
}

enum FutureEvent: Sendable {
    case progress(TransferProgress)
    case success(AnyFutureValue)
    case failure(any Error)
    case cancellation
    case completion

    var kind: FutureEventKinds {
        switch self {
        case .progress: .progress
        case .success: .success
        case .failure: .failure
        case .cancellation: .cancellation
        case .completion: .completion
        }
    }
}

struct FutureEventKinds: OptionSet, Sendable {
    let rawValue: UInt8

    static let progress = FutureEventKinds(rawValue: 1)
    static let success = FutureEventKinds(rawValue: 2)
    static let failure = FutureEventKinds(rawValue: 4)
    static let cancellation = FutureEventKinds(rawValue: 8)
    static let completion = FutureEventKinds(rawValue: 16)
}

/// A closure of the future's owner, with the actor it was written on. It is called once; a handler for progress, at
/// each change.
struct FutureHandler: Sendable {
    let kinds: FutureEventKinds
    let isolation: (any Actor)?
    /// Called on `isolation`.
    let call: @Sendable (FutureEvent) async throws -> Void

    init(
        _ kinds: FutureEventKinds, on isolation: (any Actor)?,
        _ call: @escaping @Sendable (FutureEvent) async throws -> Void
    ) {
        self.kinds = kinds
        self.isolation = isolation
        self.call = call
    }
}

/// The object that the owner of a future holds: a ``ResponseFuture`` or a ``Promise``.
typealias FutureHandle = any AnyObject & Sendable

typealias AnyFutureValue = any AnyObject & Sendable

/// A future's value. A ``FutureCore`` puts it into its machine, and takes it out.
final class FutureValue<T: Sendable>: Sendable {
    let value: T

    init(_ value: T) {
        self.value = value
    }

    static func open(_ value: AnyFutureValue) -> T {
        unsafeDowncast(value, to: FutureValue<T>.self).value  // a core has only one type of value
    }
}

/// The next stage, or a task that awaits the value. It is resumed when the future has ended and its handlers have been
/// called.
struct FutureWaiter: Sendable {
    let end: @Sendable (FutureOutcome<AnyFutureValue>) async -> Void
    var progress: TransferReport?
}
