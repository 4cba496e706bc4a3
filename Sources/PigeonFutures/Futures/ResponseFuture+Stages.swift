extension ResponseFuture {
    /// Returns a future that transforms the value. An error thrown by the closure is its error.
    public func then<U>(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> U
    ) -> ResponseFuture<U> {
        core.stage(of: self) { outcome, stage in
            await stage.settle { try await stage.call(callback, with: outcome.get()) }
        }
    }

    /// Returns a future that transforms the value, as ``then(_:)`` does.
    public func map<U>(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> U
    ) -> ResponseFuture<U> {
        then(callback)
    }

    /// Returns a future that transforms the value, as ``then(_:)`` does, with the type of the result named.
    public func map<U>(
        _ type: U.Type, @_inheritActorContext callback: @escaping @isolated(any) @Sendable (T) throws -> U
    ) -> ResponseFuture<U> {
        then(callback)
    }

    /// Returns a future that continues with another future, made from the value. `nil` cancels it.
    public func replace<U>(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> ResponseFuture<U>?
    ) -> ResponseFuture<U> {
        core.stage(of: self) { outcome, stage in
            await stage.follow { try await stage.call(callback, with: outcome.get()) }
        }
    }

    /// Returns a future that does not fail: its value is the value or the error as a `Result`. If this future is
    /// cancelled, so is that one.
    public func safeResult() -> ResponseFuture<Result<T, any Error>> {
        core.stage(of: self) { outcome, stage in
            await stage.settle {
                if outcome.isCancelled { throw CancellationError() }
                return outcome
            }
        }
    }

    /// Returns a future that transforms the value or the error.
    public func thenResult<U>(
        _ type: U.Type = U.self,
        @_inheritActorContext callback: @escaping @isolated(any) @Sendable (Result<T, any Error>) throws -> U
    ) -> ResponseFuture<U> {
        safeResult().then(callback)
    }

    // MARK: Fulfilling

    /// Starts this future, and ends another future as this one ends.
    public func fulfill(_ promise: ResponseFuture<T>) {
        promise.fulfill(with: self)
    }

    /// Starts another future, and ends this future as that one ends.
    public func fulfill(with promise: ResponseFuture<T>) {
        core.machine.retain(self)
        core.machine.follow(promise.core.machine, of: promise)
    }
}

extension ResponseFuture {
    /// Calls the handler with the value. An error that the handler throws makes the future fail, so that all errors
    /// reach one place.
    ///
    /// Handlers can be attached several times and at any time; each is called once.
    @discardableResult
    public func success(@_inheritActorContext _ handler: @escaping SuccessHandler) -> ResponseFuture<T> {
        attach(.success { try await handler(FutureValue<T>.open($0)) }, on: handler.isolation)
    }

    /// Calls the handler with the value, as ``success(_:)`` does.
    @discardableResult
    public func response(@_inheritActorContext _ handler: @escaping SuccessHandler) -> ResponseFuture<T> {
        success(handler)
    }

    /// Calls the handler with the error, wherever it arose: from the request to a ``success(_:)`` handler.
    @discardableResult
    public func error(@_inheritActorContext _ handler: @escaping ErrorHandler) -> ResponseFuture<T> {
        attach(.failure { await handler($0) }, on: handler.isolation)
    }

    /// Calls the handler with the value or the error.
    @discardableResult
    public func result(
        @_inheritActorContext _ handler: @escaping @isolated(any) @Sendable (Result<T, any Error>) throws -> Void
    ) -> ResponseFuture<T> {
        attach(.result { try await handler($0.map(FutureValue<T>.open)) }, on: handler.isolation)
    }

    /// Calls the handler when the future was cancelled.
    @discardableResult
    public func cancellation(
        @_inheritActorContext _ handler: @escaping CancellationHandler
    ) -> ResponseFuture<T> {
        attach(.cancellation { await handler() }, on: handler.isolation)
    }

    /// Calls the handler at the end, whatever the outcome, after all other handlers.
    @discardableResult
    public func completion(@_inheritActorContext _ handler: @escaping CompletionHandler) -> ResponseFuture<T> {
        attach(.completion { await handler() }, on: handler.isolation)
    }

    /// Calls the handler with the progress of the work at each change.
    @discardableResult
    public func progress(@_inheritActorContext _ handler: @escaping ProgressHandler) -> ResponseFuture<T> {
        attach(.progress { await handler($0) }, on: handler.isolation)
    }

    /// Calls the handler with the progress of the work, as ``progress(_:)`` does.
    @discardableResult
    public func updated(@_inheritActorContext _ handler: @escaping ProgressHandler) -> ResponseFuture<T> {
        progress(handler)
    }

    private func attach(_ closure: FutureHandler.Closure, on isolation: (any Actor)?) -> ResponseFuture<T> {
        core.machine.attach(closure, on: isolation)
        return self
    }
}
