internal import PigeonHTTP

/// A closure of the future's owner, with the actor it was written on. It is called once; a handler for progress, at
/// each change.
struct FutureHandler: Sendable {
    /// Called on `isolation`.
    enum Closure: Sendable {
        case progress(@Sendable (TransferProgress) async -> Void)
        case success(@Sendable (AnyFutureValue) async throws -> Void)
        case failure(@Sendable (any Error) async -> Void)
        case result(@Sendable (FutureState.Outcome) async throws -> Void)
        case cancellation(@Sendable () async -> Void)
        case completion(@Sendable () async -> Void)
    }

    let isolation: (any Actor)?
    let closure: Closure

    /// - Returns: `nil` if the handler is for other events.
    func call(with event: FutureEvent) -> FutureCall? {
        switch (event, closure) {
        case (.progress(let progress), .progress(let closure)): call(event) { await closure(progress) }
        case (.outcome(.success(let value)), .success(let closure)): call(event) { try await closure(value) }
        case (.outcome(.failure(is CancellationError)), .cancellation(let closure)): call(event, closure)
        case (.outcome(.failure(is CancellationError)), _): nil
        case (.outcome(.failure(let error)), .failure(let closure)): call(event) { await closure(error) }
        case (.outcome(let outcome), .result(let closure)): call(event) { try await closure(outcome) }
        case (.completion, .completion(let closure)): call(event, closure)
        default: nil
        }
    }

    private func call(_ event: FutureEvent, _ body: @escaping @Sendable () async throws -> Void) -> FutureCall {
        FutureCall(event: event, isolation: isolation, body: body)
    }
}

enum FutureEvent: Sendable {
    case progress(TransferProgress)
    case outcome(FutureState.Outcome)
    case completion
}

/// A call of a handler with an event.
struct FutureCall: Sendable {
    let event: FutureEvent
    let isolation: (any Actor)?
    /// Called on `isolation`.
    let body: @Sendable () async throws -> Void
}

/// The next stage, or a task that awaits the value. It is notified when the future has ended and its handlers have been
/// called.
struct FutureFollower: Sendable {
    let end: @Sendable (FutureState.Outcome) async -> Void
    /// Receives the progress of the future.
    var report: TransferReport?
}
