internal import PigeonBase

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
