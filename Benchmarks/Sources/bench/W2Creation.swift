internal import CHeap
internal import PigeonCore

/// W2: create and fetch 10,000 new keys with a fetcher that returns at once, and bytes per entry.
func measureCreation(_ recorder: Recorder) async throws {
    let count = 10_000
    let nanosecondsEach = try await recorder.median {
        let client = QueryClient()
        return try await nanoseconds {
            for id in 0..<count { use(try await client.fetch(QueryDefinition("w2", id) { _ in id })) }
        } / Double(count)
    }
    let floor = try await recorder.median {
        let plain = PlainCache<Int>()
        return try await nanoseconds {
            for id in 0..<count { plain[QueryKey("w2", id)] = try await answer(id) }
        } / Double(count)
    }
    recorder.record(
        "W2.create", "create and fetch a new key, each of 10,000", .microseconds, nanosecondsEach / 1000,
        floor: floor / 1000, target: 3)
    try await measureBytes(recorder, count)
}

private func measureBytes(_ recorder: Recorder, _ count: Int) async throws {
    guard heapInUse() != nil else { return }
    let client = QueryClient()
    let value = MemoryLayout<Int>.size
    let bytes = try await bytesEach(count) {
        for id in 0..<count { use(try await client.fetch(QueryDefinition("w2", id) { _ in id })) }
    }
    let plain = PlainCache<Int>()
    let floor = try await bytesEach(count) {
        for id in 0..<count { plain[QueryKey("w2", id)] = try await answer(id) }
    }
    recorder.record(
        "W2.bytes", "heap per entry beyond the value, its index and dictionaries included", .bytes,
        bytes - Double(value), floor: floor - Double(value), target: 700)
    use((client.count, plain[QueryKey("w2", 0)]))
}

private func bytesEach(_ count: Int, _ work: () async throws -> Void) async rethrows -> Double {
    let before = heapInUse() ?? 0
    try await work()
    return Double((heapInUse() ?? 0) - before) / Double(count)
}

/// Bytes handed out by the allocator and not given back; `nil` where the allocator does not tell.
private func heapInUse() -> Int? {
    let bytes = Int(heap_in_use())
    return bytes < 0 ? nil : bytes
}
