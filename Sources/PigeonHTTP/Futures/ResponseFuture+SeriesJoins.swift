// Joins in series: the second future is made from the first one's value, and started after it.
//
// The values of a join that is joined again stand side by side: `(A, B)` and `C` are `(A, B, C)`, up to six. There is one
// form for each count: the compiler (6.3) crashes on type packs here.

extension ResponseFuture {
    /// A future with this one's value and that of another, which is made from it. `nil` cancels.
    @_disfavoredOverload
    public func join<U>(@_inheritActorContext _ callback: @escaping NextCallback<U>) -> ResponseFuture<(T, U)> {
        series(callback) { ($0, $1) }
    }

    /// As ``join(_:)``, beside two values.
    public func join<A, B, U>(@_inheritActorContext _ callback: @escaping NextCallback<U>) -> ResponseFuture<(A, B, U)>
    where T == (A, B) {
        series(callback) { ($0.0, $0.1, $1) }
    }

    /// As ``join(_:)``, beside three values.
    public func join<A, B, C, U>(@_inheritActorContext _ callback: @escaping NextCallback<U>) -> ResponseFuture<
        (A, B, C, U)
    > where T == (A, B, C) {
        series(callback) { ($0.0, $0.1, $0.2, $1) }
    }

    /// As ``join(_:)``, beside four values.
    public func join<A, B, C, D, U>(@_inheritActorContext _ callback: @escaping NextCallback<U>) -> ResponseFuture<
        (A, B, C, D, U)
    > where T == (A, B, C, D) {
        series(callback) { ($0.0, $0.1, $0.2, $0.3, $1) }
    }

    /// As ``join(_:)``, beside five values.
    public func join<A, B, C, D, E, U>(@_inheritActorContext _ callback: @escaping NextCallback<U>) -> ResponseFuture<
        (A, B, C, D, E, U)
    > where T == (A, B, C, D, E) {
        series(callback) { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
    }

    /// A future with this one's value and that of another, which is made from it. `nil` cancels.
    @_disfavoredOverload
    public func seriesJoin<U>(_ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>)
        -> ResponseFuture<(T, U)>
    {
        series(callback) { ($0, $1) }
    }

    /// As ``seriesJoin(_:callback:)``, beside two values.
    public func seriesJoin<A, B, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, U)> where T == (A, B) {
        series(callback) { ($0.0, $0.1, $1) }
    }

    /// As ``seriesJoin(_:callback:)``, beside three values.
    public func seriesJoin<A, B, C, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, C, U)> where T == (A, B, C) {
        series(callback) { ($0.0, $0.1, $0.2, $1) }
    }

    /// As ``seriesJoin(_:callback:)``, beside four values.
    public func seriesJoin<A, B, C, D, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, C, D, U)> where T == (A, B, C, D) {
        series(callback) { ($0.0, $0.1, $0.2, $0.3, $1) }
    }

    /// As ``seriesJoin(_:callback:)``, beside five values.
    public func seriesJoin<A, B, C, D, E, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, C, D, E, U)> where T == (A, B, C, D, E) {
        series(callback) { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
    }
}

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
