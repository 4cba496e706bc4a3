// Joins in series: the second future is made from the first one's value, and started after it.
//
// The values of a join that is joined again stand side by side: `(A, B)` and `C` are `(A, B, C)`. A future of `Void` adds
// nothing. Each join has two forms for that, one for a single value and one for several.

extension ResponseFuture {
    /// A future with this one's value and that of another, made from it. `nil` cancels.
    @_disfavoredOverload
    public func join<U>(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> ResponseFuture<U>?
    ) -> ResponseFuture<(T, U)> {
        series(callback) { ($0, $1) }
    }

    /// A future with this one's values and that of another, made from them. `nil` cancels.
    public func join<each A, U>(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> ResponseFuture<U>?
    ) -> ResponseFuture<(repeat each A, U)> where T == (repeat each A) {
        series(callback) { (repeat each $0, $1) }
    }

    /// A future with this one's value and that of another, made from it. `nil` cancels.
    @_disfavoredOverload
    public func seriesJoin<U>(
        _ type: U.Type = U.self,
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> ResponseFuture<U>?
    ) -> ResponseFuture<(T, U)> {
        series(callback) { ($0, $1) }
    }

    /// A future with this one's values and that of another, made from them. `nil` cancels.
    public func seriesJoin<each A, U>(
        _ type: U.Type = U.self,
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> ResponseFuture<U>?
    ) -> ResponseFuture<(repeat each A, U)> where T == (repeat each A) {
        series(callback) { (repeat each $0, $1) }
    }

    /// A future with this one's value and that of another, made from it; `nil` where there is no other.
    @_disfavoredOverload
    public func seriesNullableJoin<U>(
        _ type: U.Type = U.self,
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> ResponseFuture<U>?
    ) -> ResponseFuture<(T, U?)> {
        nullableSeries(callback) { ($0, $1) }
    }

    /// A future with this one's values and that of another, made from them; `nil` where there is no other.
    public func seriesNullableJoin<each A, U>(
        _ type: U.Type = U.self,
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> ResponseFuture<U>?
    ) -> ResponseFuture<(repeat each A, U?)> where T == (repeat each A) {
        nullableSeries(callback) { (repeat each $0, $1) }
    }
}
