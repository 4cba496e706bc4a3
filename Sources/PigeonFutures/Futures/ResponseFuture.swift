public import Foundation
public import PigeonBase
public import PigeonHTTP

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Work that is described first and started later, once.
///
/// ```swift
/// dispatcher.future(from: request).then { response in
///     try response.decode(Post.self)
/// }.response { post in
///     show(post)
/// }.error { error in
///     show(error)
/// }.send()
/// ```
///
/// Closures run where they were written: on the main actor in a view controller, and elsewhere without a change of
/// thread.
///
/// A started future is retained until it has ended, so you can keep a weak reference to it and cancel it by that. Once
/// it has ended, it retains only its outcome. A future with an action of your own is the exception: it lives as long as
/// the action retains it.
public final class ResponseFuture<T: Sendable>: Sendable {
    /// Starts the future's work, and ends the future or passes it to code that will.
    public typealias ActionCallback = @isolated(any) @Sendable (ResponseFuture<T>) throws -> Void
    /// Receives the value. A thrown error makes the future fail.
    public typealias SuccessHandler = @isolated(any) @Sendable (T) throws -> Void
    /// Receives the error.
    public typealias ErrorHandler = @isolated(any) @Sendable (any Error) -> Void
    /// Called at the end, whatever the outcome.
    public typealias CompletionHandler = @isolated(any) @Sendable () -> Void
    /// Called when the future was cancelled.
    public typealias CancellationHandler = @isolated(any) @Sendable () -> Void
    /// Receives the progress of the work.
    public typealias ProgressHandler = @isolated(any) @Sendable (TransferProgress) -> Void

    /// The state of a future.
    public enum Status: Sendable, Hashable {
        /// The future has not been started.
        case created
        /// The future runs, or its handlers are being called.
        case started
        /// The future ended with a value.
        case success
        /// The future ended with an error.
        case error
        /// The future was cancelled.
        case cancelled
    }

    let core: FutureCore<T>

    init(_ core: FutureCore<T>) {
        self.core = core
    }

    /// - Parameter begin: Called once, when the future is started, with the handle that started it.
    convenience init(begin: @escaping @Sendable (FutureCore<T>, FutureHandle) -> Void) {
        self.init(FutureCore(begin: begin))
    }

    deinit {
        core.machine.abandon()
    }

    /// The state of the future. It becomes ``Status/success`` or ``Status/error`` after the handlers for these, and
    /// before completion handlers.
    public var status: Status {
        switch core.machine.phase {
        case .created: .created
        case .started, .ending: .started
        case .ended(.success): .success
        case .ended(let outcome): outcome.isCancelled ? .cancelled : .error
        }
    }

    /// Starts the future. Does nothing if it has been started.
    @discardableResult
    public func start() -> ResponseFuture<T> {
        core.machine.start(by: self)
        return self
    }

    /// Starts the future, as ``start()`` does.
    @discardableResult
    public func send() -> ResponseFuture<T> { start() }

    /// Ends the future with a value, unless it has ended.
    public func succeed(with object: T) {
        core.finish(object)
    }

    /// Ends the future with an error, unless it has ended. `CancellationError`, and other errors that mean the same,
    /// cancel it.
    public func fail(with error: any Error) {
        core.machine.finish(.failed(error))
    }

    /// Ends the future without a result, and cancels the work it waits for, down to the network. Cancellation handlers
    /// are called, then completion handlers. Does nothing once a handler has received another outcome.
    public func cancel() {
        core.machine.cancel()
    }

    /// Reports the progress of the work. A handler that is slower than the reports receives the newest.
    public func update(progress: TransferProgress) {
        core.machine.update(progress)
    }
}

extension ResponseFuture {
    /// Creates a future whose work is a closure that ends it, now or later, from any thread.
    ///
    /// - Parameter action: Called by ``start()``, on the caller's thread where the closure's actor allows. A thrown
    ///   error makes the future fail. An action that releases the future without ending it makes it fail with
    ///   ``FutureError/abandoned``.
    public convenience init(@_inheritActorContext action: @escaping ActionCallback) {
        self.init(begin: { core, handle in
            let future = handle as? ResponseFuture<T> ?? ResponseFuture(core)
            core.machine.act(on: action.isolation) { try await action(future) }
        })
    }

    /// Creates a future that succeeds as soon as it is started.
    public convenience init(result: T) {
        self.init(begin: { core, _ in core.finish(result) })
    }

    /// Creates a future whose work is an async function, run in a task of its own. Cancelling the future cancels the
    /// task.
    ///
    /// - Parameter operation: Called by ``start()`` with a closure that reports progress.
    @_disfavoredOverload
    public convenience init(operation: @escaping @Sendable (@escaping TransferReport) async throws -> T) {
        self.init(begin: { core, _ in
            core.machine.run {
                await core.settle {
                    do {
                        return try await operation(core.machine.update)
                    } catch let error as HTTPError {
                        throw error.underlying
                    }
                }
            }
        })
    }

    /// Creates a future that creates an object on an actor, such as a request, and continues with the future that
    /// `send` returns for it. Without an object, it is cancelled.
    convenience init<Made: Sendable>(
        on isolation: (any Actor)?, making make: @escaping @Sendable () async throws -> Made?,
        sending send: @escaping @Sendable (Made) -> ResponseFuture<T>
    ) {
        self.init(begin: { core, _ in
            core.machine.run { await core.follow { try await core.machine.call(on: isolation, make).map(send) } }
        })
    }
}

extension ResponseFuture {
    /// The future's value. Starts the future if needed, and waits for its end. Cancelling the caller's task cancels the
    /// future.
    ///
    /// All handlers have been called when it returns.
    ///
    /// - Throws: The future's error, or `CancellationError` if the future was cancelled.
    public var value: T {
        get async throws { FutureValue<T>.open(try await core.machine.value(of: self)) }
    }

    /// Starts the future and waits for its end, as ``value`` does.
    public func fetchResult() async throws -> T {
        try await value
    }
}

extension ResponseFuture {
    /// Returns a future that fails with `URLError.timedOut`, and cancels this one, if this one takes too long.
    ///
    /// - Parameters:
    ///   - duration: The longest time from the start to the end.
    ///   - clock: Measures the time.
    public func timeout(_ duration: Duration, clock: any QueryClock = SystemClock()) -> ResponseFuture<T> {
        ResponseFuture(begin: { stage, _ in
            let alarm = clock.schedule(at: clock.now().advanced(by: duration)) { [weak machine = stage.machine] in
                machine?.finish(.failure(URLError(.timedOut)))
            }
            stage.machine.attach(.completion { alarm.cancel() })
            stage.machine.follow(self.core.machine, of: self)
        })
    }
}

/// An error of a future itself.
public enum FutureError: Error, Sendable, Hashable {
    /// The future's action released the future without completing it, so that no code was left that could. Call
    /// `succeed(with:)`, `fail(with:)` or `cancel()` on every path of the action.
    case abandoned
}

extension FutureError: CustomStringConvertible {
    /// Describes the problem and the remedy.
    public var description: String {
        "A future's action released the future without completing it: call succeed(with:), fail(with:) or cancel() on every"
            + " path of the action, or hold the future as long as it is to run."
    }
}

extension FutureError: LocalizedError, LocalizedReadableError {
    package var userText: UserText { .somethingWentWrong }
}
