public import CombineShim

extension Publisher {
    /// The same states with other content.
    ///
    /// - Parameter transform: Makes the content. Not called where there is none.
    public func mapContent<A, Z>(
        _ transform: @escaping (_ content: A) -> Z
    ) -> Publishers.Map<Self, LoadingState<Z>> where Output == LoadingState<A> {
        map { $0.mapContent(transform) }
    }
}
