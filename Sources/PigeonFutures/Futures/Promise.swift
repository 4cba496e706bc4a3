public import PigeonHTTP

/// A promise of a server's response: a success or a failure, by its status.
public typealias ResponsePromise<T: Sendable, E: Sendable> = Promise<SuccessResponse<T>, ErrorResponse<E>>

/// A future that can also fail with a value, such as the body of an error response.
///
/// ```swift
/// dispatcher.promise(from: request).success { response in
///     show(try response.decode(Post.self))
/// }.failure { response in
///     show(try response.decode(Problem.self))
/// }.error { error in
///     show(error)
/// }.send()
/// ```
///
/// Otherwise, it behaves like a ``ResponseFuture``: its closures run where they were written, it ends once, and each
/// handler is called once.
public final class Promise<T: Sendable, E: Sendable>: Sendable {
    /// Starts the promise's work, and ends the promise or passes it to code that will.
    public typealias ActionCallback = @isolated(any) @Sendable (Promise<T, E>) throws -> Void
    /// Receives the value. A thrown error is the promise's error.
    public typealias SuccessHandler = @isolated(any) @Sendable (T) throws -> Void
    /// Receives the failure. A thrown error is the promise's error.
    public typealias FailureHandler = @isolated(any) @Sendable (E) throws -> Void
    /// Receives the error.
    public typealias ErrorHandler = @isolated(any) @Sendable (any Error) -> Void
    /// Called at the end, whatever the outcome.
    public typealias CompletionHandler = @isolated(any) @Sendable () -> Void
    /// Called when the promise was cancelled.
    public typealias CancellationHandler = @isolated(any) @Sendable () -> Void

    /// The state of a promise.
    public enum Status: Sendable, Hashable {
        /// The promise has not been started.
        case created
        /// The promise runs, or its handlers are being called.
        case started
        /// The promise ended with a failure.
        case failure
        /// The promise ended with a value.
        case success
        /// The promise ended with an error.
        case error
        /// The promise was cancelled.
        case cancelled
    }

    let base: ResponseFuture<PromiseValue<T, E>>

    init(_ base: ResponseFuture<PromiseValue<T, E>>) {
        self.base = base
    }

    /// Creates a promise whose work is a closure that ends it, now or later, from any thread.
    ///
    /// - Parameter action: Called by ``start()``, on the caller's thread where the closure's actor allows. A thrown
    ///   error is the promise's error. An action that releases the promise without ending it gives the error
    ///   ``FutureError/abandoned``.
    public convenience init(@_inheritActorContext action: @escaping ActionCallback) {
        self.init(
            ResponseFuture(begin: { core, handle in
                let promise = handle as? Promise<T, E> ?? Promise(ResponseFuture(core))
                core.machine.act(on: action.isolation) { try await action(promise) }
            }))
    }

    /// The state of the promise.
    public var status: Status {
        switch base.core.machine.phase {
        case .created: .created
        case .started, .ending: .started
        case .ended(.success(let value)):
            if case .success = FutureValue<PromiseValue<T, E>>.open(value) { .success } else { .failure }
        case .ended(let outcome): outcome.isCancelled ? .cancelled : .error
        }
    }

    /// Starts the promise. Does nothing if it has been started.
    @discardableResult
    public func start() -> Promise<T, E> {
        base.core.machine.start(by: self)
        return self
    }

    /// Starts the promise, as ``start()`` does.
    @discardableResult
    public func send() -> Promise<T, E> { start() }

    /// Ends the promise with a value, unless it has ended.
    public func succeed(with object: T) { base.succeed(with: .success(object)) }

    /// Ends the promise with a failure, unless it has ended.
    public func fail(with object: E) { base.succeed(with: .failure(object)) }

    /// Ends the promise with an error, unless it has ended.
    public func `catch`(_ error: any Error) { base.fail(with: error) }

    /// Ends the promise without a result, and cancels the work it waits for, down to the network.
    public func cancel() { base.cancel() }
}

/// The outcome of a promise that did not end with an error.
enum PromiseValue<T: Sendable, E: Sendable>: Sendable {
    case success(T)
    case failure(E)
}

extension Promise {
    /// Returns a promise that transforms the value. An error thrown by the closure is its error.
    public func then<U>(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> U
    ) -> Promise<U, E> {
        Promise<U, E>(
            base.core.stage(of: self) { outcome, stage in
                await stage.settle {
                    switch try outcome.get() {
                    case .success(let value): .success(try await stage.call(callback, with: value))
                    case .failure(let failure): .failure(failure)
                    }
                }
            })
    }

    /// Returns a promise that transforms the failure. An error thrown by the closure is its error.
    public func thenFailure<U>(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (E) throws -> U
    ) -> Promise<T, U> {
        Promise<T, U>(
            base.core.stage(of: self) { outcome, stage in
                await stage.settle {
                    switch try outcome.get() {
                    case .success(let value): .success(value)
                    case .failure(let failure): .failure(try await stage.call(callback, with: failure))
                    }
                }
            })
    }

    /// Returns a future with the value, or with the value made from the failure. An error thrown by the closure is its
    /// error.
    public func future(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (E) throws -> T
    ) -> ResponseFuture<T> {
        base.core.stage(of: self) { outcome, stage in
            await stage.settle {
                switch try outcome.get() {
                case .success(let value): value
                case .failure(let failure): try await stage.call(callback, with: failure)
                }
            }
        }
    }

    /// Starts this promise, and ends another promise as this one ends.
    public func fulfill(_ promise: Promise<T, E>) { promise.fulfill(with: self) }

    /// Starts another promise, and ends this promise as that one ends.
    public func fulfill(with promise: Promise<T, E>) {
        base.core.machine.retain(self)
        base.core.machine.follow(promise.base.core.machine, of: promise)
    }
}

extension Promise {
    /// Calls the handler with the value. An error that the handler throws is the promise's error.
    ///
    /// Handlers can be attached several times and at any time; each is called once.
    @discardableResult
    public func success(@_inheritActorContext _ handler: @escaping SuccessHandler) -> Promise<T, E> {
        attach(handler.isolation) { value in
            if case .success(let value) = value { try await handler(value) }
        }
    }

    /// Calls the handler with the failure. An error that the handler throws is the promise's error.
    @discardableResult
    public func failure(@_inheritActorContext _ handler: @escaping FailureHandler) -> Promise<T, E> {
        attach(handler.isolation) { value in
            if case .failure(let failure) = value { try await handler(failure) }
        }
    }

    /// Calls the handler with any other error.
    @discardableResult
    public func error(@_inheritActorContext _ handler: @escaping ErrorHandler) -> Promise<T, E> {
        base.error(handler)
        return self
    }

    /// Calls the handler when the promise was cancelled.
    @discardableResult
    public func cancellation(@_inheritActorContext _ handler: @escaping CancellationHandler) -> Promise<T, E> {
        base.cancellation(handler)
        return self
    }

    /// Calls the handler at the end, whatever the outcome, after all other handlers.
    @discardableResult
    public func completion(@_inheritActorContext _ handler: @escaping CompletionHandler) -> Promise<T, E> {
        base.completion(handler)
        return self
    }

    private func attach(
        _ isolation: (any Actor)?, _ call: @escaping @Sendable (PromiseValue<T, E>) async throws -> Void
    ) -> Promise<T, E> {
        base.core.machine.attach(.success { try await call(FutureValue.open($0)) }, on: isolation)
        return self
    }
}
