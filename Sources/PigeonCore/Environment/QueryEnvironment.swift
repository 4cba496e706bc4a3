public import Foundation
internal import PigeonBase

/// The impure dependencies of a client: clocks, random numbers, and signals about the surroundings.
///
/// Nothing is global: clients with different environments do not affect each other.
public struct QueryEnvironment: Sendable {
    /// Measures the age of values within the process, and schedules timers.
    public var clock: any QueryClock

    /// Returns the current date, from which the age of values across restarts is computed. Must not block.
    public var wallClock: @Sendable () -> Date

    /// Returns random bits for retry jitter and identifiers. Called outside the client's lock, from any thread, also
    /// concurrently.
    public var random: @Sendable () -> UInt64

    /// Signal that is on while the network can be reached. Initially on.
    public var connectivity: EnvironmentSignal

    /// Signal that is on while the program is in the foreground. Initially on.
    public var activity: EnvironmentSignal

    /// Starts a task.
    public typealias Launch = @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never>

    /// Starts the task of a fetch, and the client's own tasks. ``launchDetached`` by default.
    public var launch: Launch {
        didSet { launchForCaller = launch }
    }

    /// Starts the task of a mutation, which has one caller, whose task-locals it keeps.
    package private(set) var launchForCaller: Launch

    /// Signal that is on while memory is short. When it turns on, the client removes unused entries.
    public var memoryPressure: EnvironmentSignal

    /// Called with each client that is made with the environment, once it can be used.
    package var onClient: (@Sendable (QueryClient) -> Void)?

    /// The calls that wait for a writer of caches, which is an actor.
    package let writing = OngoingCalls()

    /// Creates an environment. The defaults use the system's clocks and random numbers.
    ///
    /// - Parameters:
    ///   - clock: The clock of ages, delays and limits.
    ///   - wallClock: The time of day, for records and for times that a server names.
    ///   - random: Random numbers, for jitter and identifiers.
    ///   - connectivity: True while there is a network.
    ///   - activity: True while the program is in the foreground.
    ///   - memoryPressure: True while memory is short.
    ///   - launch: Starts the tasks of fetches and mutations. By default, fetches start with ``launchDetached``, and
    ///     mutations with ``launchImmediately``.
    public init(
        clock: any QueryClock = SystemClock(),
        wallClock: @escaping @Sendable () -> Date = { Date() },
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) },
        connectivity: EnvironmentSignal = EnvironmentSignal(true),
        activity: EnvironmentSignal = EnvironmentSignal(true),
        memoryPressure: EnvironmentSignal = EnvironmentSignal(false),
        launch: Launch? = nil
    ) {
        self.clock = clock
        self.wallClock = wallClock
        self.random = random
        self.connectivity = connectivity
        self.activity = activity
        self.memoryPressure = memoryPressure
        self.launch = launch ?? Self.launchDetached
        launchForCaller = launch ?? Self.launchImmediately
    }

    /// Starts a task with the caller's priority and without the caller's task-locals, because the callers of a fetch share
    /// it: what the first of them has bound is not for the others. The task starts on the caller's thread where the system
    /// supports that, which saves a thread switch for a fetcher that does not suspend. On older systems, it starts as an
    /// ordinary task.
    public static let launchDetached: Launch = { operation in
        let shared = SharedState.current
        guard shared !== SharedState.program else { return PigeonBase.launchDetached(operation) }
        return PigeonBase.launchDetached { await SharedState.$current.withValue(shared, operation: operation) }
    }

    /// Starts a task as ``launchDetached`` does, but with the caller's task-locals. With it as ``launch``, a fetch has those
    /// of the caller who starts it.
    public static let launchImmediately: Launch = { PigeonBase.launchImmediately($0) }
}

/// Counts calls that have yet to return, so that a lab can wait for them.
package final class OngoingCalls: Sendable {
    private let count = Locked(0)

    package var isEmpty: Bool { count.withLock { $0 == 0 } }

    package func during<Result>(_ call: () async throws -> Result) async rethrows -> Result {
        count.withLock { $0 += 1 }
        defer { count.withLock { $0 -= 1 } }
        return try await call()
    }
}
