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
