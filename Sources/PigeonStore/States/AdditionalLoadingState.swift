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
