// Joins in parallel: both futures are started at the same time. The first that fails or is cancelled ends the join, and
// cancels the other.

extension ResponseFuture {
    /// A future with this one's value and that of another, which runs beside it.
    @_disfavoredOverload
    public func join<U>(
        _ callback: () throws -> ResponseFuture<U>
    ) rethrows -> ResponseFuture<(T, U)> {
        parallel(try callback()) { ($0, $1) }
    }

    /// A future with this one's values and that of another, which runs beside it.
    public func join<each A, U>(
        _ callback: () throws -> ResponseFuture<U>
    ) rethrows -> ResponseFuture<(repeat each A, U)> where T == (repeat each A) {
        parallel(try callback()) { (repeat each $0, $1) }
    }

    /// A future with this one's value and that of another, which runs beside it.
    @_disfavoredOverload
    public func parallelJoin<U>(
        _ type: U.Type = U.self, _ callback: () throws -> ResponseFuture<U>
    ) rethrows -> ResponseFuture<(T, U)> {
        parallel(try callback()) { ($0, $1) }
    }

    /// A future with this one's values and that of another, which runs beside it.
    public func parallelJoin<each A, U>(
        _ type: U.Type = U.self, _ callback: () throws -> ResponseFuture<U>
    ) rethrows -> ResponseFuture<(repeat each A, U)> where T == (repeat each A) {
        parallel(try callback()) { (repeat each $0, $1) }
    }

    /// A future with this one's value and that of another beside it; `nil` where there is no other.
    @_disfavoredOverload
    public func parallelNullableJoin<U>(
        _ type: U.Type = U.self, _ callback: () throws -> ResponseFuture<U>?
    ) rethrows -> ResponseFuture<(T, U?)> {
        parallel(.optional(try callback())) { ($0, $1) }
    }

    /// A future with this one's values and that of another beside it; `nil` where there is no other.
    public func parallelNullableJoin<each A, U>(
        _ type: U.Type = U.self, _ callback: () throws -> ResponseFuture<U>?
    ) rethrows -> ResponseFuture<(repeat each A, U?)> where T == (repeat each A) {
        parallel(.optional(try callback())) { (repeat each $0, $1) }
    }
}
