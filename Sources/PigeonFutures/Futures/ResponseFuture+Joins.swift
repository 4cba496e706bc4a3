// Each join has two forms: for a future of one value, and for a future of two values, whose join is flat (PiuPiu P19):
// `(A, B)` and `C` become `(A, B, C)`. The compiler (6.3) crashes on type packs here.

extension ResponseFuture {
    /// Creates the next future of a join from the value so far.
    public typealias NextCallback<U: Sendable> = @isolated(any) @Sendable (T) throws -> ResponseFuture<U>?
}

// MARK: In series

// The second future is made from the value of the first, and started after it. `nil` cancels the join; the value of a
// nullable join is `nil` instead.

extension ResponseFuture {
    /// Returns a future with this value and the value of another future, which is made from it.
    @_disfavoredOverload
    public func join<U>(
        @_inheritActorContext _ callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(T, U)> {
        series(callback, { $0 }, { ($0, $1) })
    }

    /// Does the same for a future of two values. The result is a future of three values.
    public func join<A, B, U>(
        @_inheritActorContext _ callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, U)> where T == (A, B) {
        series(callback, { $0 }, { ($0.0, $0.1, $1) })
    }

    /// Returns a future with this value and the value of another future, which is made from it.
    @_disfavoredOverload
    public func seriesJoin<U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(T, U)> {
        series(callback, { $0 }, { ($0, $1) })
    }

    /// Does the same for a future of two values. The result is a future of three values.
    public func seriesJoin<A, B, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, U)> where T == (A, B) {
        series(callback, { $0 }, { ($0.0, $0.1, $1) })
    }

    /// Returns a future with this value and the result of another future, which is made from it and may fail.
    @_disfavoredOverload
    public func safeSeriesJoin<U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(T, Result<U, any Error>)> {
        series(callback, { $0?.safeResult() }, { ($0, $1) })
    }

    /// Does the same for a future of two values. The result is a future of three values.
    public func safeSeriesJoin<A, B, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, Result<U, any Error>)> where T == (A, B) {
        series(callback, { $0?.safeResult() }, { ($0.0, $0.1, $1) })
    }

    /// Returns a future with this value and the value of another future, or `nil` if the callback returns `nil`.
    @_disfavoredOverload
    public func seriesNullableJoin<U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(T, U?)> {
        series(callback, { .optional($0) }, { ($0, $1) })
    }

    /// Does the same for a future of two values. The result is a future of three values.
    public func seriesNullableJoin<A, B, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, U?)> where T == (A, B) {
        series(callback, { .optional($0) }, { ($0.0, $0.1, $1) })
    }

    /// Returns a future with this value and the result of another future, or `nil` if the callback returns `nil`.
    @_disfavoredOverload
    public func safeSeriesNullableJoin<U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(T, Result<U, any Error>?)> {
        series(callback, { .optional($0?.safeResult()) }, { ($0, $1) })
    }

    /// Does the same for a future of two values. The result is a future of three values.
    public func safeSeriesNullableJoin<A, B, U>(
        _ type: U.Type = U.self, @_inheritActorContext callback: @escaping NextCallback<U>
    ) -> ResponseFuture<(A, B, Result<U, any Error>?)> where T == (A, B) {
        series(callback, { .optional($0?.safeResult()) }, { ($0.0, $0.1, $1) })
    }

    /// Returns a future with one more element: the value of another future, which is made from the elements so far.
    public func addingSeriesResult<Element>(
        @_inheritActorContext from callback: @escaping NextCallback<Element>
    ) -> ResponseFuture<[Element]> where T == [Element] {
        series(callback, { $0 }, { $0 + [$1] })
    }
}

// MARK: In parallel

// Both futures are started at once. The first that fails or is cancelled ends the join, and cancels the other.

extension ResponseFuture {
    /// Returns a future with this value and the value of another future, which runs at the same time.
    @_disfavoredOverload
    public func join<U>(
        _ callback: () throws -> ResponseFuture<U>
    ) rethrows -> ResponseFuture<(T, U)> {
        parallel(try callback()) { ($0, $1) }
    }

    /// Does the same for a future of two values. The result is a future of three values.
    public func join<A, B, U>(
        _ callback: () throws -> ResponseFuture<U>
    ) rethrows -> ResponseFuture<(A, B, U)> where T == (A, B) {
        parallel(try callback()) { ($0.0, $0.1, $1) }
    }

