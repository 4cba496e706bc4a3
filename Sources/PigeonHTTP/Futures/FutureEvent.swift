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
