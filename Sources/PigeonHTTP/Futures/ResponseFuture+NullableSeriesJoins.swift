extension ResponseFuture {
    /// A future with this one's value and that of another, made from it; `nil` where there is no other.
    @_disfavoredOverload
    public func seriesNullableJoin<U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(T, U?)> {
        nullableSeries(callback) { ($0, $1) }
    }

    /// As ``seriesNullableJoin(_:callback:)``, beside two values.
    public func seriesNullableJoin<A, B, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, U?)> where T == (A, B) {
        nullableSeries(callback) { ($0.0, $0.1, $1) }
    }

    /// As ``seriesNullableJoin(_:callback:)``, beside three values.
    public func seriesNullableJoin<A, B, C, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, C, U?)> where T == (A, B, C) {
        nullableSeries(callback) { ($0.0, $0.1, $0.2, $1) }
    }

    /// As ``seriesNullableJoin(_:callback:)``, beside four values.
    public func seriesNullableJoin<A, B, C, D, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, C, D, U?)> where T == (A, B, C, D) {
        nullableSeries(callback) { ($0.0, $0.1, $0.2, $0.3, $1) }
    }

    /// As ``seriesNullableJoin(_:callback:)``, beside five values.
    public func seriesNullableJoin<A, B, C, D, E, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, C, D, E, U?)> where T == (A, B, C, D, E) {
        nullableSeries(callback) { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
    }

    /// A future with this one's value and the result of another, which may fail; `nil` where there is none.
    @_disfavoredOverload
    public func safeSeriesNullableJoin<U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(T, Result<U, any Error>?)> {
        safeNullableSeries(callback) { ($0, $1) }
    }

    /// As ``safeSeriesNullableJoin(_:callback:)``, beside two values.
    public func safeSeriesNullableJoin<A, B, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, Result<U, any Error>?)> where T == (A, B) {
        safeNullableSeries(callback) { ($0.0, $0.1, $1) }
    }

    /// As ``safeSeriesNullableJoin(_:callback:)``, beside three values.
    public func safeSeriesNullableJoin<A, B, C, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, C, Result<U, any Error>?)> where T == (A, B, C) {
        safeNullableSeries(callback) { ($0.0, $0.1, $0.2, $1) }
    }

    /// As ``safeSeriesNullableJoin(_:callback:)``, beside four values.
    public func safeSeriesNullableJoin<A, B, C, D, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, C, D, Result<U, any Error>?)> where T == (A, B, C, D) {
        safeNullableSeries(callback) { ($0.0, $0.1, $0.2, $0.3, $1) }
    }

    /// As ``safeSeriesNullableJoin(_:callback:)``, beside five values.
    public func safeSeriesNullableJoin<A, B, C, D, E, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, C, D, E, Result<U, any Error>?)> where T == (A, B, C, D, E) {
        safeNullableSeries(callback) { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
    }
}
