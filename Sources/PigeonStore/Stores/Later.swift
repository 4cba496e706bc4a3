import CombineShim
import PigeonCore

/// Does something at each subscription, and sends what comes of it, on the thread that brings it. Cancelling a subscription
/// stops only the sending.
func later<Output: Sendable>(_ action: @escaping @Sendable () async -> Output) -> AnyPublisher<Output, Never> {
    Deferred {
        Future<Output, Never> { promise in
            let promise = Promise(call: promise)
            launchImmediately { promise.call(.success(await action())) }
        }
    }
    .eraseToAnyPublisher()
}

/// The same of what may fail.
func laterThrowing<Output: Sendable>(
    _ action: @escaping @Sendable () async throws -> Output
) -> AnyPublisher<Output, any Error> {
    Deferred {
        Future<Output, any Error> { promise in
            let promise = Promise(call: promise)
            launchImmediately { promise.call(await Result { try await action() }) }
        }
    }
    .eraseToAnyPublisher()
}

private struct Promise<Output, Failure: Error>: @unchecked Sendable {  // a future may be fulfilled on any thread
    let call: (Result<Output, Failure>) -> Void
}
