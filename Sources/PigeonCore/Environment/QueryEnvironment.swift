public import Foundation

/// All that is not pure, given to each client: time, chance, and the state of the surroundings.
///
/// Nothing is global: two clients with two environments know nothing of each other.
public struct QueryEnvironment: Sendable {
    /// Age in process, and alarms.
    public var clock: any QueryClock

    /// Age across restarts. Must not block.
    public var wallClock: @Sendable () -> Date

    /// Random bits for retry jitter and identifiers. Called outside the client's lock, from any thread, and from several
    /// threads at a time.
    public var random: @Sendable () -> UInt64

    /// Whether the network can be reached. Starts as "online".
    public var connectivity: EnvironmentSignal

    /// Whether the program is in the foreground. Starts as "in the foreground".
    public var activity: EnvironmentSignal

    /// Starts the task of a fetch. By default on the caller's thread, where the system can, so that a fetcher that does
    /// not suspend costs no thread switch; on older systems an ordinary task.
    public var launch: @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never>

    /// Whether memory is short. When it turns on, the client drops what nobody observes.
    public var memoryPressure: EnvironmentSignal

    /// Creates an environment. Every part has a real default.
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

    /// The stock way to start a task.
    public static let launchImmediately: @Sendable (@escaping @Sendable () async -> Void) -> Task<Void, Never> = {
        PigeonBase.launchImmediately($0)
    }
}
