/// One result, for any number of tasks that wait for it. The first result counts.
///
/// A one-shot lies in its owner, and its functions are specialized where they are used, so it costs neither an allocation
/// nor a look-up of type metadata. A ``SharedOneShot`` is an object of its own, for code that passes it on.
@usableFromInline
package struct OneShot<Value: Sendable>: ~Copyable, Sendable {
    @usableFromInline let state: _Locked<OneShotState<Value>>

    @inlinable
    package init() {
        state = _Locked(.pending)
    }

    /// The result. `nil` while there is none.
    @inlinable
    package var result: Result<Value, any Error>? { state.withLock { $0.result } }

    /// Sets the result and resumes the tasks that wait for it, unless there is a result already.
    ///
    /// - Returns: True if this call set the result.
    @inlinable
    @discardableResult
    package borrowing func resolve(_ result: Result<Value, any Error>) -> Bool {
        guard let last = state.withLock({ $0.resolve(result) }) else { return false }
        last.resume()
        return true
    }

    /// Waits for the result, on the caller's actor. Does not suspend if there is one, even if the task is cancelled.
    ///
    /// - Parameter cancellation: The effect of a cancellation of the task meanwhile.
    @inlinable
    @discardableResult
    package borrowing func value(onCancel cancellation: OneShotCancellation = .endsWait) async throws -> Value {
        let number = cancellation.makeNumber()
        let hasResult = await withCancellationHandler {
            await withCheckedContinuation { continuation in
                let wait = OneShotWait(number: number, continuation: continuation)
                let known = state.withLock { $0.add(wait) }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            _LockPoints.holdTurn {
                switch cancellation {
                case .endsWait: leave(number)
                case .resolves: resolve(.failure(CancellationError()))
                case .isIgnored: break
                case .calls(let handler): handler()
                }
            }
        }
        guard hasResult, let result else { throw CancellationError() }
        return try result.get()
    }

    /// Ends a wait without a result. Does nothing if it has ended, or has not begun: then it does not begin.
    @inlinable
    borrowing func leave(_ number: UInt64) {
        let left = state.withLock { $0.remove(number) }
        left?.continuation.resume(returning: false)
    }
}

/// The effect of the cancellation of a task that waits for a ``OneShot``.
@usableFromInline
package enum OneShotCancellation: Sendable {
    /// The task's own wait ends with `CancellationError`. Other tasks continue to wait.
    case endsWait
    /// `CancellationError` is the result, unless there is another already. ``OneShot/resolve(_:)`` then returns false, which
    /// tells its caller that the task no longer waits.
    case resolves
    /// The task continues to wait.
    case isIgnored
    /// A function is called, which may set the result.
    case calls(@Sendable () -> Void)

    private static let lastNumber = AtomicNumber()

    @usableFromInline
    func makeNumber() -> UInt64 {
        if case .endsWait = self { Self.lastNumber.increment() } else { 0 }
    }
}

/// A ``OneShot`` that is an object, for several owners, closures and lists.
package final class SharedOneShot<Value: Sendable>: Sendable {
    private let oneShot = OneShot<Value>()

    package init() {}

    /// The result. `nil` while there is none.
    package var result: Result<Value, any Error>? { oneShot.result }

    /// See ``OneShot/resolve(_:)``.
    @discardableResult
    package func resolve(_ result: Result<Value, any Error>) -> Bool { oneShot.resolve(result) }

    /// See ``OneShot/value(onCancel:)``.
    @discardableResult
    package func value(onCancel cancellation: OneShotCancellation = .endsWait) async throws -> Value {
        try await oneShot.value(onCancel: cancellation)
    }
}

extension QueryClock {
    /// - Throws: `CancellationError` if the task is cancelled first.
    package func sleep(for duration: Duration) async throws {
        let end = SharedOneShot<Void>()
        let alarm = schedule(at: now().advanced(by: duration)) { end.resolve(.success(())) }
        defer { alarm.cancel() }
        try await end.value(onCancel: .resolves)
    }
}

extension Task where Failure == any Error {
    /// Waits for the task's value. Cancelling the waiting task ends the wait, and leaves this task alone.
    package var valueUnlessCancelled: Success {
        get async throws {
            let end = SharedOneShot<Success>()
            Task<Void, Never> { end.resolve(await self.result) }
            return try await end.value(onCancel: .resolves)
        }
    }
}

// Not nested in `OneShot`, because the compiler (6.3) then does not find them from other files of a debug build.

/// The result of a ``OneShot``, or the tasks that wait for it. One needs no array.
@usableFromInline
package enum OneShotState<Value: Sendable> {
    case pending
    case awaited(OneShotWait)
    case awaitedByMany([OneShotWait])
    case resolved(Result<Value, any Error>)

    @inlinable
    var result: Result<Value, any Error>? {
        if case .resolved(let result) = self { result } else { nil }
    }

    /// - Returns: The state before, with the tasks to resume. `nil` if there was a result.
    @inlinable
    mutating func resolve(_ result: Result<Value, any Error>) -> OneShotState? {
        if case .resolved = self { return nil }
        let last = self
        self = .resolved(result)
        return last
    }

    @inlinable
    func resume() {
        switch self {
        case .pending, .resolved: break
        case .awaited(let wait): wait.continuation.resume(returning: true)
        case .awaitedByMany(let waits): for wait in waits { wait.continuation.resume(returning: true) }
        }
    }

    /// Adds a wait of the current task.
    ///
    /// - Returns: If the wait has ended already, true if there is a result. `nil` otherwise.
    @inlinable
    mutating func add(_ wait: OneShotWait) -> Bool? {
        if case .resolved = self { return true }
        // The cancellation may have come before there was a wait to end.
        if wait.number != 0, Task.isCancelled { return false }
        switch self {
        case .pending, .resolved: self = .awaited(wait)
        case .awaited(let first): self = .awaitedByMany([first, wait])
        case .awaitedByMany(let waits): self = .awaitedByMany(waits + [wait])
        }
        return nil
    }

    /// Removes and returns a wait, if it is there.
    @inlinable
    mutating func remove(_ number: UInt64) -> OneShotWait? {
        switch self {
        case .awaited(let wait) where wait.number == number:
            self = .pending
            return wait
        case .awaitedByMany(var waits):
            guard let index = waits.firstIndex(where: { $0.number == number }) else { return nil }
            let wait = waits.remove(at: index)
            self = .awaitedByMany(waits)
            return wait
        case .pending, .awaited, .resolved: return nil
        }
    }
}

/// A task that waits for a ``OneShot``. Not generic, so that waiting looks up no type metadata.
@usableFromInline
package struct OneShotWait: Sendable {
    /// Identifies a wait that can end without a result. 0 for any other.
    @usableFromInline let number: UInt64
    /// Resumed with true if there is a result.
    @usableFromInline let continuation: CheckedContinuation<Bool, Never>

    @inlinable
    init(number: UInt64, continuation: CheckedContinuation<Bool, Never>) {
        self.number = number
        self.continuation = continuation
    }
}
