extension LoadingState {
    /// The data, complete or cached, if there is any to show. An error has none.
    public var content: T? {
        switch self {
        case .loading(let content): content
        case .completed(let content, _, _): content
        case .error: nil
        }
    }

    /// Whether the whole of the data is being loaded. Pages at its ends do not count.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// Why the data could not be loaded; `nil` in other states.
    public var error: (any Error)? {
        if case .error(let error) = self { error } else { nil }
    }
}
