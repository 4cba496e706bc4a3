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
    /// The data could not be loaded; cached data stays in the cache. Or there is no data, if ``hasNoData`` is true.
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

    /// Calls the one closure that fits the state, and tells data that is gone from data that could not be loaded.
    ///
    /// ```swift
    /// state.doAction(
    ///     onLoading: { content in show(content, isLoading: true) },
    ///     onCompleted: { content, _, _ in show(content, isLoading: false) },
    ///     onError: { error in show(error) },
    ///     onNoData: { showSignIn() }
    /// )
    /// ```
    ///
    /// - Parameter onNoData: Called where ``hasNoData`` is true. Without this parameter, `onError` is called with
    ///   ``NoSuchElementError``.
    public func doAction<V>(
        onLoading: (_ content: T?) throws -> V,
        onCompleted: (_ content: T, _ next: AdditionalLoadingState, _ prev: AdditionalLoadingState) throws -> V,
        onError: (_ rawError: any Error) throws -> V,
        onNoData: () throws -> V
    ) rethrows -> V {
        guard !hasNoData else { return try onNoData() }
        return try doAction(onLoading: onLoading, onCompleted: onCompleted, onError: onError)
    }
}

extension LoadingState: Sendable where T: Sendable {}
