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
