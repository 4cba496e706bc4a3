/// What a store says of its data at one moment: state and content are of one version.
///
/// ```swift
/// state.doAction(
///     onLoading: { content in show(content, isLoading: true) },
///     onCompleted: { content, next, prev in show(content, isLoading: false) },
///     onError: { error in show(error) }
/// )
/// ```
public enum LoadingState<T> {
    /// The whole of the data is being loaded. `content` is what is cached meanwhile, however old; `nil` when nothing is.
    case loading(content: T?)
    /// The data is there. `next` and `prev` tell of pages at its end and at its start.
    case completed(content: T, next: AdditionalLoadingState, prev: AdditionalLoadingState)
    /// The data could not be loaded. What is cached stays in the cache.
    case error(rawError: any Error)

    /// Calls the one closure that fits the state.
    public func doAction<V>(
        onLoading: (_ content: T?) throws -> V,
        onCompleted: (_ content: T, _ next: AdditionalLoadingState, _ prev: AdditionalLoadingState) throws -> V,
        onError: (_ rawError: any Error) throws -> V
    ) rethrows -> V {
        switch self {
        case .loading(let content): try onLoading(content)
        case .completed(let content, let next, let prev): try onCompleted(content, next, prev)
        case .error(let error): try onError(error)
        }
    }
}

extension LoadingState: Sendable where T: Sendable {}
