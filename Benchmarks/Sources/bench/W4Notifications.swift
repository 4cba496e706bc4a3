internal import PigeonCore

/// W4: 1,000 observers × 1,000 writes.
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
}
