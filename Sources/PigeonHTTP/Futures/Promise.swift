/// An answer of a server as a success or a failure, by its status.
public typealias ResponsePromise<T: Sendable, E: Sendable> = Promise<SuccessResponse<T>, ErrorResponse<E>>

/// A future that can fail with a value: what a server says when it says no is not lost among the errors.
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
/// A ``ResponseFuture`` in all else: its closures run where they were written, it ends once, and each handler is called
/// once.
public final class Promise<T: Sendable, E: Sendable>: Sendable {
    /// Starts the promise's work, and ends the promise or hands it to who will.
    public typealias ActionCallback = @isolated(any) @Sendable (Promise<T, E>) throws -> Void
    /// Gets the value. What it throws is an error of the promise.
    public typealias SuccessHandler = @isolated(any) @Sendable (T) throws -> Void
    /// Gets the failure. What it throws is an error of the promise.
    public typealias FailureHandler = @isolated(any) @Sendable (E) throws -> Void
    /// Gets the error.
    public typealias ErrorHandler = @isolated(any) @Sendable (any Error) -> Void
    /// Called at the end, however it came.
    public typealias CompletionHandler = @isolated(any) @Sendable () -> Void
    /// Called when the promise was cancelled.
    public typealias CancellationHandler = @isolated(any) @Sendable () -> Void

    /// How far a promise has come.
    public enum Status: Sendable, Hashable {
        /// Nothing has happened yet.
        case created
        /// It runs, or its handlers are being called.
        case started
        /// It ended with a failure.
        case failure
        /// It ended with a value.
        case success
        /// It ended with an error.
        case error
        /// It was cancelled.
        case cancelled
    }

    /// What a promise is made of.
    let base: ResponseFuture<PromiseValue<T, E>>

    init(_ base: ResponseFuture<PromiseValue<T, E>>) {
        self.base = base
    }

    /// A promise whose work is a closure that ends it, now or later, from any thread.
    ///
    /// - Parameter action: Called by ``start()``, on the thread of the caller where the closure's actor allows. What it
    ///   throws is the promise's error, ``FutureError/abandoned`` that of one that lets go of the promise without ending
    ///   it.
    public convenience init(@_inheritActorContext action: @escaping ActionCallback) {
        self.init(
            ResponseFuture(
                FutureCore(endedByHandle: { core, handle in
                    let promise = handle as? Promise<T, E> ?? Promise(ResponseFuture(core))
                    core.begin {
                        try await core.run(on: action.isolation) { try await action(promise) }
                    }
                })))
    }

    /// How far the promise has come.
    public var status: Status {
        switch base.status {
        case .created: .created
        case .started: .started
        case .success: hasFailed ? .failure : .success
        case .error: .error
        case .cancelled: .cancelled
        }
    }

    private var hasFailed: Bool {
        guard case .ended(.success(let value)) = base.core.machine.phase else { return false }
        return FutureValue<PromiseValue<T, E>>.open(value).isFailure
    }

    /// Starts the promise. Once more does nothing.
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

    /// Ends the promise without a result, and the work it waits for, down to the network.
    public func cancel() { base.cancel() }
}

/// What a promise can end with, beside errors.
enum PromiseValue<T: Sendable, E: Sendable>: Sendable {
    case success(T)
    case failure(E)

    var isFailure: Bool {
        switch self {
        case .success: false
        case .failure: true
        }
    }
}

extension Promise {
    /// A promise with what the value is turned into. What the closure throws is its error.
    public func then<U>(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (T) throws -> U
    ) -> Promise<U, E> {
        stage { value, stage in
            switch value {
            case .success(let value):
                .success(try await stage.run(on: callback.isolation) { try await callback(value) })
            case .failure(let failure): .failure(failure)
            }
        }
    }

    /// A promise with what the failure is turned into. What the closure throws is its error.
    public func thenFailure<U>(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (E) throws -> U
    ) -> Promise<T, U> {
        stage { value, stage in
            switch value {
            case .success(let value): .success(value)
            case .failure(let failure):
                .failure(try await stage.run(on: callback.isolation) { try await callback(failure) })
            }
        }
    }

    /// A future with the value, or what the failure is turned into. What the closure throws is its error.
    public func future(
        @_inheritActorContext _ callback: @escaping @isolated(any) @Sendable (E) throws -> T
    ) -> ResponseFuture<T> {
        base.core.stage(of: self) { value, stage in
            switch value {
            case .success(let value): await stage.settle(.success(value))
            case .failure(let failure):
                let value = try await stage.run(on: callback.isolation) { try await callback(failure) }
                await stage.settle(.success(value))
            }
        }
    }

    /// Starts this promise and ends another one as this one ends.
    public func fulfill(_ promise: Promise<T, E>) { promise.follow(self) }

    /// Starts another promise and ends this one as that one ends.
    public func fulfill(with promise: Promise<T, E>) { follow(promise) }

    private func follow(_ source: Promise<T, E>) {
        base.core.follow(source.base.core, of: source)
        base.core.machine.retain(self)
    }

    private func stage<U, F>(
        _ next:
            @escaping @Sendable (PromiseValue<T, E>, FutureCore<PromiseValue<U, F>>) async throws
            -> PromiseValue<U, F>
    ) -> Promise<U, F> {
        Promise<U, F>(
            base.core.stage(of: self) { value, stage in
                await stage.settle(.success(try await next(value, stage)))
            })
    }
}

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
