internal import CHeap
internal import Foundation
internal import PigeonCore

extension QueryDefinition where Value == User {
    /// A definition as a program writes it, built at each use.
    fileprivate static func user(_ id: Int) -> Self {
        QueryDefinition("w13/users/\(id)") { _ in User(id) }
            .staleAfter(.seconds(60))
            .retry(.standard)
            .tagged("users")
    }
}

/// W13: what programs do most, with a definition that has options and a tag and is built at each use.
func measureDefinitions(_ recorder: Recorder) async throws {
    let count = 10_000
    let order = scattered(count)
    let make = try await recorder.median {
        let client = QueryClient()
        return try await nanoseconds {
            for id in order { use(try await client.fetch(.user(id))) }
        } / Double(count)
    }
    let floor = try await recorder.median {
        let plain = PlainCache<User>()
        return try await nanoseconds {
            for id in order { plain[QueryKey("w13", "users", id)] = User(try await answer(id)) }
        } / Double(count)
    }
    recorder.record(
        "W13.create", "create and fetch a new key, with options and a tag", .microseconds, make / 1000,
        floor: floor / 1000, target: 2)
    let client = QueryClient()
    let before = heap_in_use()
    for id in order { use(try await client.fetch(.user(id))) }
    let bytes = Double(heap_in_use() - before) / Double(count)
    recorder.record(
        "W13.bytes", "heap per entry, with options and a tag, its value included", .bytes, bytes, floor: 130,
        target: 700)
    let cached = try await recorder.median {
        try await nanoseconds { for id in order { use(try await client.fetch(.user(id))) } } / Double(count)
    }
    recorder.record("W13.cached", "fetch a fresh value", .nanoseconds, cached, floor: nil, target: 800)
    let built = order.map { QueryDefinition<User>.user($0) }
    let prebuilt = try await recorder.median {
        try await nanoseconds { for user in built { use(try await client.fetch(user)) } } / Double(count)
    }
    recorder.record(
        "W13.prebuilt", "fetch a fresh value, definition built before", .nanoseconds, prebuilt, floor: nil, target: 400)
    let building = recorder.median {
        nanoseconds { for id in order { use(QueryDefinition<User>.user(id)) } } / Double(count)
    }
    recorder.record("W13.build", "build the definition", .nanoseconds, building, floor: nil)
    let read = recorder.median {
        nanoseconds { for id in order { use(client.value(of: .value(at: "w13/users/\(id)")) as User?) } }
            / Double(count)
    }
    recorder.record(
        "W13.read", "read by key, built at the call, random order", .nanoseconds, read, floor: nil, target: 200)
    let removed = try await recorder.median {
        for id in order { use(try await client.fetch(.user(id))) }
        return nanoseconds { client.remove(.path("w13/users")) }
    }
    recorder.record("W13.remove", "remove 10,000 by path", .milliseconds, removed / 1e6, floor: nil, target: 3)
    for prefixes in [0, 10, 1000] {
        let client = QueryClient()
        for id in 0..<prefixes { client.setDefaults(for: QueryKey("other", id)) { $0.keepFor = .seconds(1) } }
        let time = recorder.median {
            nanoseconds { for id in order { try? client.set(User(id), for: QueryKey("w13", "users", id)) } }
                / Double(count)
        }
        recorder.record("W13.defaults\(prefixes)", "set, with \(prefixes) setDefaults", .nanoseconds, time, floor: nil)
    }
    try await measurePageEdits(recorder)
    try await measureStops(recorder)
}

private func measurePageEdits(_ recorder: Recorder) async throws {
    for count in [50, 200, 2000] {
        let client = QueryClient()
        let list = QueryDefinition<Pages<[User], Int>>.pages(
            key: "w13/pages", first: 0, maxPages: count, fetch: { page, _ in [User(page)] }, next: { _, id in id + 1 },
            previous: { _, id in id > 0 ? id - 1 : nil })
        _ = try await client.fetch(list)
        for _ in 0..<count { try await client.fetchNextPage(of: list) }
        let append = try await recorder.median {
            try await nanoseconds { for _ in 0..<50 { try await client.fetchNextPage(of: list) } } / 50
        }
        recorder.record(
            "W13.maxPages\(count)", "append a page to a full list of \(count)", .microseconds, append / 1e3, floor: nil,
            target: 6)
        var name = 0
        let edit = recorder.median {
            nanoseconds {
                for _ in 0..<50 {
                    name += 1
                    client.update(list) { $0.updatePage(at: count / 2) { $0[0].name = "name \(name)" } }
                }
            } / 50
        }
        recorder.record(
            "W13.updatePage\(count)", "edit a page of \(count)", .microseconds, edit / 1e3, floor: nil, target: 3)
    }
}

/// The longest time for which a reader waits while everything is invalidated.
private func measureStops(_ recorder: Recorder) async throws {
    for count in [1_000, 100_000] {
        let client = QueryClient()
        for id in 0..<count { try client.set(User(id), for: QueryKey("w13", id)) }
        let stop = recorder.median { nanoseconds { client.invalidate(.all) } }
        recorder.record(
            "W13.stop\(count)", "invalidate everything, \(count) entries", .milliseconds, stop / 1e6, floor: nil,
            target: 1)
    }
}
