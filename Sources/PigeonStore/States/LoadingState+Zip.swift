// More than two states are zipped two by two, in order, which gives the same: the first error of all is the error.

extension LoadingState {
    /// What two states say together: an error, the first of two, else that data is being loaded, else that all is there.
    ///
    /// ```swift
    /// let profile = userState.zip(postsState) { user, posts in Profile(user, posts) }
    /// ```
    ///
    /// `transform` makes one content of both. It is called only where both are there, and neither is an error.
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

    /// As ``zip(_:_:)``, of three states.
    public func zip<B, C, Z>(
        _ b: LoadingState<B>, _ c: LoadingState<C>,
        _ transform: (_ content1: T, _ content2: B, _ content3: C) throws -> Z
    ) rethrows -> LoadingState<Z> {
        try zip(b) { ($0, $1) }.zip(c) { try transform($0.0, $0.1, $1) }
    }

    /// As ``zip(_:_:)``, of four states.
    public func zip<B, C, D, Z>(
        _ b: LoadingState<B>, _ c: LoadingState<C>, _ d: LoadingState<D>,
        _ transform: (_ content1: T, _ content2: B, _ content3: C, _ content4: D) throws -> Z
    ) rethrows -> LoadingState<Z> {
        try zip(b, c) { ($0, $1, $2) }.zip(d) { try transform($0.0, $0.1, $0.2, $1) }
    }

    /// As ``zip(_:_:)``, of five states.
    public func zip<B, C, D, E, Z>(
        _ b: LoadingState<B>, _ c: LoadingState<C>, _ d: LoadingState<D>, _ e: LoadingState<E>,
        _ transform: (_ content1: T, _ content2: B, _ content3: C, _ content4: D, _ content5: E) throws -> Z
    ) rethrows -> LoadingState<Z> {
        try zip(b, c, d) { ($0, $1, $2, $3) }.zip(e) { try transform($0.0, $0.1, $0.2, $0.3, $1) }
    }
}
