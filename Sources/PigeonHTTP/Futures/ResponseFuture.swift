internal import Foundation
public import PigeonBase

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Work that is described now and started later, once.
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
/// Closures run where they were written: on the main actor in a view controller, without any change of thread elsewhere.
///
/// A started future is retained until it has ended, so you may keep a weak reference to it, to cancel it by. Once it has
/// ended, it retains nothing but its outcome. A future with an action of your own is the exception: it lives as long as
/// the action retains it.
public final class ResponseFuture<T: Sendable>: Sendable {
    /// Starts the future's work, and ends the future or hands it to who will.
    public typealias ActionCallback = @isolated(any) @Sendable (ResponseFuture<T>) throws -> Void
    /// Gets the value. What it throws makes the future fail.
    public typealias SuccessHandler = @isolated(any) @Sendable (T) throws -> Void
    /// Gets the error.
    public typealias ErrorHandler = @isolated(any) @Sendable (any Error) -> Void
    /// Called at the end, however it came.
    public typealias CompletionHandler = @isolated(any) @Sendable () -> Void
    /// Called when the future was cancelled.
    public typealias CancellationHandler = @isolated(any) @Sendable () -> Void
    /// Gets how far the work has come.
    public typealias ProgressHandler = @isolated(any) @Sendable (TransferProgress) -> Void

    /// How far a future has come.
    public enum Status: Sendable, Hashable {
        /// Nothing has happened yet.
        case created
        /// It runs, or its handlers are being called.
        case started
        /// It ended with a value.
        case success
        /// It ended with an error.
        case error
        /// It was cancelled.
        case cancelled
    }

    let core: FutureCore<T>

    init(_ core: FutureCore<T>) {
        self.core = core
        core.machine.addHandle()
    }

    deinit {
        core.machine.dropHandle()
    }

    /// How far the future has come. ``Status/success`` and ``Status/error`` follow their handlers and precede completion.
    public var status: Status {
        switch core.machine.phase {
        case .created: .created
        case .started, .ending: .started
        case .ended(.success): .success
        case .ended(.failure): .error
        case .ended(.cancelled): .cancelled
        }
    }

    /// Starts the future. Once more does nothing.
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
        core.finish(.success(object))
    }

    /// Ends the future with an error, unless it has ended. `CancellationError` and its like cancel it.
    public func fail(with error: any Error) {
        core.finish(FutureOutcome(error))
    }

    /// Ends the future without a result, and the work it waits for, down to the network. Cancellation handlers are called,
    /// then completion. Does nothing once a handler has been told of another end.
    public func cancel() {
        core.machine.cancel()
    }

    /// Tells how far the work has come. Handlers that are slower than this get the newest.
    public func update(progress: TransferProgress) {
        core.machine.update(progress)
    }
}

extension ResponseFuture {
    /// A future whose work is a closure that ends it, now or later, from any thread.
    ///
    /// - Parameter action: Called by ``start()``, on the thread of the caller where the closure's actor allows. What it
    ///   throws makes the future fail; one that lets go of the future without ending it, with ``FutureError/abandoned``.
    public convenience init(@_inheritActorContext action: @escaping ActionCallback) {
        self.init(on: action.isolation) { future in try await action(future) }
    }

    /// A future whose work is a closure that runs on an actor.
    convenience init(
        on isolation: (any Actor)?, action: @escaping @Sendable (ResponseFuture<T>) async throws -> Void
    ) {
        self.init(
            FutureCore(endedByHandle: { core, handle in
                let future = handle as? ResponseFuture<T> ?? ResponseFuture(core)
                core.begin {
                    try await core.run(on: isolation) { try await action(future) }
                }
            }))
    }

    /// A future that succeeds as soon as it is started.
    public convenience init(result: T) {
        self.init(FutureCore { core in core.finish(.success(result)) })
    }

    /// A future whose work is an async function, run in a task of its own. Cancelling the future cancels the task.
    ///
    /// - Parameter operation: Called by ``start()`` with a closure that takes how far it has come.
    @_disfavoredOverload
    public convenience init(operation: @escaping @Sendable (@escaping TransferReport) async throws -> T) {
        self.init(
            FutureCore { core in
                let task = launchImmediately {
                    do {
                        await core.settle(.success(try await operation(core.machine.update)))
                    } catch {
                        await core.settle(FutureOutcome((error as? HTTPError)?.underlying ?? error))
                    }
                }
                core.machine.onStop { task.cancel() }
            })
    }
}

extension ResponseFuture {
    /// Starts the future, if it is not, and waits for its end. Cancelling the caller's task cancels the future.
    ///
    /// All handlers have been called by then.
    ///
    /// - Throws: What went wrong; `CancellationError` when the future was cancelled.
    public var value: T {
        get async throws { try await core.outcome(of: self).get() }
    }

    /// Starts the future and waits for its end, as ``value`` does.
    public func fetchResult() async throws -> T {
        try await value
    }
}

extension ResponseFuture {
    /// A future that fails with `URLError.timedOut`, and cancels this one, when this one takes longer.
    ///
    /// - Parameters:
    ///   - duration: The longest time from the start to the end.
    ///   - clock: What measures it.
    public func timeout(_ duration: Duration, clock: any QueryClock = SystemClock()) -> ResponseFuture<T> {
        ResponseFuture(
            FutureCore<T> { stage in
                let source = self.core
                let deadline = clock.now().advanced(by: duration)
                let alarm = clock.schedule(at: deadline) { [weak machine = stage.machine] in
                    machine?.finish(.failure(URLError(.timedOut)))
                }
                stage.wait(for: source, of: self) { outcome, stage in
                    alarm.cancel()
                    await stage.settle(outcome)
                }
                stage.machine.onStop {
                    alarm.cancel()
                    source.machine.cancel()
                }
            })
    }
}
