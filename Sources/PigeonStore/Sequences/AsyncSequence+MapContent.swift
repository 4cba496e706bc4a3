extension AsyncSequence where Self: Sendable {
    /// The same states with other content.
    ///
    /// - Parameter transform: Makes the content as states are read, where the reader is. Not called where there is none.
    @preconcurrency
    public func mapContent<A, Z>(
        _ transform: @escaping @Sendable (_ content: A) -> Z
    ) -> LoadingStateSequence<Z> where Element == LoadingState<A> {
        let states = LoadingStateSequence(self)
        return LoadingStateSequence<Z> {
            MappedStateIterator(base: states.makeAsyncIterator(), transform: transform)
        }
    }
}

/// One reading of states with other content.
private struct MappedStateIterator<A, Z>: AsyncIteratorProtocol {
    var base: LoadingStateSequence<A>.Iterator
    let transform: (A) -> Z

    mutating func next() async -> LoadingState<Z>? {
        await base.next()?.mapContent(transform)
    }

    mutating func next(isolation actor: isolated (any Actor)?) async -> LoadingState<Z>? {
        await next()
    }
}
