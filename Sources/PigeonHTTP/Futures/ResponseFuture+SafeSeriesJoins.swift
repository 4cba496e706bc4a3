extension ResponseFuture {
    /// A future with this one's value and the result of another, made from it, which may fail. `nil` cancels.
    @_disfavoredOverload
    public func safeSeriesJoin<U>(
        _ type: U.Type = U.self,
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> ResponseFuture<U>?
    ) -> ResponseFuture<(T, Result<U, any Error>)> {
        safeSeries(callback) { ($0, $1) }
    }

    /// A future with this one's values and the result of another, made from them, which may fail. `nil` cancels.
    public func safeSeriesJoin<each A, U>(
        _ type: U.Type = U.self,
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> ResponseFuture<U>?
    ) -> ResponseFuture<(repeat each A, Result<U, any Error>)> where T == (repeat each A) {
        safeSeries(callback) { (repeat each $0, $1) }
    }

    /// A future with this one's value and the result of another, which may fail; `nil` where there is no other.
    @_disfavoredOverload
    public func safeSeriesNullableJoin<U>(
        _ type: U.Type = U.self,
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> ResponseFuture<U>?
    ) -> ResponseFuture<(T, Result<U, any Error>?)> {
        safeNullableSeries(callback) { ($0, $1) }
    }

    /// A future with this one's values and the result of another, which may fail; `nil` where there is no other.
    public func safeSeriesNullableJoin<each A, U>(
        _ type: U.Type = U.self,
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> ResponseFuture<U>?
    ) -> ResponseFuture<(repeat each A, Result<U, any Error>?)> where T == (repeat each A) {
        safeNullableSeries(callback) { (repeat each $0, $1) }
    }

    /// A future with one more element, that of another future, made from the elements so far. `nil` cancels.
    public func addingSeriesResult<Element>(
        @_inheritActorContext from callback: @escaping @isolated(any) @Sendable (T) throws -> ResponseFuture<Element>?
    ) -> ResponseFuture<[Element]> where T == [Element] {
        series(callback) { $0 + [$1] }
    }
}
