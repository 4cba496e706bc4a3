/// The state of a store's pages in one direction, in addition to the state of its data.
public enum AdditionalLoadingState: Sendable {
    /// No page is being loaded. The associated value is true if there are more pages.
    case fixed(canRequestAdditionalData: Bool)
    /// A page is being loaded.
    case loading
    /// The last page could not be loaded. The data is unchanged, and the same page can be requested again.
    case error(rawError: any Error)

    /// Calls the closure that fits the state, and returns its result.
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
    /// True if no page is being loaded and there are more pages.
    public var canRequestAdditionalData: Bool {
        if case .fixed(canRequestAdditionalData: true) = self { true } else { false }
    }

    /// True if a page is being loaded.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// The error of the last page load. `nil` in other states.
    public var error: (any Error)? {
        if case .error(let error) = self { error } else { nil }
    }
}

extension AdditionalLoadingState {
    /// Combines two states. Returns the first error, otherwise `loading` if either is loading, otherwise `fixed`, in
    /// which more pages can be requested if either state has more.
    public func zip(_ other: AdditionalLoadingState) -> AdditionalLoadingState {
        switch (self, other) {
        case (.error, _): self
        case (_, .error): other
        case (.loading, _), (_, .loading): .loading
        case (.fixed(let more), .fixed(let otherMore)): .fixed(canRequestAdditionalData: more || otherMore)
        }
    }
}
