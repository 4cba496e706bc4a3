internal import CRedisFloor
internal import Foundation
internal import PigeonCore
import PigeonFleet
internal import PigeonRedis

/// W15: a fleet over a real Redis: values that another process has fetched, and invalidations that reach all.
func measureFleet(_ recorder: Recorder) async throws {
    let server = try await RedisServer()
    defer { server.kill() }
    try await measureHits(recorder, server)
    try await measureInvalidations(recorder, server)
}

private func member(_ server: RedisServer) async throws -> QueryClient {
    let client = QueryClient(fleet: Fleet.Setup(store: try RedisStore(server.address)))
    while client.fleet?.isConnected != true { try await Task.sleep(for: .milliseconds(1)) }
    return client
}

private func article(_ id: Int) -> QueryDefinition<Article> {
    QueryDefinition("w15", id) { _ in Article(id) }
        .staleAfter(.seconds(600)).tagged("articles").shared()
}

/// Fetches many, some at a time. The nanoseconds that one takes.
private func time(_ client: QueryClient, _ count: Int, together: Int) async throws -> Double {
    try await nanoseconds {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<together {
                group.addTask {
                    for id in stride(from: lane, to: count, by: together) { _ = try await client.fetch(article(id)) }
                }
            }
            try await group.waitForAll()
        }
    } / Double(count)
}

private func measureHits(_ recorder: Recorder, _ server: RedisServer) async throws {
    let count = 2_000
    _ = try await time(member(server), count, together: 16)
    let bytes = [UInt8](try JSONEncoder().encode(Article(1)))
    let store = try RedisStore(server.address)
    let value = try await recorder.median {
        try await nanoseconds {
            for id in 0..<count where try await store.value(for: QueryKey("w15", id)) == nil {
                throw RedisServer.Failure(description: "a value is missing")
            }
        } / Double(count)
    }
    recorder.record(
        "W15.value", "the same by the store alone, one after the other, awaited and not decoded", .microseconds,
        value / 1000,
        floor: nil, target: nil)
    for (name, together, calls) in [("W15.hit", 1, "one after the other"), ("W15.hits64", 64, "64 at a time")] {
        let floor = try recorder.median {
            let time = floor_get(Int32(server.port), bytes, bytes.count, Int32(count), Int32(together))
            guard time > 0 else { throw RedisServer.Failure(description: "GET failed") }
            return time
        }
        let hit = try await recorder.median {
            let client = try await member(server)
            let result = try await time(client, count, together: together)
            guard client.fleet?.counts.found == count else {
                throw RedisServer.Failure(description: "not all values were found")
            }
            return result
        }
        recorder.record(
            name, "a value that another process has fetched, \(calls); floor: GET by hiredis, blocking its thread",
            .microseconds, hit / 1000, floor: floor / 1000, target: floor * 1.3 / 1000)
    }
}

private func measureInvalidations(_ recorder: Recorder, _ server: RedisServer) async throws {
    let count = 10_000
    var members: [QueryClient] = []
    for _ in 0..<4 { members.append(try await member(server)) }
    for member in members { _ = try await time(member, count, together: 64) }
    let others = members.dropFirst()

    func waitUntilStale(_ id: Int) async throws {
        for other in others {
            while !other.snapshot(of: article(id)).isStale { try await Task.sleep(for: .microseconds(50)) }
        }
    }
    var times: [Double] = []
    for id in 0..<101 {
        times.append(
            try await nanoseconds {
                members[0].invalidateWithoutWaiting(.key("w15", id), refetch: .none)
                try await waitUntilStale(id)
            })
    }
    recorder.record(
        "W15.key", "one key invalidated, until three others know it; the median of 101", .milliseconds,
        times.sorted()[50] / 1e6, floor: nil, target: 2)
    let tag = try await recorder.median {
        for member in members { _ = try await time(member, count, together: 64) }
        let time = try await nanoseconds {
            members[0].invalidateWithoutWaiting(.tag("articles"), refetch: .none)
            try await waitUntilStale(0)
        }
        // An entry of the log is carried out in one transaction, so all others are stale too.
        for other in others {
            guard other.entries(matching: .tag("articles")).allSatisfy(\.isStale) else {
                throw RedisServer.Failure(description: "not all entries are stale")
            }
        }
        return time
    }
    recorder.record(
        "W15.tag", "10,000 keys invalidated by their tag, until three others know it of each", .milliseconds, tag / 1e6,
        floor: nil, target: 50)
    let followers = try recorder.median {
        let time = floor_followers(Int32(server.port), 1_000)
        guard time > 0 else { throw RedisServer.Failure(description: "not all received the entry") }
        return time
    }
    recorder.record(
        "W15.followers", "an entry of the log, until 1,000 connections have it, without Pigeon", .milliseconds,
        followers / 1e6, floor: nil, target: nil)
}
