internal import Foundation
internal import PigeonCore

/// W1: read a fresh cached value, from a retained observer and by key among 10,000.
func measureReads(_ recorder: Recorder) async throws {
    let count = 10_000
    let client = QueryClient(options: .fresh)
    let plain = PlainCache<User>()
    let order = scattered(count)
    let definitions = order.map { id in QueryDefinition<User>("w1", "users", id) { _ in User(id) } }
    let keys = definitions.map(\.key)
    for (id, definition) in zip(order, definitions) {
        use(try await client.fetch(definition))
        plain[definition.key] = User(id)
    }

    measureRetained(recorder, client, definitions[0])
    let floor = recorder.median {
        nanoseconds { for key in keys { use(plain[key]) } } / Double(count)
    }
    recorder.record(
        "W1.key", "read by key among 10,000, scattered", .nanoseconds,
        recorder.median {
            nanoseconds { for key in keys { use(client.value(of: key, as: User.self)) } } / Double(count)
        }, floor: floor, target: 120)
    recorder.record(
        "W1.definition", "read by definition among 10,000, scattered", .nanoseconds,
        recorder.median {
            nanoseconds { for definition in definitions { use(client.value(of: definition)) } } / Double(count)
        }, floor: floor, target: 120)
    measureThreads(recorder, client, keys)
}

/// Eight threads use one client. The floor is a dictionary under the mutex of POSIX.
private func measureThreads(_ recorder: Recorder, _ client: QueryClient, _ keys: [QueryKey]) {
    let plain = ThreadedCache<User>()
    for (id, key) in keys.enumerated() { plain[key] = User(id) }
    func millionsPerSecond(_ body: @escaping @Sendable (QueryKey) -> Void) -> Double {
        recorder.median {
            Double(8 * keys.count)
                / onEightThreads { thread in
                    for index in keys.indices { body(keys[(index + thread * 1_000) % keys.count]) }
                } * 1000
        }
    }
    recorder.record(
        "W1.reads8", "reads by key among 10,000, by eight threads", .millionsPerSecond,
        millionsPerSecond { key in use(client.value(of: key, as: User.self)) },
        floor: millionsPerSecond { key in use(plain[key]) }, target: 8)
    recorder.record(
        "W1.writes8", "writes by key among 10,000, by eight threads", .millionsPerSecond,
        millionsPerSecond { key in try? client.set(User(7), for: key) },
        floor: millionsPerSecond { key in plain[key] = User(7) }, target: 1)
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

private func measureRetained(_ recorder: Recorder, _ client: QueryClient, _ definition: QueryDefinition<User>) {
    let rounds = 100_000
    let observer = client.observe(definition)
    let plain = PlainValue(User(0))
    recorder.record(
        "W1.retained", "read from a retained observer", .nanoseconds,
        recorder.median {
            nanoseconds { for _ in 0..<rounds { use(observer.value) } } / Double(rounds)
        },
        floor: recorder.median {
            nanoseconds { for _ in 0..<rounds { use(plain.value) } } / Double(rounds)
        }, target: 40)
}

extension QueryOptions {
    /// Values that stay fresh.
    static var fresh: QueryOptions {
        var options = QueryOptions()
        options.staleAfter = .never
        return options
    }
}