    /// Returns a future with this value and the value of another future, which runs at the same time.
    @_disfavoredOverload
    public func parallelJoin<U>(
        _ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>
    ) rethrows -> ResponseFuture<(T, U)> {
        parallel(try callback()) { ($0, $1) }
    }

    /// Does the same for a future of two values. The result is a future of three values.
    public func parallelJoin<A, B, U>(
        _ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>
    ) rethrows -> ResponseFuture<(A, B, U)> where T == (A, B) {
        parallel(try callback()) { ($0.0, $0.1, $1) }
    }

    /// Returns a future with this value and the result of another future, which runs at the same time and may fail.
    @_disfavoredOverload
    public func safeParallelJoin<U>(
        _ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>
    ) rethrows -> ResponseFuture<(T, Result<U, any Error>)> {
        parallel(try callback().safeResult()) { ($0, $1) }
    }

    /// Does the same for a future of two values. The result is a future of three values.
    public func safeParallelJoin<A, B, U>(
        _ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>
    ) rethrows -> ResponseFuture<(A, B, Result<U, any Error>)> where T == (A, B) {
        parallel(try callback().safeResult()) { ($0.0, $0.1, $1) }
    }

    /// Returns a future with this value and the value of another future, or `nil` if the callback returns `nil`.
    @_disfavoredOverload
    public func parallelNullableJoin<U>(
        _ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>?
    ) rethrows -> ResponseFuture<(T, U?)> {
        parallel(.optional(try callback())) { ($0, $1) }
    }

    /// Does the same for a future of two values. The result is a future of three values.
    public func parallelNullableJoin<A, B, U>(
        _ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>?
    ) rethrows -> ResponseFuture<(A, B, U?)> where T == (A, B) {
        parallel(.optional(try callback())) { ($0.0, $0.1, $1) }
    }

    /// Returns a future with this value and the result of another future, or `nil` if the callback returns `nil`.
    @_disfavoredOverload
    public func safeParallelNullableJoin<U>(
        _ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>?
    ) rethrows -> ResponseFuture<(T, Result<U, any Error>?)> {
        parallel(.optional(try callback()?.safeResult())) { ($0, $1) }
    }

    /// Does the same for a future of two values. The result is a future of three values.
    public func safeParallelNullableJoin<A, B, U>(
        _ type: U.Type = U.self, callback: () throws -> ResponseFuture<U>?
    ) rethrows -> ResponseFuture<(A, B, Result<U, any Error>?)> where T == (A, B) {
        parallel(.optional(try callback()?.safeResult())) { ($0.0, $0.1, $1) }
    }

    /// Returns a future with one more element: the value of another future, which runs at the same time.
    public func addingParallelResult<Element>(
        from callback: () throws -> ResponseFuture<Element>
    ) rethrows -> ResponseFuture<[Element]> where T == [Element] {
        parallel(try callback()) { $0 + [$1] }
    }
}

// MARK: Shared by the joins

extension ResponseFuture {
    /// - Parameters:
    ///   - callback: Creates the next future from this one's value.
    ///   - wrap: Adapts the next future to the kind of join. `nil` cancels.
    ///   - join: Puts both values together.
    private func series<U, Next, V>(
        _ callback: @escaping NextCallback<U>,
        _ wrap: @escaping @Sendable (ResponseFuture<U>?) -> ResponseFuture<Next>?,
        _ join: @escaping @Sendable (T, Next) -> V
    ) -> ResponseFuture<V> {
        core.stage(of: self) { outcome, stage in
            await stage.follow {
                let value = try outcome.get()
                let next = wrap(try await stage.call(callback, with: value))
                return next?.map { join(value, $0) }
            }
        }
    }

    private func parallel<U, V>(
        _ other: ResponseFuture<U>, _ join: @escaping @Sendable (T, U) -> V
    ) -> ResponseFuture<V> {
        ResponseFuture<V>(begin: { [one = core, two = other.core] whole, _ in
            whole.gather([(one.machine, self), (two.machine, other)]) { join(try one.get(), try two.get()) }
        })
    }

    /// Returns a future of an optional value, which is `nil` at once if there is no future.
    private static func optional<U>(_ future: ResponseFuture<U>?) -> ResponseFuture<T> where T == U? {
        future?.then { .some($0) } ?? ResponseFuture(result: nil)
    }
}
