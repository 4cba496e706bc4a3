// Joins in parallel: both futures are started at the same time. The first that fails or is cancelled ends the join, and
// cancels the other.

extension ResponseFuture {
    /// A future with this one's value and that of another, which runs beside it.
    @_disfavoredOverload
    public func join<U>(_ callback: () throws -> ResponseFuture<U>) rethrows -> ResponseFuture<(T, U)> {
        parallel(try callback()) { ($0, $1) }
    }

    /// As ``join(_:)``, beside two values.
    public func join<A, B, U>(_ callback: () throws -> ResponseFuture<U>) rethrows -> ResponseFuture<(A, B, U)>
    where T == (A, B) {
        parallel(try callback()) { ($0.0, $0.1, $1) }
    }

    /// As ``join(_:)``, beside three values.
    public func join<A, B, C, U>(_ callback: () throws -> ResponseFuture<U>) rethrows -> ResponseFuture<(A, B, C, U)>
    where T == (A, B, C) {
        parallel(try callback()) { ($0.0, $0.1, $0.2, $1) }
    }

    /// As ``join(_:)``, beside four values.
    public func join<A, B, C, D, U>(_ callback: () throws -> ResponseFuture<U>) rethrows -> ResponseFuture<
        (A, B, C, D, U)
    > where T == (A, B, C, D) {
        parallel(try callback()) { ($0.0, $0.1, $0.2, $0.3, $1) }
    }

