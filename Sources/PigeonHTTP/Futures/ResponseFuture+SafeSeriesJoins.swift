extension ResponseFuture {
    /// A future with this one's value and the result of another, made from it, which may fail. `nil` cancels.
    @_disfavoredOverload
    public func safeSeriesJoin<U>(_ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>)
        -> ResponseFuture<(T, Result<U, any Error>)>
    {
        safeSeries(callback) { ($0, $1) }
    }

    /// As ``safeSeriesJoin(_:callback:)``, beside two values.
    public func safeSeriesJoin<A, B, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, Result<U, any Error>)> where T == (A, B) {
        safeSeries(callback) { ($0.0, $0.1, $1) }
    }

    /// As ``safeSeriesJoin(_:callback:)``, beside three values.
    public func safeSeriesJoin<A, B, C, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, C, Result<U, any Error>)> where T == (A, B, C) {
        safeSeries(callback) { ($0.0, $0.1, $0.2, $1) }
    }

    /// As ``safeSeriesJoin(_:callback:)``, beside four values.
    public func safeSeriesJoin<A, B, C, D, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, C, D, Result<U, any Error>)> where T == (A, B, C, D) {
        safeSeries(callback) { ($0.0, $0.1, $0.2, $0.3, $1) }
    }

    /// As ``safeSeriesJoin(_:callback:)``, beside five values.
    public func safeSeriesJoin<A, B, C, D, E, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, C, D, E, Result<U, any Error>)> where T == (A, B, C, D, E) {
        safeSeries(callback) { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
    }

    /// A future with one more element, that of another future, made from the elements so far. `nil` cancels.
    public func addingSeriesResult<Element>(
        @_inheritActorContext from callback: @escaping NextCallback<Element>
    ) -> ResponseFuture<[Element]> where T == [Element] {
        series(callback) { $0 + [$1] }
    }
}
