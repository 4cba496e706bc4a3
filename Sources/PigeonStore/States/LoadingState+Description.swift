internal import PigeonCore

// Logs may show a state whole: it tells what it is at, but neither its content nor what an error holds.

extension LoadingState: CustomStringConvertible {
    /// The case, with the type of its content.
    public var description: String {
        switch self {
        case .loading(.none): "loading(nothing)"
        case .loading(.some): "loading(\(T.self))"
        case .completed(_, let next, let prev): "completed(\(T.self), next: \(next), prev: \(prev))"
        case .error(let error): "error(\(TransientError.label(error)))"
        }
    }
}

extension AdditionalLoadingState: CustomStringConvertible {
    /// The case, and whether there is more.
    public var description: String {
        switch self {
        case .fixed(canRequestAdditionalData: true): "fixed(more)"
        case .fixed(canRequestAdditionalData: false): "fixed(no more)"
        case .loading: "loading"
        case .error(let error): "error(\(TransientError.label(error)))"
        }
    }
}
