extension ResponseFuture {
    /// A future with what the value is turned into. What the closure throws is its error.
    public func then<U>(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> U
    ) -> ResponseFuture<U> {
        core.stage(of: self) { value, stage in
            await stage.settle(.success(try await stage.run(on: callback.isolation) { try await callback(value) }))
        }
    }

    /// A future with what the value is turned into, as ``then(_:)``.
    public func map<U>(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> U
    ) -> ResponseFuture<U> {
        then(callback)
    }

    /// A future with what the value is turned into, as ``then(_:)``, with its type named.
    public func map<U>(
        _ type: U.Type, @_inheritActorContext callback: @escaping @isolated(any) @Sendable (T) throws -> U
    ) -> ResponseFuture<U> {
        then(callback)
    }

    /// A future that goes on with another one, made from the value. `nil` cancels it.
    public func replace<U>(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> ResponseFuture<U>?
    ) -> ResponseFuture<U> {
        core.stage(of: self) { value, stage in
            await stage.follow(try await stage.run(on: callback.isolation) { try await callback(value) })
        }
    }

    /// A future that fails with nothing: its value is the result, or what went wrong. A cancelled one stays cancelled.
    public func safeResult() -> ResponseFuture<Result<T, any Error>> {
        core.outcomeStage(of: self) { outcome, stage in
            switch outcome {
            case .success(let value): await stage.settle(.success(.success(value)))
            case .failure(let error): await stage.settle(.success(.failure(error)))
            case .cancelled: await stage.settle(.cancelled)
            }
        }
    }

    /// A future with what the value or the error is turned into.
    public func thenResult<U>(
        _ type: U.Type = U.self,
        @_inheritActorContext callback: @escaping @isolated(any) @Sendable (Result<T, any Error>) throws -> U
    ) -> ResponseFuture<U> {
        safeResult().then(callback)
    }

    // MARK: Passing on

    /// Starts this future and ends another one as this one ends.
    public func fulfill(_ promise: ResponseFuture<T>) {
        promise.follow(self)
    }

    /// Starts another future and ends this one as that one ends.
    public func fulfill(with promise: ResponseFuture<T>) {
        follow(promise)
    }

    private func follow(_ source: ResponseFuture<T>) {
        core.follow(source.core, of: source)
        core.machine.retain(self)
    }
}
