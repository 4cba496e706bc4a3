internal import Foundation
internal import PigeonCore

/// W1: read a fresh cached value, from a retained observer and by key among 10,000.
func measureReads(_ recorder: Recorder) async throws {
    let (client, plain) = try filled(shortKey, shortText)
    measureRetained(recorder, client, shortKey(0))
    let floor = recorder.each(count) { plain[shortText($0)]?.id }
    recorder.record(
        "W1.key", "read by a key of 7 bytes, made at the call, among 10,000 in random order", .nanoseconds,
        recorder.each(count) { client.value(of: shortKey($0), as: User.self)?.id }, floor: floor, target: 120)
    let (keys, texts) = ((0..<count).map(shortKey), (0..<count).map(shortText))
    recorder.record(
        "W1.held", "the same, by keys of 7 bytes that were made before", .nanoseconds,
        recorder.each(count) { client.value(of: keys[$0], as: User.self)?.id },
        floor: recorder.each(count) { plain[texts[$0]]?.id }, target: 120)
    let (longClient, longPlain) = try filled(longKey, longText)
    recorder.record(
        "W1.key70", "the same, by a key of 70 bytes, made at the call", .nanoseconds,
        recorder.each(count) { longClient.value(of: longKey($0), as: User.self)?.id },
        floor: recorder.each(count) { longPlain[longText($0)]?.id })
    try await measureDefinitions(recorder, floor)
    measureThreads(recorder, client)
}

/// Created in one order and read in another, so that no read finds its memory beside that of the read before.
private func filled(
    _ key: (Int) -> QueryKey, _ text: (Int) -> String
) throws -> (QueryClient, PlainCache<String, User>) {
    let (client, plain) = (QueryClient(options: .fresh), PlainCache<String, User>())
    for id in scattered(count) {
        try client.set(User(id), for: key(id))
        plain[text(id)] = User(id)
    }
    return (client, plain)
}

private func measureDefinitions(_ recorder: Recorder, _ floor: Double) async throws {
    let client = QueryClient()
    for id in scattered(count) { use(try await client.fetch(.user(id)).id) }
    recorder.record(
        "W1.definition", "the same, by the README's definition, made at the call", .nanoseconds,
        recorder.each(count) { client.value(of: .user($0))?.id }, floor: floor, target: 120)
    let fetch = try await recorder.median {
        try await nanoseconds { for id in 0..<count { use(try await client.fetch(.user(id)).id) } } / Double(count)
    }
    recorder.record("W1.fetch", "fetch a fresh value, by the same definition", .nanoseconds, fetch, floor: floor)
}

private let count = 10_000

private func shortKey(_ id: Int) -> QueryKey { QueryKey("u", 10_000 + id) }

private func shortText(_ id: Int) -> String { "u/\(10_000 + id)" }

/// Eight threads use one client. The floor is a dictionary under the mutex of POSIX.
private func measureThreads(_ recorder: Recorder, _ client: QueryClient) {
    let plain = ThreadedCache<User>()
    for id in scattered(count) { plain[shortText(id)] = User(id) }
    func millionsPerSecond(_ body: @escaping @Sendable (Int) -> Void) -> Double {
        recorder.median {
            Double(8 * count)
                / onEightThreads { thread in
                    for id in 0..<count { body((id + thread * 1_000) % count) }
                } * 1000
        }
    }
    recorder.record(
        "W1.reads8", "reads by keys made at the call among 10,000, by eight threads", .millionsPerSecond,
        millionsPerSecond { use(client.value(of: shortKey($0), as: User.self)?.id ?? 0) },
        floor: millionsPerSecond { use(plain[shortText($0)]?.id ?? 0) }, target: 8)
    recorder.record(
        "W1.writes8", "writes by keys made at the call among 10,000, by eight threads", .millionsPerSecond,
        millionsPerSecond { try? client.set(User(7), for: shortKey($0)) },
        floor: millionsPerSecond { plain[shortText($0)] = User(7) }, target: 1)
}

/// The nanoseconds until all of eight threads have ended.
private func onEightThreads(_ work: @escaping @Sendable (_ thread: Int) -> Void) -> Double {
    let ended = DispatchSemaphore(value: 0)
    return nanoseconds {
        for thread in 0..<8 {
            Thread.detachNewThread {
                work(thread)
                ended.signal()
            }
        }
        for _ in 0..<8 { ended.wait() }
    }
}

private func measureRetained(_ recorder: Recorder, _ client: QueryClient, _ key: QueryKey) {
    let rounds = 100_000
    let observer = client.observe(QueryDefinition<User>.value(key))
    let plain = PlainValue(User(0))
    recorder.record(
        "W1.retained", "read from a retained observer", .nanoseconds,
        recorder.each(rounds) { _ in observer.value?.id }, floor: recorder.each(rounds) { _ in plain.value.id },
        target: 40)
}

extension Recorder {
    /// The nanoseconds that one of `count` reads takes.
    fileprivate func each(_ count: Int, _ read: (Int) -> Int?) -> Double {
        median { nanoseconds { for index in 0..<count { use(read(index) ?? 0) } } / Double(count) }
    }
}

extension QueryOptions {
    /// Values that stay fresh.
    static var fresh: QueryOptions {
        var options = QueryOptions()
        options.staleAfter = .never
        return options
    }
}