    /// As ``join(_:)``, beside five values.
    public func join<A, B, C, D, E, U>(_ callback: () throws -> ResponseFuture<U>) rethrows -> ResponseFuture<
        (A, B, C, D, E, U)
    > where T == (A, B, C, D, E) {
        parallel(try callback()) { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
    }

    /// A future with this one's value and that of another, which runs beside it.
    @_disfavoredOverload
    public func parallelJoin<U>(_ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>) rethrows
        -> ResponseFuture<(T, U)>
    {
        parallel(try callback()) { ($0, $1) }
    }

    /// As ``parallelJoin(_:callback:)``, beside two values.
    public func parallelJoin<A, B, U>(_ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>) rethrows
        -> ResponseFuture<(A, B, U)> where T == (A, B)
    {
        parallel(try callback()) { ($0.0, $0.1, $1) }
    }

    /// As ``parallelJoin(_:callback:)``, beside three values.
    public func parallelJoin<A, B, C, U>(_ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>) rethrows
        -> ResponseFuture<(A, B, C, U)> where T == (A, B, C)
    {
        parallel(try callback()) { ($0.0, $0.1, $0.2, $1) }
    }

    /// As ``parallelJoin(_:callback:)``, beside four values.
    public func parallelJoin<A, B, C, D, U>(_ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>)
        rethrows -> ResponseFuture<(A, B, C, D, U)> where T == (A, B, C, D)
    {
        parallel(try callback()) { ($0.0, $0.1, $0.2, $0.3, $1) }
    }

    /// As ``parallelJoin(_:callback:)``, beside five values.
    public func parallelJoin<A, B, C, D, E, U>(_ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>)
        rethrows -> ResponseFuture<(A, B, C, D, E, U)> where T == (A, B, C, D, E)
    {
        parallel(try callback()) { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
    }
}

extension ResponseFuture {
    /// A future with this one's value and the result of another beside it, which may fail.
    @_disfavoredOverload
    public func safeParallelJoin<U>(_ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>) rethrows
        -> ResponseFuture<(T, Result<U, any Error>)>
    {
        parallel(try callback().safeResult()) { ($0, $1) }
    }

    /// As ``safeParallelJoin(_:callback:)``, beside two values.
    public func safeParallelJoin<A, B, U>(_ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>) rethrows
        -> ResponseFuture<(A, B, Result<U, any Error>)> where T == (A, B)
    {
        parallel(try callback().safeResult()) { ($0.0, $0.1, $1) }
    }

    /// As ``safeParallelJoin(_:callback:)``, beside three values.
    public func safeParallelJoin<A, B, C, U>(_ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>)
        rethrows -> ResponseFuture<(A, B, C, Result<U, any Error>)> where T == (A, B, C)
    {
        parallel(try callback().safeResult()) { ($0.0, $0.1, $0.2, $1) }
    }

    /// As ``safeParallelJoin(_:callback:)``, beside four values.
    public func safeParallelJoin<A, B, C, D, U>(_ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>)
        rethrows -> ResponseFuture<(A, B, C, D, Result<U, any Error>)> where T == (A, B, C, D)
    {
        parallel(try callback().safeResult()) { ($0.0, $0.1, $0.2, $0.3, $1) }
    }

    /// As ``safeParallelJoin(_:callback:)``, beside five values.
    public func safeParallelJoin<A, B, C, D, E, U>(_ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>)
        rethrows -> ResponseFuture<(A, B, C, D, E, Result<U, any Error>)> where T == (A, B, C, D, E)
    {
        parallel(try callback().safeResult()) { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
    }

    /// A future with one more element, that of another future, which runs beside this one.
    public func addingParallelResult<Element>(
        from callback: () throws -> ResponseFuture<Element>
    ) rethrows -> ResponseFuture<[Element]> where T == [Element] {
        parallel(try callback()) { $0 + [$1] }
    }
}

extension ResponseFuture {
    /// A future with this one's value and that of another beside it; `nil` where there is no other.
    @_disfavoredOverload
    public func parallelNullableJoin<U>(_ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>?) rethrows
        -> ResponseFuture<(T, U?)>
    {
        parallel(.optional(try callback())) { ($0, $1) }
    }

    /// As ``parallelNullableJoin(_:callback:)``, beside two values.
    public func parallelNullableJoin<A, B, U>(_ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>?)
        rethrows -> ResponseFuture<(A, B, U?)> where T == (A, B)
    {
        parallel(.optional(try callback())) { ($0.0, $0.1, $1) }
    }

    /// As ``parallelNullableJoin(_:callback:)``, beside three values.
    public func parallelNullableJoin<A, B, C, U>(_ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>?)
        rethrows -> ResponseFuture<(A, B, C, U?)> where T == (A, B, C)
    {
        parallel(.optional(try callback())) { ($0.0, $0.1, $0.2, $1) }
    }

    /// As ``parallelNullableJoin(_:callback:)``, beside four values.
    public func parallelNullableJoin<A, B, C, D, U>(
        _ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>?
    ) rethrows -> ResponseFuture<(A, B, C, D, U?)> where T == (A, B, C, D) {
        parallel(.optional(try callback())) { ($0.0, $0.1, $0.2, $0.3, $1) }
    }

    /// As ``parallelNullableJoin(_:callback:)``, beside five values.
    public func parallelNullableJoin<A, B, C, D, E, U>(
        _ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>?
    ) rethrows -> ResponseFuture<(A, B, C, D, E, U?)> where T == (A, B, C, D, E) {
        parallel(.optional(try callback())) { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
    }

    /// A future with this one's value and the result of another, which may fail; `nil` where there is none.
    @_disfavoredOverload
    public func safeParallelNullableJoin<U>(_ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>?)
        rethrows -> ResponseFuture<(T, Result<U, any Error>?)>
    {
        parallel(.optional(try callback()?.safeResult())) { ($0, $1) }
    }

    /// As ``safeParallelNullableJoin(_:callback:)``, beside two values.
    public func safeParallelNullableJoin<A, B, U>(_ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>?)
        rethrows -> ResponseFuture<(A, B, Result<U, any Error>?)> where T == (A, B)
    {
        parallel(.optional(try callback()?.safeResult())) { ($0.0, $0.1, $1) }
    }

    /// As ``safeParallelNullableJoin(_:callback:)``, beside three values.
    public func safeParallelNullableJoin<A, B, C, U>(
        _ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>?
    ) rethrows -> ResponseFuture<(A, B, C, Result<U, any Error>?)> where T == (A, B, C) {
        parallel(.optional(try callback()?.safeResult())) { ($0.0, $0.1, $0.2, $1) }
    }

    /// As ``safeParallelNullableJoin(_:callback:)``, beside four values.
    public func safeParallelNullableJoin<A, B, C, D, U>(
        _ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>?
    ) rethrows -> ResponseFuture<(A, B, C, D, Result<U, any Error>?)> where T == (A, B, C, D) {
        parallel(.optional(try callback()?.safeResult())) { ($0.0, $0.1, $0.2, $0.3, $1) }
    }

    /// As ``safeParallelNullableJoin(_:callback:)``, beside five values.
    public func safeParallelNullableJoin<A, B, C, D, E, U>(
        _ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>?
    ) rethrows -> ResponseFuture<(A, B, C, D, E, Result<U, any Error>?)> where T == (A, B, C, D, E) {
        parallel(.optional(try callback()?.safeResult())) { ($0.0, $0.1, $0.2, $0.3, $0.4, $1) }
    }
}
