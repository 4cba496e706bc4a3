internal import PigeonCore

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

// Content is printed as an enumeration prints it by default. Errors are named without what they hold, which may be secret.

extension LoadingState: CustomStringConvertible {
    /// The case with its content, such as `completed(content: [1, 2], next: loading, prev: …)`.
    ///
    /// An error appears as its type or its HTTP status, without its contents.
    public var description: String {
        switch self {
        case .loading(let content): "loading(content: \(String(reflecting: content)))"
        case .completed(let content, let next, let prev):
            "completed(content: \(String(reflecting: content)), next: \(next), prev: \(prev))"
        case .error(let error): "error(rawError: \(TransientError.label(error)))"
        }
    }
}

extension AdditionalLoadingState: CustomStringConvertible {
    /// The case, such as `fixed(canRequestAdditionalData: true)`.
    ///
    /// An error appears as its type or its HTTP status, without its contents.
    public var description: String {
        switch self {
        case .fixed(let canRequestAdditionalData): "fixed(canRequestAdditionalData: \(canRequestAdditionalData))"
        case .loading: "loading"
        case .error(let error): "error(rawError: \(TransientError.label(error)))"
        }
    }
}

/// Where a store may take data from when it is asked once.
public enum GettingFrom: Hashable, Sendable {
    /// From the cache while it is valid, else from the origin.
    case both
    /// From the origin alone, whatever is cached.
    case origin
    /// From the cache alone, if what is there is valid. Nothing is fetched.
    case cache
}

/// The key of a store that has nothing to tell apart: all of them are equal.
public struct UnitHash: Hashable, Sendable {
    /// Creates the only key there is.
    public init() {}
}
