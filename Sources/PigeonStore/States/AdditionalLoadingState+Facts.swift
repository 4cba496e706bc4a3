extension AdditionalLoadingState {
    /// Whether nothing is being loaded and there is more to ask for.
    public var canRequestAdditionalData: Bool {
        if case .fixed(canRequestAdditionalData: true) = self { true } else { false }
    }

    /// Whether a page is being loaded.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// Why the last page could not be loaded; `nil` in other states.
    public var error: (any Error)? {
        if case .error(let error) = self { error } else { nil }
    }
}
