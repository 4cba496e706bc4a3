/// What a store says of the pages in one direction, beside the data that is there.
public enum AdditionalLoadingState: Sendable {
    /// Nothing is being loaded. Says whether there is more to ask for.
    case fixed(canRequestAdditionalData: Bool)
    /// A page is being loaded.
    case loading
    /// The last page could not be loaded. The data is as it was, and the same page can be asked for again.
    case error(rawError: any Error)

    /// Calls the one closure that fits the state.
    public func doAction<V>(
        onFixed: (_ canRequestAdditionalData: Bool) throws -> V, onLoading: () throws -> V,
        onError: (_ rawError: any Error) throws -> V
    ) rethrows -> V {
        switch self {
        case .fixed(let canRequestAdditionalData): try onFixed(canRequestAdditionalData)
        case .loading: try onLoading()
        case .error(let error): try onError(error)
        }
    }
}

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

extension AdditionalLoadingState {
    /// What two states say together: an error, the first of two, else that a page is being loaded, else whether either
    /// has more to ask for.
    public func zip(_ other: AdditionalLoadingState) -> AdditionalLoadingState {
        switch (self, other) {
        case (.error, _): self
        case (_, .error): other
        case (.loading, _), (_, .loading): .loading
        case (.fixed(let more), .fixed(let otherMore)): .fixed(canRequestAdditionalData: more || otherMore)
        }
    }
}
