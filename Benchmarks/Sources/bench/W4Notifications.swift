internal import PigeonCore

/// W4: 1,000 observers × 1,000 writes, and many observers that come and go.
func measureNotifications(_ recorder: Recorder) async throws {
    let observers = 1000
    let writes = 1000
    let notifications = Double(observers * writes)
    let measured = try recorder.median {
        let client = QueryClient()
        let counter = Counter()
        let definition = QueryDefinition<Int>.value(at: "w4")
        let held = (0..<observers).map { _ in client.observe(definition) { _ in counter.add() } }
        let time = try nanoseconds {
            for number in 0..<writes { try client.set(number, for: definition) }
        }
        precondition(counter.count == observers * writes, "\(counter.count) notifications")
        withExtendedLifetime(held) {}
        return notifications / time * 1000
    }
    let floor = recorder.median {
        let counter = Counter()
        let closures = (0..<observers).map { _ in { @Sendable (_: Int) in counter.add() } }
        let time = nanoseconds {
            for number in 0..<writes {
                for closure in closures { closure(number) }
            }
        }
        return notifications / time * 1000
    }
    recorder.record(
        "W4.notify", "callbacks, 1,000 observers × 1,000 writes", .millionsPerSecond, measured, floor: floor,
        target: 25)
    measureAttaching(recorder)
}

/// All watch one key. What each costs does not depend on how many there are.
private func measureAttaching(_ recorder: Recorder) {
    var times: [Int: Double] = [:]
    for count in [1000, 10_000, 100_000] {
        let client = QueryClient()
        let definition = QueryDefinition<Int>.value(at: "w4")
        let time = recorder.median {
            var held: [QueryObserver<Int>] = []
            held.reserveCapacity(count)
            return nanoseconds {
                for _ in 0..<count { held.append(client.observe(definition) { _ in }) }
                for observer in held { observer.cancel() }
                held = []
            } / Double(count) / 1000
        }
        times[count] = time
        recorder.record(
            "W4.attach\(count)", "attach and detach an observer, \(count) at one key", .microseconds, time, floor: nil,
            target: nil)
    }
    guard let few = times[1000], let many = times[100_000] else { return }
    recorder.record("W4.growth", "100,000 observers beside 1,000", .times, many / few, floor: 1, target: nil)
}
