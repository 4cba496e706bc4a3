internal import PigeonCore
internal import Synchronization

/// W3: 1,000 observers of one key with one fetch in flight.
func measureSharedFetch(_ recorder: Recorder) async throws {
    let count = 1000
    var calls = 0
    var whole: [Double] = []
    let notified = await recorder.median {
        let round = await SharedFetch.run(count)
        calls = max(calls, round.calls)
        precondition(round.told == count, "\(count) observers, but \(round.told) were told")
        whole.append(round.whole)
        return round.nanoseconds
    }
    let closures = (0..<count).map { _ in
        let counter = Counter()
        return { @Sendable (_: Int) in counter.add() }
    }
    let floor = recorder.median { nanoseconds { for closure in closures { closure(1) } } }
    recorder.record("W3.fetches", "fetches for 1,000 observers of one key", .calls, Double(calls), target: 1)
    recorder.record(
        "W3.notified", "from the fetch's answer until all 1,000 observers were told", .microseconds, notified / 1000,
        floor: floor / 1000, target: 200)
    recorder.record(
        "W3.whole", "from before the first of the 1,000 observers is attached, to the same moment", .microseconds,
        whole.middle / 1000)
}

/// One fetch that many observers wait for.
private struct SharedFetch {
    var calls: Int
    var told: Int
    /// From the answer to the last notification.
    var nanoseconds: Double
    /// The same with the time in which the observers were attached.
    var whole: Double

    static func run(_ count: Int) async -> SharedFetch {
        let client = QueryClient(options: .fresh)
        let gate = Gate()
        let calls = Counter()
        let told = Counter()
        let definition = QueryDefinition<Int>("w3") { _ in
            calls.add()
            await gate.wait()
            return 7
        }
        let (finished, end) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
        let beginning = ContinuousClock.now
        let observers = (0..<count).map { _ in
            client.observe(definition) { snapshot in
                guard snapshot.value == 7 else { return }
                told.add()
                if told.count == count { end.yield(.now) }
            }
        }
        let start = ContinuousClock.now
        gate.open()
        var moments = finished.makeAsyncIterator()
        let done = await moments.next() ?? .now
        withExtendedLifetime(observers) {}
        return SharedFetch(
            calls: calls.count, told: told.count, nanoseconds: start.duration(to: done) / .nanoseconds(1),
            whole: beginning.duration(to: done) / .nanoseconds(1))
    }
}

/// Holds one task back until it is opened.
private final class Gate: Sendable {
    private enum State {
        case closed
        case waiting(CheckedContinuation<Void, Never>)
        case open
    }

    private let state = Mutex(State.closed)

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if case .open = state { return true }
                state = .waiting(continuation)
                return false
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state = .open }
            return state
        }
        if case .waiting(let continuation) = waiting { continuation.resume() }
    }
}
