import Foundation
import PigeonCore

/// One life of the program: a client on the simulation's thread, whose monotonic clock begins at zero.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class SimulatedProcess {
    let client: QueryClient
    let store: SimulatedStore
    let clock = ManualClock()
    let environment: QueryEnvironment
    let executor = ManualExecutor()
    private var listener: QuerySubscription?

    /// - Parameter start: What the wall clock shows when the process starts, in seconds since 2001.
    init(
        seed: UInt64, store: SimulatedStore, start: TimeInterval, budget: Int?,
        onEvent: @escaping @Sendable (QueryEvent) -> Void
    ) {
        let (clock, random, executor) = (clock, SeededRandom(seed: seed), executor)
        self.store = store
        environment = QueryEnvironment(
            clock: clock,
            wallClock: {
                Date(timeIntervalSinceReferenceDate: start + Double(clock.now().nanoseconds) / 1e9)
            },
            random: { random.next() },
            launch: { executor.launch($0) })
        client = QueryClient(cache: store, budget: budget, environment: environment)
        listener = client.onEvent(onEvent)
    }

    var wallTime: TimeInterval { environment.wallClock().timeIntervalSinceReferenceDate }

    /// Runs what is ready, until all that is left waits for an answer, the clock or a switch.
    func settle() { executor.drain() }
}

/// Calls the world from within user code that the engine calls.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class SimulatedHooks: @unchecked Sendable {  // used by the one thread that runs the simulation
    weak var world: SimulatedWorld?

    func reach(_ moment: SimulatedMoment) { world?.reach(moment) }
    func waitForDisk() { world?.waitForDisk() }
    func noteDamage(at key: QueryKey) { world?.unreported.insert(key) }
    func found(_ rule: SimulationRule, _ text: @autoclosure () -> String) { world?.found(rule, text()) }
    var now: MonotonicInstant { world?.process?.clock.now() ?? MonotonicInstant(nanoseconds: 0) }
}
