extension ResponseFuture {
    /// Calls back with the value. What the handler throws makes the future fail, so that errors meet in one place.
    ///
    /// Handlers may be attached several times and at any time; each is called once.
    @discardableResult
    public func success(@_inheritActorContext _ handler: @escaping SuccessHandler) -> ResponseFuture<T> {
        attach(.success, handler.isolation) { event in
            if case .success(let value) = event { try await handler(FutureValue<T>.open(value)) }
        }
    }

    /// Calls back with the value, as ``success(_:)`` does.
    @discardableResult
    public func response(@_inheritActorContext _ handler: @escaping SuccessHandler) -> ResponseFuture<T> {
        success(handler)
    }

    /// Calls back with what went wrong, anywhere from the request to a ``success(_:)`` handler.
    @discardableResult
    public func error(@_inheritActorContext _ handler: @escaping ErrorHandler) -> ResponseFuture<T> {
        attach(.failure, handler.isolation) { event in
            if case .failure(let error) = event { await handler(error) }
        }
    }

    /// Calls back with the value or what went wrong.
    @discardableResult
    public func result(
        @_inheritActorContext _ handler: @escaping @isolated(any) @Sendable (Result<T, any Error>) throws -> Void
    ) -> ResponseFuture<T> {
        attach([.success, .failure], handler.isolation) { event in
            switch event {
            case .success(let value): try await handler(.success(FutureValue<T>.open(value)))
            case .failure(let error): try await handler(.failure(error))
            default: break
            }
        }
    }

    /// Calls back when the future was cancelled.
    @discardableResult
    public func cancellation(
        @_inheritActorContext _ handler: @escaping CancellationHandler
    ) -> ResponseFuture<T> {
        attach(.cancellation, handler.isolation) { _ in await handler() }
    }

    /// Calls back at the end, however it came, after all other handlers.
    @discardableResult
    public func completion(@_inheritActorContext _ handler: @escaping CompletionHandler) -> ResponseFuture<T> {
        attach(.completion, handler.isolation) { _ in await handler() }
    }

    /// Calls back with how far the work has come, as often as that changes.
    @discardableResult
    public func progress(@_inheritActorContext _ handler: @escaping ProgressHandler) -> ResponseFuture<T> {
        attach(.progress, handler.isolation) { event in
            if case .progress(let progress) = event { await handler(progress) }
        }
    }

    /// Calls back with how far the work has come, as ``progress(_:)`` does.
    @discardableResult
    public func updated(@_inheritActorContext _ handler: @escaping ProgressHandler) -> ResponseFuture<T> {
        progress(handler)
    }

    private func attach(
        _ kinds: FutureEventKinds, _ isolation: (any Actor)?,
        _ call: @escaping @Sendable (FutureEvent) async throws -> Void
    ) -> ResponseFuture<T> {
        core.machine.attach(FutureHandler(kinds, on: isolation, call))
        return self
    }
}
