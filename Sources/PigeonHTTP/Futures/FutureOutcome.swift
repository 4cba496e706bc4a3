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
