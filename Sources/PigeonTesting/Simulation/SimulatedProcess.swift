import Foundation
package import PigeonCore

/// A process of the program: a client on the simulation's thread, with a monotonic clock that starts at zero.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package final class SimulatedProcess {
    package let client: QueryClient
    let store: SimulatedStore
    package let clock = ManualClock()
    package let environment: QueryEnvironment
    let executor = ManualExecutor()
    private var listener: QuerySubscription?

    /// - Parameter start: The wall-clock time at which the process starts, in seconds since 2001.
    init(
        seed: UInt64, store: SimulatedStore, start: TimeInterval, budget: Int?,
        onEvent: @escaping @Sendable (QueryEvent) -> Void
    ) {
        let (clock, random, executor) = (clock, SeededRandom(seed: seed), executor)
        self.store = store
        environment = QueryEnvironment(
            clock: clock,
            wallClock: { clock.date + start },
            random: { random.next() },
            launch: { executor.launch($0) })
        client = QueryClient(cache: store, budget: budget, environment: environment)
        listener = client.onEvent(onEvent)
    }

    var wallTime: TimeInterval { environment.wallClock().timeIntervalSinceReferenceDate }

    /// Runs all work that is ready, until the rest waits for an answer, the clock, the network or the foreground.
    func settle() { executor.drain() }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class SimulatedHooks: @unchecked Sendable {  // used only by the thread that runs the simulation
    weak var world: SimulatedWorld?

    func reach(_ moment: SimulatedMoment) { world?.reach(moment) }

    /// Handles a call of a fetcher. Returns the request that it then sends.
    func fetcherCalled(_ request: @autoclosure () -> SimulatedRequest) -> SimulatedRequest {
        note(.fetcherCalled(request()))
        reach(.fetcher)
        // Created again, because user code may have ended the attempt.
        let sent = request()
        note(.requestSent(sent))
        return sent
    }

    func note(_ event: SimulatedEvent) { world?.checks?.note(event) }
    func waitForDisk() { world?.waitForDisk() }
    func noteDamage(at key: QueryKey) { world?.unreported.insert(key) }
    func found(_ rule: SimulationRule, _ text: @autoclosure () -> String) { world?.found(rule, text()) }
}
