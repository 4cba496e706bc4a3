package import Foundation
public import PigeonCore
public import PigeonOutbox
public import PigeonFleet

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
/// Fetches, page loads and mutations run on the test's thread, in a fixed order, whenever the test calls ``settle()``,
/// ``advance(by:)``, or a function that answers one of the lab's fetchers. Nothing sleeps, and there are no races.
///
/// An async method of a main-actor model also needs turns of the main actor, which no synchronous call can give. Call
/// such a method with ``run(_:)``, or start it and await ``settled()``.
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
    ///
    /// Dependencies that answer through the lab's own fetchers are made after the lab. Give them to a client of the test's
    /// own, which the lab controls and whose events are in its ``log``:
    ///
    /// ```swift
    /// let lab = QueryLab()
    /// let server = FakeServer(users: lab.fetcher(returning: User.self))
    /// let client = QueryClient(dependencies: Dependencies(server as any API), environment: lab.environment)
    /// ```
    public convenience init(
        seed: UInt64 = 1, cache: (any QueryCacheType)? = nil, outbox: Outbox.Setup? = nil, fleet: Fleet.Setup? = nil,
        dependencies: Dependencies = Dependencies(), options: QueryOptions = QueryOptions(), budget: Int? = nil
    ) {
        self.init(
            startingAfter: 0, seed: seed, cache: cache, outbox: outbox, fleet: fleet, dependencies: dependencies,
            options: options, budget: budget)
    }

    /// - Parameter seconds: The time after 2001-01-01 00:00 UTC at which the wall clock begins, for a second process.
    package init(
        startingAfter seconds: TimeInterval, seed: UInt64 = 1, cache: (any QueryCacheType)? = nil,
        outbox: Outbox.Setup? = nil, fleet: Fleet.Setup? = nil, dependencies: Dependencies = Dependencies(),
        options: QueryOptions = QueryOptions(), budget: Int? = nil
    ) {
        let (clock, random, executor) = (ManualClock(), SeededRandom(seed: seed), ManualExecutor())
        let offset = OffsetBox()
        offset.shift(by: seconds)
        self.offset = offset
        let recorder = EventRecorder()
        self.recorder = recorder
        var environment = QueryEnvironment(
            clock: clock,
            wallClock: { clock.date + offset.seconds },
            random: { random.next() },
            launch: { operation in executor.launch(operation) })
        environment.onClient = { [weak recorder] in recorder?.record($0) }
        self.environment = environment
        self.clock = clock
        self.random = random
        self.executor = executor
        client = QueryClient(
            cache: cache, outbox: outbox, fleet: fleet, dependencies: dependencies, options: options, budget: budget,
            environment: environment)
    }

    /// Every event so far, as one line of text each: of the lab's client, and of all others that were made with the lab's
    /// ``environment``.
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

    /// Sets the wall clock forward, or back by a negative duration, without moving the engine's clock.
    public func shiftWallClock(by duration: Duration) {
        offset.shift(by: duration.inSeconds)
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
    ///
    /// If the task calls an async method of a main-actor type, its result is available after ``settled()`` or
    /// ``LabTask/finished()``.
    public func start<Value: Sendable>(_ operation: @escaping @Sendable () async throws -> Value) -> LabTask<Value> {
        let outcome = LabTask<Value>.Box()
        let task = executor.launch { [weak executor] in
            do { outcome.put(.success(try await operation())) } catch { outcome.put(.failure(error)) }
            executor?.signal()
        }
        executor.drain()
        return LabTask(task: task, box: outcome) { [weak executor] in executor }
    }

    /// Starts a task that the lab runs, and runs the lab until the task has ended. The main actor is free in the
    /// meantime.
    ///
    /// ```swift
    /// server.succeed(with: ())
    /// try await lab.run { try await model.signOut() }
    /// #expect(model.user == nil)
    /// ```
    ///
    /// Answer the fetchers before this call, or with ``ScriptedFetcher/answerCalls(with:)``: while the operation waits
    /// for an answer that the test has yet to give, this function waits too. Cancelling the caller's task cancels the
    /// operation.
    ///
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation. `CancellationError` if the lab is released before the operation has ended.
    @discardableResult
    public func run<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await start(operation).finished()
    }

    /// Runs the work of the lab and of the main actor in turns, until the rest waits for an answer, the clock, the
    /// network or the foreground.
    ///
    /// ```swift
    /// let signOut = lab.start { try await model.signOut() }
    /// await lab.settled()
    /// #expect(model.isSigningOut)
    /// server.succeed(with: ())
    /// await lab.settled()
    /// #expect(model.user == nil)
    /// ```
    ///
    /// Returns when no call waits for a cache, and the lab has had no work, no event and no task that ended during eight
    /// turns of the main actor. Each turn runs all work that is in the main actor's queue when the turn begins. So this
    /// function may return too early in two cases:
    ///
    /// - Code on the main actor suspends more than eight times in a row without using the lab, as with `Task.yield()`.
    /// - Code runs on another executor: in an actor with its own executor, in `Task.detached`, on a dispatch queue, or
    ///   in a nonisolated async function that a task outside the lab calls. A task of ``start(_:)`` runs actors and
    ///   nonisolated functions in the lab.
    ///
    /// If you wait for a task to end, use ``run(_:)`` or ``LabTask/finished()`` instead, which have no such limits.
    @MainActor
    public func settled() async {
        var quietTurns = 0
        while quietTurns < Self.quietTurns {
            let before = progress
            let hasRun = executor.drain()
            await takeTurnOfMainActor()
            quietTurns = hasRun || progress != before || !environment.writing.isEmpty ? 0 : quietTurns + 1
        }
    }

    /// Number of turns of the main actor without progress after which the lab has settled.
    private static let quietTurns = 8

    /// Changes with each job, each event, and each end of a task.
    private var progress: [Int] { [executor.changeCount, recorder.count] }

    /// Returns when the work that is now in the main actor's queue has run.
    @MainActor
    private func takeTurnOfMainActor() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Task { @MainActor in continuation.resume() }
        }
    }
}

private final class OffsetBox: Sendable {
    private let value = Locked<TimeInterval>(0)
    var seconds: TimeInterval { value.withLock { $0 } }
    func shift(by seconds: TimeInterval) { value.withLock { $0 += seconds } }
}
