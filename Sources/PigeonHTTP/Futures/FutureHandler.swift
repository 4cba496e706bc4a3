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

/// What goes on when a future has ended and its handlers have been called: the next stage, or who awaits the value.
struct FutureWaiter: Sendable {
    let end: @Sendable (FutureOutcome<AnyFutureValue>) async -> Void
    var progress: TransferReport?
}
