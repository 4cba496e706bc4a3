extension LoadingState {
    /// The same state with other content. Not called where there is none.
    public func mapContent<Z>(_ transform: (_ content: T) throws -> Z) rethrows -> LoadingState<Z> {
        switch self {
        case .loading(let content): .loading(content: try content.map(transform))
        case .completed(let content, let next, let prev):
            .completed(content: try transform(content), next: next, prev: prev)
        case .error(let error): .error(rawError: error)
        }
    }
}
