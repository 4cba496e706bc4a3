extension AsyncSequence {
    /// The content of those states that have some, again with every state: the same content may come more than once.
    ///
    /// Says nothing of errors, and nothing while there is no content: behind ``flatMapLatest(_:)`` a screen keeps what
    /// the resource before had. ``optionalContents()`` clears it.
    public func contents<T>() -> AsyncCompactMapSequence<Self, T> where Element == ResourceState<T> {
        compactMap { $0.content }
    }

    /// The content of every state, and `nil` where there is none: so that nothing of another resource stays on screen.
    public func optionalContents<T>() -> AsyncMapSequence<Self, T?> where Element == ResourceState<T> {
        map { $0.content }
    }

    /// The content of those states that have some, until one has an error: that is thrown.
    ///
    /// An error of an earlier load does not count while another load is under way, which may put it right.
    public func failingContents<T>() -> AsyncThrowingCompactMapSequence<Self, T> where Element == ResourceState<T> {
        compactMap { state throws -> T? in try state.contentOrError() }
    }
}
