internal import PigeonBase

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
