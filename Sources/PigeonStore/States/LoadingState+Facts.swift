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

    /// True if the store holds no data and is not loading any, as after a sign-out.
    ///
    /// `update(newData: nil)` and `clear()` lead to this state, and so does a fetcher that throws ``NoSuchElementError``
    /// because its origin has nothing. As an enumeration case it is `.error` with ``NoSuchElementError``. An empty list that
    /// was fetched is data: it is `completed`.
    ///
    /// ```swift
    /// if state.hasNoData { showSignIn() }
    /// ```
    public var hasNoData: Bool { error is NoSuchElementError }
}
