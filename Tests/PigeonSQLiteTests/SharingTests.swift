import Foundation
import PigeonCore
import PigeonSQLite
import Testing

@Suite("Sharing one file")
struct SharingTests {
    @Test func `What one instance writes the other reads`() throws {
        let file = try TestFile()
        let one = try file.open()
        let other = try file.open()
        try one.fill("a", 0..<3)
        #expect(try other.count() == 3)
        try other.apply([.markStale(.path("a")), .remove(QueryKey("a", 2))])
        #expect(try one.staleKeys() == ["a/0", "a/1"])
        try other.removeAll()
        #expect(try one.record(for: QueryKey("a", 0)) == nil)
    }

    @Test func `Two instances write at once, and nothing is lost`() async throws {
        let file = try TestFile()
        let caches = try [file.open(), file.open()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, cache) in caches.enumerated() {
                group.addTask {
                    for batch in 0..<50 { try cache.fill("writer-\(index)", batch * 40..<batch * 40 + 40) }
                }
            }
            try await group.waitForAll()
        }
        for (index, cache) in caches.enumerated() {
            #expect(try cache.count() == 4000)
            #expect(try caches[1 - index].records(under: QueryKey("writer-\(index)")).count == 2000)
            #expect(cache.takeProblems().isEmpty)
        }
    }

    @Test func `Readers and writers on many threads see whole batches`() async throws {
        let file = try TestFile()
        let cache = try file.open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for round in 0..<25 {
                        try cache.apply((0..<20).map { .save(.sample("\(round)"), for: QueryKey("w", writer, $0)) })
                    }
                }
                group.addTask {
                    for _ in 0..<25 {
                        let seen = try cache.records(under: QueryKey("w", writer))
                        #expect(seen.isEmpty || seen.count == 20)
                        #expect(Set(seen.map(\.record.data)).count <= 1)
                        _ = try cache.record(for: QueryKey("w", writer, 7))
                        _ = cache.takeProblems()
                    }
                }
            }
            group.addTask {
                for _ in 0..<25 { try cache.apply([.markStale(.path("w")), .save(.sample(), for: "x"), .remove("x")]) }
            }
            try await group.waitForAll()
        }
        #expect(try cache.count() == 80)
    }

    @Test @MainActor func `The main thread reads while a batch is being written`() async throws {
        let file = try TestFile()
        let cache = try file.open()
        try cache.fill("a", 0..<100)
        let writing = Task.detached { for _ in 0..<10 { try cache.fill("b", 0..<500) } }
        for number in 0..<100 { #expect(try cache.record(for: QueryKey("a", number)) != nil) }
        try await writing.value
        #expect(try cache.count() == 600)
    }
}
