internal import PigeonBase
internal import PigeonHTTP

/// Gives a ``FutureMachine`` the type of its value. All values go in and out through it.
struct FutureCore<T: Sendable>: Sendable {
    let machine: FutureMachine

    /// - Parameter begin: Called once, when the future is started, with the handle that started it.
    init(begin: @escaping @Sendable (FutureCore<T>, FutureHandle) -> Void) {
        machine = FutureMachine { machine, handle in begin(FutureCore(machine), handle) }
    }

    private init(_ machine: FutureMachine) {
        self.machine = machine
    }

    /// Ends the future from outside, with a value.
    func finish(_ value: T) {
        machine.finish(.success(FutureValue(value)))
    }

    /// Ends the future from a source, with the result of a closure.
    func settle(by work: () async throws -> T) async {
        do {
            await machine.settle(.success(FutureValue(try await work())))
        } catch {
            await machine.settle(.failed(error))
        }
    }

    /// The value of a future that has ended.
    ///
    /// - Throws: The future's error, or `CancellationError` if it was cancelled or has not ended.
    func get() throws -> T {
        guard case .ended(let outcome) = machine.phase else { throw CancellationError() }
        return FutureValue<T>.open(try outcome.get())
    }

    /// Calls a closure of the future's owner on its actor, unless the future has ended.
    func call<Input: Sendable, Output: Sendable>(
        _ callback: @isolated(any) @Sendable (Input) throws -> Output, with input: Input
    ) async throws -> Output {
        try await machine.call(on: callback.isolation) { try await callback(input) }
    }

    /// Starts the future that a closure returns, and ends as it does. `nil` cancels.
    func follow(_ next: () async throws -> ResponseFuture<T>?) async {
        do {
            guard let next = try await next() else { throw CancellationError() }
            machine.follow(next.core.machine, of: next)
        } catch {
            await machine.settle(.failed(error))
        }
    }

    /// Returns a future that continues when this one has ended: `next` settles it, or lets it follow another one.
    ///
    /// - Parameter handle: This future's handle, which the stage retains until it is started.
    func stage<U>(
        of handle: FutureHandle, _ next: @escaping @Sendable (Result<T, any Error>, FutureCore<U>) async -> Void
    ) -> ResponseFuture<U> {
        ResponseFuture<U>(begin: { stage, _ in
            stage.machine.wait(for: machine) { await next($0.map(FutureValue<T>.open), stage) }
            machine.start(by: handle)
        })
    }
}

typealias AnyFutureValue = any AnyObject & Sendable

/// A future's value. A ``FutureCore`` puts it into its machine, and takes it out.
final class FutureValue<T: Sendable>: Sendable {
    private let value: T

    init(_ value: T) {
        self.value = value
    }

    static func open(_ value: AnyFutureValue) -> T {
        unsafeDowncast(value, to: FutureValue<T>.self).value  // a core has only one type of value
    }
}
