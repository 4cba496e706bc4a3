public import Foundation
public import PigeonCore

/// A client in a world that stands still: time, chance, network and foreground do what the test says.
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
/// Fetches run on the test's own thread, in one order, whenever the lab is driven: by ``settle()``, ``advance(by:)``, or
/// an answer of one of its fetchers. Nothing sleeps and nothing races.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
public final class QueryLab: Sendable {
    /// The client under test.
    public let client: QueryClient
    /// Its clock.
    public let clock: ManualClock
    /// Its random source.
    public let random: SeededRandom
    /// Its surroundings.
    public let environment: QueryEnvironment
    private let recorder: EventRecorder
    private let executor: ManualExecutor
    private let offset: OffsetBox

    /// Creates a lab: online, in the foreground, at 2001-01-01 00:00 UTC.
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

    /// Every event so far, a line each.
    public var log: [String] { recorder.lines }

    /// Every event so far.
    public var events: [QueryEvent] { recorder.events }

    /// Forgets the log, and says what it was.
    @discardableResult
    public func clearLog() -> [String] { recorder.clear() }

    /// A fetcher whose answers the lab carries through before they return.
    public func fetcher<Value: Sendable>(
        returning type: Value.Type, ignoringCancellation: Bool = false
    ) -> ScriptedFetcher<Value> {
        ScriptedFetcher(returning: type, ignoringCancellation: ignoringCancellation) { [weak executor] in
            executor?.drain()
        }
    }

    /// Runs what is ready, until all that is left waits for an answer, the clock or a switch.
    public func settle() {
        executor.drain()
    }

    /// Moves the clock, and carries through what that starts, moment by moment.
    public func advance(by duration: Duration) {
        settle()
        clock.advance(by: duration) { settle() }
        settle()
    }

    /// Sets the wall clock forward, or back, without moving the engine's clock.
    public func shiftWallClock(by seconds: TimeInterval) {
        offset.shift(by: seconds)
    }

    /// Switches the network.
    public func setOnline(_ isOnline: Bool) {
        environment.connectivity.set(isOnline)
        settle()
    }

    /// Brings the program to the foreground, or the background.
    public func setActive(_ isActive: Bool) {
        environment.activity.set(isActive)
        settle()
    }

    /// Starts a task that the lab drives. Its outcome is there once the lab has settled.
    public func start<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) -> LabTask<Value> {
        let outcome = LabTask<Value>.Box()
        let task = executor.launch {
            do { outcome.put(.success(try await operation())) } catch { outcome.put(.failure(error)) }
        }
        executor.drain()
        return LabTask(task: task, box: outcome) { [weak executor] in executor?.drain() }
    }
}

/// By how much the wall clock was set.
private final class OffsetBox: Sendable {
    private let value = Locked<TimeInterval>(0)
    var seconds: TimeInterval { value.withLock { $0 } }
    func shift(by seconds: TimeInterval) { value.withLock { $0 += seconds } }
}

/// A task that a ``QueryLab`` drives.
public struct LabTask<Value: Sendable>: Sendable {
    final class Box: Sendable {
        private let result = Locked<Result<Value, any Error>?>(nil)

        func put(_ new: Result<Value, any Error>) { result.withLock { $0 = new } }
        var value: Result<Value, any Error>? { result.withLock { $0 } }
    }

    let task: Task<Void, Never>
    let box: Box
    let settle: @Sendable () -> Void

    /// The outcome. `nil` while the task runs.
    public var result: Result<Value, any Error>? { box.value }

    /// The value. `nil` while the task runs, and when it failed.
    public var value: Value? { try? box.value?.get() }

    /// The error. `nil` while the task runs, and when it succeeded.
    public var error: (any Error)? {
        if case .failure(let error) = box.value { error } else { nil }
    }

    /// Cancels the task, and carries through what follows.
    public func cancel() {
        task.cancel()
        settle()
    }
}
