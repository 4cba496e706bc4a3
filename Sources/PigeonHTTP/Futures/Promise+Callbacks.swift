extension Promise {
    /// Calls back with the value. What the handler throws is an error of the promise.
    ///
    /// Handlers may be attached several times and at any time; each is called once.
    @discardableResult
    public func success(@_inheritActorContext _ handler: @escaping SuccessHandler) -> Promise<T, E> {
        attach(handler.isolation) { outcome in
            if case .success(let value) = outcome { try await handler(value) }
        }
    }

    /// Calls back with the failure. What the handler throws is an error of the promise.
    @discardableResult
    public func failure(@_inheritActorContext _ handler: @escaping FailureHandler) -> Promise<T, E> {
        attach(handler.isolation) { outcome in
            if case .failure(let failure) = outcome { try await handler(failure) }
        }
    }

    /// Calls back with what went wrong otherwise.
    @discardableResult
    public func error(@_inheritActorContext _ handler: @escaping ErrorHandler) -> Promise<T, E> {
        base.error(handler)
        return self
    }

    /// Calls back when the promise was cancelled.
    @discardableResult
    public func cancellation(@_inheritActorContext _ handler: @escaping CancellationHandler) -> Promise<T, E> {
        base.cancellation(handler)
        return self
    }

    /// Calls back at the end, however it came, after all other handlers.
    @discardableResult
    public func completion(@_inheritActorContext _ handler: @escaping CompletionHandler) -> Promise<T, E> {
        base.completion(handler)
        return self
    }

    private func attach(
        _ isolation: (any Actor)?, _ call: @escaping @Sendable (PromiseValue<T, E>) async throws -> Void
    ) -> Promise<T, E> {
        base.core.machine.attach(
            FutureHandler(.success, on: isolation) { event in
                guard case .success(let value) = event else { return }
                try await call(FutureValue<PromiseValue<T, E>>.open(value))
            })
        return self
    }
}
