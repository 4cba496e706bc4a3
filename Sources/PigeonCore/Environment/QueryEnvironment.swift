public import Foundation

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

    /// Starts the task of a fetch. The default starts it on the caller's thread where the system supports that, which
    /// saves a thread switch for a fetcher that does not suspend. On older systems, it starts an ordinary task.
    public var launch: @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never>

    /// Signal that is on while memory is short. When it turns on, the client removes unused entries.
    public var memoryPressure: EnvironmentSignal

    /// Creates an environment. The defaults use the system's clocks and random numbers.
    public init(
        clock: any QueryClock = SystemClock(),
        wallClock: @escaping @Sendable () -> Date = { Date() },
        random: @escaping @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) },
        connectivity: EnvironmentSignal = EnvironmentSignal(true),
        activity: EnvironmentSignal = EnvironmentSignal(true),
        memoryPressure: EnvironmentSignal = EnvironmentSignal(false),
        launch: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never> = launchImmediately
    ) {
        self.clock = clock
        self.wallClock = wallClock
        self.random = random
        self.connectivity = connectivity
        self.activity = activity
        self.memoryPressure = memoryPressure
        self.launch = launch
    }

    /// The default for ``launch``.
    public static let launchImmediately: @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never> = {
        PigeonBase.launchImmediately($0)
    }
}
