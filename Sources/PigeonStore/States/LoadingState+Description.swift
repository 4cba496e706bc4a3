internal import PigeonCore

// Content is printed as an enumeration prints it by default. Errors are named without what they hold, which may be secret.

extension LoadingState: CustomStringConvertible {
    /// The case with its content, such as `completed(content: [1, 2], next: loading, prev: …)`.
    ///
    /// An error appears as its type or its HTTP status, without its contents.
    public var description: String {
        switch self {
        case .loading(let content): "loading(content: \(String(reflecting: content)))"
        case .completed(let content, let next, let prev):
            "completed(content: \(String(reflecting: content)), next: \(next), prev: \(prev))"
        case .error(let error): "error(rawError: \(TransientError.label(error)))"
        }
    }
}

extension AdditionalLoadingState: CustomStringConvertible {
    /// The case, such as `fixed(canRequestAdditionalData: true)`.
    ///
    /// An error appears as its type or its HTTP status, without its contents.
    public var description: String {
        switch self {
        case .fixed(let canRequestAdditionalData): "fixed(canRequestAdditionalData: \(canRequestAdditionalData))"
        case .loading: "loading"
        case .error(let error): "error(rawError: \(TransientError.label(error)))"
        }
    }
}
