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
