extension ResponseFuture {
    /// A future with this one's value and the result of another beside it, which may fail.
    @_disfavoredOverload
    public func safeParallelJoin<U>(
        _ type: U.Type = U.self, _ callback: () throws -> ResponseFuture<U>
    ) rethrows -> ResponseFuture<(T, Result<U, any Error>)> {
        parallel(try callback().safeResult()) { ($0, $1) }
    }

    /// A future with this one's values and the result of another beside it, which may fail.
    public func safeParallelJoin<each A, U>(
        _ type: U.Type = U.self, _ callback: () throws -> ResponseFuture<U>
    ) rethrows -> ResponseFuture<(repeat each A, Result<U, any Error>)> where T == (repeat each A) {
        parallel(try callback().safeResult()) { (repeat each $0, $1) }
    }

    /// A future with this one's value and the result of another, which may fail; `nil` where there is no other.
    @_disfavoredOverload
    public func safeParallelNullableJoin<U>(
        _ type: U.Type = U.self, _ callback: () throws -> ResponseFuture<U>?
    ) rethrows -> ResponseFuture<(T, Result<U, any Error>?)> {
        parallel(.optional(try callback()?.safeResult())) { ($0, $1) }
    }

    /// A future with this one's values and the result of another, which may fail; `nil` where there is no other.
    public func safeParallelNullableJoin<each A, U>(
        _ type: U.Type = U.self, _ callback: () throws -> ResponseFuture<U>?
    ) rethrows -> ResponseFuture<(repeat each A, Result<U, any Error>?)> where T == (repeat each A) {
        parallel(.optional(try callback()?.safeResult())) { (repeat each $0, $1) }
    }

    /// A future with one more element, that of another future, which runs beside this one.
    public func addingParallelResult<Element>(
        from callback: () throws -> ResponseFuture<Element>
    ) rethrows -> ResponseFuture<[Element]> where T == [Element] {
        parallel(try callback()) { $0 + [$1] }
    }
}
