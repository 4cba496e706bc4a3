internal import CHeap
internal import PigeonCore

/// W2: create and fetch 10,000 new keys with a fetcher that returns at once, and bytes per entry.
func measureCreation(_ recorder: Recorder) async throws {
    let floors = try await (
        short: recorder.creation { plain, id in plain[QueryKey("w2", id)] = try await answer(User(id)) },
        long: recorder.creation { plain, id in plain[longKey(id)] = try await answer(User(id)) }
    )
    recorder.record(
        "W2.create", "create and fetch a new key, each of 10,000, without options", .microseconds,
        try await recorder.creation { client, id in use(try await client.fetch(bare(id)).id) }, floor: floors.short,
        target: 3)
    recorder.record(
        "W2.readme", "the same, by the README's definition, with its tag, stale time and retries", .microseconds,
        try await recorder.creation { client, id in use(try await client.fetch(.user(id)).id) }, floor: floors.short)
    recorder.record(
        "W2.long", "the same, with keys of 70 bytes", .microseconds,
        try await recorder.creation { client, id in use(try await client.fetch(long(id)).id) }, floor: floors.long)
    try await measureBytes(recorder)
}

private let count = 10_000

private func bare(_ id: Int) -> QueryDefinition<User> { QueryDefinition("w2", id) { _ in User(id) } }

private func long(_ id: Int) -> QueryDefinition<User> {
    QueryDefinition(longKey(id)) { _ in User(id) }.staleAfter(.seconds(30)).tagged("users").retry(.standard)
}

extension Recorder {
    /// The microseconds that one of the client's fetches takes.
    fileprivate func creation(_ fetch: (QueryClient, Int) async throws -> Void) async throws -> Double {
        try await median {
            let client = QueryClient()
            return try await nanoseconds { for id in 0..<count { try await fetch(client, id) } } / Double(count) / 1000
        }
    }

    /// The microseconds that one of the floor's fetches takes.
    fileprivate func creation(
        _ fetch: (PlainCache<QueryKey, User>, Int) async throws -> Void
    ) async throws -> Double {
        try await median {
            let plain = PlainCache<QueryKey, User>()
            return try await nanoseconds { for id in 0..<count { try await fetch(plain, id) } } / Double(count) / 1000
        }
    }
}

private func measureBytes(_ recorder: Recorder) async throws {
    guard heapInUse() != nil else { return }
    // The value itself has its name on the heap.
    let names = await bytesEach { (0..<count).map { User($0).name } }
    let plain = try await bytesEach {
        let plain = PlainCache<QueryKey, User>()
        for id in 0..<count { plain[QueryKey("w2", id)] = try await answer(User(id)) }
        return plain
    }
    func record(_ name: String, _ subject: String, _ target: Double?, _ definition: (Int) -> QueryDefinition<User>)
        async throws
    {
        let bytes = try await bytesEach {
            let client = QueryClient()
            for id in 0..<count { use(try await client.fetch(definition(id)).id) }
            return client
        }
        recorder.record(name, subject, .bytes, bytes - names, floor: plain - names, target: target)
    }
    try await record("W2.bytes", "heap per entry beyond the value, its index and dictionaries included", 700, bare)
    try await record("W2.bytes.readme", "the same, by the README's definition", nil) { .user($0) }
    try await record("W2.bytes.long", "the same, with keys of 70 bytes", nil, long)
}

/// The bytes on the heap for each of what `make` returns.
private func bytesEach<Made>(_ make: () async throws -> Made) async rethrows -> Double {
    let before = heapInUse() ?? 0
    let made = try await make()
    let after = heapInUse() ?? 0
    return withExtendedLifetime(made) { Double(after - before) / Double(count) }
}

/// Bytes handed out by the allocator and not given back; `nil` where the allocator does not tell.
func heapInUse() -> Int? {
    let bytes = Int(heap_in_use())
    return bytes < 0 ? nil : bytes
}
