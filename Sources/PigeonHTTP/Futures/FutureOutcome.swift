/// How a future ended.
enum FutureOutcome<T: Sendable>: Sendable {
    case success(T)
    case failure(any Error)
    case cancelled

    /// What an error means: the errors that say "cancelled" are no failures.
    init(_ error: any Error) {
        if case .cancelled = HTTPError(error) { self = .cancelled } else { self = .failure(error) }
    }

    /// The same end, with something else as its value.
    func map<U>(_ transform: (T) -> U) -> FutureOutcome<U> {
        switch self {
        case .success(let value): .success(transform(value))
        case .failure(let error): .failure(error)
        case .cancelled: .cancelled
        }
    }

    /// The value, or what there is in its place.
    func get() throws -> T {
        switch self {
        case .success(let value): value
        case .failure(let error): throw error
        case .cancelled: throw CancellationError()
        }
    }
}

/// Why a future failed by itself.
public enum FutureError: Error, Sendable, Hashable {
    /// The future's action let go of the future without ending it, so that nobody was left who could. Call
    /// `succeed(with:)`, `fail(with:)` or `cancel()` on every path of the action.
    case abandoned
}

extension FutureError: CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String {
        "A future's action let go of the future without ending it: call succeed(with:), fail(with:) or cancel() on every"
            + " path of the action, or hold the future as long as it is to run."
    }
}

/// What happens to a future that its owner can be told of.
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

/// The events that a handler waits for.
struct FutureEventKinds: OptionSet, Sendable {
    let rawValue: UInt8

    static let progress = FutureEventKinds(rawValue: 1)
    static let success = FutureEventKinds(rawValue: 2)
    static let failure = FutureEventKinds(rawValue: 4)
    static let cancellation = FutureEventKinds(rawValue: 8)
    static let completion = FutureEventKinds(rawValue: 16)
}

/// A closure of the future's owner, with the actor it was written on. Called once; one for progress, as often as there
/// is some.
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

/// The object that the owner of a future has: a ``ResponseFuture`` or a ``Promise``.
typealias FutureHandle = any AnyObject & Sendable

/// A future's value, among those who do not know its type.
typealias AnyFutureValue = any AnyObject & Sendable

/// A future's value. A ``FutureCore`` puts it into its machine, and takes it out.
final class FutureValue<T: Sendable>: Sendable {
    let value: T

    init(_ value: T) {
        self.value = value
    }

    /// The value that was put in.
    static func open(_ value: AnyFutureValue) -> T {
        unsafeDowncast(value, to: FutureValue<T>.self).value  // a core has but one type of value
    }
}

/// What goes on when a future has ended and its handlers have been called: the next stage, or who awaits the value.
struct FutureWaiter: Sendable {
    let end: @Sendable (FutureOutcome<AnyFutureValue>) async -> Void
    var progress: TransferReport?
}
