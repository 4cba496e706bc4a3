internal import PigeonCore

/// The state of a store's data at one point in time. The state and its content belong to the same version.
///
/// ```swift
/// state.doAction(
///     onLoading: { content in show(content, isLoading: true) },
///     onCompleted: { content, next, prev in show(content, isLoading: false) },
///     onError: { error in show(error) }
/// )
/// ```
public enum LoadingState<T> {
    /// The data is being loaded. `content` is the cached data, however old, or `nil` if none is cached.
    case loading(content: T?)
    /// The data is loaded. `next` and `prev` are the states of the pages at its end and at its start.
    case completed(content: T, next: AdditionalLoadingState, prev: AdditionalLoadingState)
    /// The data could not be loaded, and cached data stays in the cache. Or there is no data, if ``hasNoData`` is true.
    case error(rawError: any Error)

    /// Calls the closure that fits the state, and returns its result.
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

    /// Calls the closure that fits the state, with a separate closure for data that does not exist.
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
    /// - Parameters:
    ///   - onLoading: Called while data is being loaded, with the cached data, if there is any.
    ///   - onCompleted: Called with the data, and with the states of the next and the previous page.
    ///   - onError: Called with the error of a failed load.
    ///   - onNoData: Called if ``hasNoData`` is true. Without this parameter, `onError` is called with
    ///     ``NoSuchElementError``.
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
    /// The loaded or cached data. `nil` if there is none, and for an error.
    public var content: T? {
        switch self {
        case .loading(let content): content
        case .completed(let content, _, _): content
        case .error: nil
        }
    }

    /// True if the data is being loaded. Page loads do not count.
    public var isLoading: Bool {
        if case .loading = self { true } else { false }
    }

    /// The error of loading the data. `nil` in other states.
    public var error: (any Error)? {
        if case .error(let error) = self { error } else { nil }
    }

    /// True if the store holds no data and is not loading any, as after a sign-out.
    ///
    /// `update(newData: nil)` and `clear()` lead to this state, and so does a fetcher that throws
    /// ``NoSuchElementError`` because its origin has nothing. As an enumeration case it is `.error` with
    /// ``NoSuchElementError``. An empty list that was fetched is data: it is `completed`.
    ///
    /// ```swift
    /// if state.hasNoData { showSignIn() }
    /// ```
    public var hasNoData: Bool { error is NoSuchElementError }
}

extension LoadingState {
    /// Returns the same state with transformed content. Does not call `transform` without content.
    public func mapContent<Z>(_ transform: (_ content: T) throws -> Z) rethrows -> LoadingState<Z> {
        switch self {
        case .loading(let content): .loading(content: try content.map(transform))
        case .completed(let content, let next, let prev):
            .completed(content: try transform(content), next: next, prev: prev)
        case .error(let error): .error(rawError: error)
        }
    }
}

// Content is printed as an enumeration prints it by default. Errors are named without their content, which may be
// secret.

extension LoadingState: CustomStringConvertible {
    /// The case with its content, such as `completed(content: [1, 2], next: loading, prev: …)`.
    ///
    /// An error appears as its type or its HTTP status, without its content.
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
    /// An error appears as its type or its HTTP status, without its content.
    public var description: String {
        switch self {
        case .fixed(let canRequestAdditionalData): "fixed(canRequestAdditionalData: \(canRequestAdditionalData))"
        case .loading: "loading"
        case .error(let error): "error(rawError: \(TransientError.label(error)))"
        }
    }
}

/// The places from which a store may take data for a single request.
public enum GettingFrom: Hashable, Sendable {
    /// The cache if its data is valid, otherwise the origin.
    case both
    /// Only the origin, whatever is cached.
    case origin
    /// Only the cache, if its data is valid. Nothing is fetched.
    case cache
}

/// The key of data of which there is only one piece. All values are equal.
public struct UnitHash: Hashable, Sendable {
    /// Creates the key.
    public init() {}
}

// More than two states are combined two by two, in order. The result is the same: the first error is the error.

extension LoadingState {
    /// Combines two states. Returns the first error, otherwise `loading` if either is loading, otherwise `completed`.
    ///
    /// ```swift
    /// let profile = userState.zip(postsState) { user, posts in Profile(user, posts) }
    /// ```
    ///
    /// `transform` combines both contents. It is called only if both states have content and neither is an error.
    public func zip<B, Z>(
        _ b: LoadingState<B>, _ transform: (_ content1: T, _ content2: B) throws -> Z
    ) rethrows -> LoadingState<Z> {
        switch (self, b) {
        case (.error(let error), _), (_, .error(let error)):
            return .error(rawError: error)
        case (.completed(let content, let next, let prev), .completed(let contentB, let nextB, let prevB)):
            return .completed(content: try transform(content, contentB), next: next.zip(nextB), prev: prev.zip(prevB))
        case (.loading, _), (_, .loading):
            guard let content, let contentB = b.content else { return .loading(content: nil) }
            return .loading(content: try transform(content, contentB))
        }
    }

    /// Combines three states, as ``zip(_:_:)`` does.
    public func zip<B, C, Z>(
        _ b: LoadingState<B>, _ c: LoadingState<C>,
        _ transform: (_ content1: T, _ content2: B, _ content3: C) throws -> Z
    ) rethrows -> LoadingState<Z> {
        try zip(b) { ($0, $1) }.zip(c) { try transform($0.0, $0.1, $1) }
    }

    /// Combines four states, as ``zip(_:_:)`` does.
    public func zip<B, C, D, Z>(
        _ b: LoadingState<B>, _ c: LoadingState<C>, _ d: LoadingState<D>,
        _ transform: (_ content1: T, _ content2: B, _ content3: C, _ content4: D) throws -> Z
    ) rethrows -> LoadingState<Z> {
        try zip(b, c) { ($0, $1, $2) }.zip(d) { try transform($0.0, $0.1, $0.2, $1) }
    }

    /// Combines five states, as ``zip(_:_:)`` does.
    public func zip<B, C, D, E, Z>(
        _ b: LoadingState<B>, _ c: LoadingState<C>, _ d: LoadingState<D>, _ e: LoadingState<E>,
        _ transform: (_ content1: T, _ content2: B, _ content3: C, _ content4: D, _ content5: E) throws -> Z
    ) rethrows -> LoadingState<Z> {
        try zip(b, c, d) { ($0, $1, $2, $3) }.zip(e) { try transform($0.0, $0.1, $0.2, $0.3, $1) }
    }
}
