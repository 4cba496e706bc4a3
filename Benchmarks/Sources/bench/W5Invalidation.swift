internal import PigeonCore

/// W5: invalidate 10,000 unobserved keys by path.
func measureInvalidation(_ recorder: Recorder) async throws {
    let count = 10_000
    let client = QueryClient(options: .fresh)
    let plain = PlainCache<QueryKey, PlainMark>()
    let keys = (0..<count).map { QueryKey("w5", "users", $0) }
    for key in keys { plain[key] = PlainMark() }
    let measured = try recorder.median {
        for (id, key) in keys.enumerated() { try client.set(User(id), for: key) }
        let time = nanoseconds { client.invalidate(.path("w5")) }
        precondition(client.snapshot(of: QueryDefinition<User>.value(keys[count - 1])).isInvalidated)
        return time
    }
    let floor = recorder.median { nanoseconds { plain.forEach { $0.set() } } }
    recorder.record(
        "W5.invalidate", "invalidate 10,000 unobserved keys by path", .milliseconds, measured / 1e6,
        floor: floor / 1e6, target: 1)
}
