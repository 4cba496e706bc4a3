public import Foundation
public import PigeonCore

/// A client in a controlled environment: the test decides about time, random numbers, network and foreground.
///
/// ```swift
/// let lab = QueryLab(seed: 7)
/// let fetcher = lab.fetcher(returning: User.self)
/// let observer = lab.client.observe(QueryDefinition("users", 1, fetch: fetcher.fetch).staleAfter(.seconds(30)))
/// fetcher.succeed(with: ann)
/// lab.advance(by: .seconds(31))
/// #expect(lab.log == ["users/1 fetching (observed)", "users/1 fresh", "users/1 stale"])
/// ```
///
/// Fetches run on the test's thread, in a fixed order, whenever the test calls ``settle()``, ``advance(by:)``, or a
/// function that answers one of the lab's fetchers. Nothing sleeps, and there are no races.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public final class QueryLab: Sendable {
    /// The client under test.
    public let client: QueryClient
    /// The client's clock.
    public let clock: ManualClock
    /// The client's random source.
    public let random: SeededRandom
    /// The client's environment.
    public let environment: QueryEnvironment
    private let recorder: EventRecorder
    private let executor: ManualExecutor
    private let offset: OffsetBox

    /// Creates a lab that is online, in the foreground, at 2001-01-01 00:00 UTC.
    public init(
        seed: UInt64 = 1, cache: (any QueryCacheType)? = nil, options: QueryOptions = QueryOptions(),
        budget: Int? = nil
    ) {
        let (clock, random, executor) = (ManualClock(), SeededRandom(seed: seed), ManualExecutor())
        let offset = OffsetBox()
        self.offset = offset
        environment = QueryEnvironment(
            clock: clock,
            wallClock: { clock.date + offset.seconds },
            random: { random.next() },
            launch: { operation in executor.launch(operation) })
        self.clock = clock
        self.random = random
        self.executor = executor
        client = QueryClient(cache: cache, options: options, budget: budget, environment: environment)
        recorder = EventRecorder(client)
    }

    /// Every event so far, as one line of text each.
    public var log: [String] { recorder.lines }

    /// Every event so far.
    public var events: [QueryEvent] { recorder.events }

    /// Clears the log, and returns its lines.
    @discardableResult
    public func clearLog() -> [String] { recorder.clear() }

    /// Creates a fetcher. When the test answers it, all resulting work is done before the call returns.
    public func fetcher<Value: Sendable>(
        returning type: Value.Type, ignoringCancellation: Bool = false
    ) -> ScriptedFetcher<Value> {
        ScriptedFetcher(returning: type, ignoringCancellation: ignoringCancellation) { [weak executor] in
            executor?.drain()
        }
    }

    /// Runs all work that is ready, until the rest waits for an answer, the clock, the network or the foreground.
    public func settle() {
        executor.drain()
    }

    /// Advances the clock, and runs the work that becomes ready at each point in time.
    public func advance(by duration: Duration) {
        settle()
        clock.advance(by: duration) { settle() }
        settle()
    }

    /// Sets the wall clock forward or back, without moving the engine's clock.
    public func shiftWallClock(by seconds: TimeInterval) {
        offset.shift(by: seconds)
    }

    /// Turns the network on or off.
    public func setOnline(_ isOnline: Bool) {
        environment.connectivity.set(isOnline)
        settle()
    }

    /// Moves the program to the foreground or the background.
    public func setActive(_ isActive: Bool) {
        environment.activity.set(isActive)
        settle()
    }

    /// Starts a task that the lab runs. Its result is available once the lab has settled.
    public func start<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) -> LabTask<Value> {
        let outcome = LabTask<Value>.Box()
        let task = executor.launch {
            do { outcome.put(.success(try await operation())) } catch { outcome.put(.failure(error)) }
        }
        executor.drain()
        return LabTask(task: task, box: outcome) { [weak executor] in executor?.drain() }
    }
}

/// The offset of the wall clock.
private final class OffsetBox: Sendable {
    private let value = Locked<TimeInterval>(0)
    var seconds: TimeInterval { value.withLock { $0 } }
    func shift(by seconds: TimeInterval) { value.withLock { $0 += seconds } }
}

/// A task that a ``QueryLab`` runs.
public struct LabTask<Value: Sendable>: Sendable {
    final class Box: Sendable {
        private let result = Locked<Result<Value, any Error>?>(nil)

        func put(_ new: Result<Value, any Error>) { result.withLock { $0 = new } }
        var value: Result<Value, any Error>? { result.withLock { $0 } }
    }

    let task: Task<Void, Never>
    let box: Box
    let settle: @Sendable () -> Void

    /// The result of the task. `nil` while it runs.
    public var result: Result<Value, any Error>? { box.value }

    /// The value. `nil` while the task runs, and if it failed.
    public var value: Value? { try? box.value?.get() }

    /// The error. `nil` while the task runs, and if it succeeded.
    public var error: (any Error)? {
        if case .failure(let error) = box.value { error } else { nil }
    }

    /// Cancels the task, and runs the resulting work.
    public func cancel() {
        task.cancel()
        settle()
    }
}
