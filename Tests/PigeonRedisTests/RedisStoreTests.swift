import Foundation
import PigeonBase
import PigeonCore
import PigeonFleet
import PigeonTesting
import TestSupport
import Testing

@testable import PigeonRedis

@Suite("A store in Redis")
struct RedisStoreTests {
    /// Answers nothing that waits for news, and tells which connections wait.
    private final class WaitingConnection: RedisConnection {
        private let number: Int
        private let waiting: Recorder<Int>

        init(_ number: Int, _ waiting: Recorder<Int>) {
            (self.number, self.waiting) = (number, waiting)
        }

        func send(_ command: RedisCommand) async throws -> RedisReply {
            guard command.arguments.first == Array("XREAD".utf8) else {
                return .array([.integer(1), .integer(0)])
            }
            waiting.append(number)
            try await Task.sleep(for: .seconds(3600))
            return .null
        }

        func close() {}
    }

    @Test("two clients can use one store: neither waits for news behind the other", .rule("A76"))
    func twoClients() async {
        let opened = Locked(0)
        let waiting = Recorder<Int>()
        let store = RedisStore(namespace: "test") {
            let number = opened.withLock { count in
                count += 1
                return count
            }
            return WaitingConnection(number, waiting)
        }
        let position = FleetPosition(epoch: "a", number: 1)
        let tasks = (0..<2).map { _ in Task { try await store.news(after: position, waiting: .seconds(60)) } }
        await until { Set(waiting.all).count == 2 }
        for task in tasks { task.cancel() }
    }

    /// Tells the time, and answers all other commands as a test says.
    private struct ServerWithClock: RedisConnection {
        let answer: @Sendable (RedisCommand) -> RedisReply

        func send(_ command: RedisCommand) async throws -> RedisReply {
            guard command.arguments.first == Array("TIME".utf8) else { return answer(command) }
            let microseconds = Int(Date().timeIntervalSince1970 * 1_000_000)
            return .array([.integer(microseconds / 1_000_000), .integer(microseconds % 1_000_000)])
        }

        func close() {}
    }

    @Test("after a failover, another connection is opened, also if Redis 5 or 6 reports it from a script", .rule("A76"))
    func failover() async throws {
        let opened = Recorder<Int>()
        let problem = "READONLY You can't write against a read only replica."
        let clock = ManualClock()
        let store = RedisStore(namespace: "test", clock: clock) {
            opened.append(1)
            return ServerWithClock { _ in
                .error("ERR Error running script (call to f_1): @user_script:5: @user_script: 5: -\(problem)")
            }
        }
        func publish() async {
            await #expect(throws: FleetError.refused(problem)) {
                try await store.publish([.stale(.tag("shop"))], by: "me")
            }
        }
        await publish()
        clock.advance(by: .milliseconds(1100))
        await publish()
        #expect(opened.all.count == 1)
        await publish()
        #expect(opened.all.count == 2)
    }

    @Test("the time in which a connection is opened does not change the age of a value", .rule("A72"))
    func slowConnection() async throws {
        let commands = Recorder<RedisCommand>()
        let store = RedisStore(namespace: "test") {
            try await Task.sleep(for: .milliseconds(400))
            return ServerWithClock { command in
                commands.append(command)
                return .integer(1)
            }
        }
        let value = FleetValue(
            record: QueryRecord(data: Data(), savedAt: Date()), age: .zero,
            position: FleetPosition(epoch: "a", number: 1))
        let ask = FleetAsk(holder: "h", number: 1, needed: 1, time: .seconds(5), acceptedFailureAge: .zero)
        let now = Date().timeIntervalSince1970
        #expect(try await store.end("a", for: ask, with: .value(value, keepFor: .seconds(60))))
        let script = commands.all.first { $0.arguments.first?.starts(with: Array("EVAL".utf8)) ?? false }
        let bytes = try #require(script?.arguments.last)
        let receivedAt = try #require(RedisRecord.value(bytes)?.receivedAt)
        #expect(abs(Double(receivedAt) / 1000 - now) < 0.1)
    }

    @Test("a value is removed without reading more than its beginning", .rule("A76"))
    func removal() async throws {
        let value = FleetValue(
            record: QueryRecord(data: Data(count: 100_000), savedAt: Date()), age: .zero,
            position: FleetPosition(epoch: "a", number: 1))
        let stored = RedisRecord.bytes(of: value, receivedAt: 0)
        let commands = Recorder<[String]>()
        let store = RedisStore(namespace: "test") {
            ServerWithClock { command in
                let words = command.arguments.map { String(decoding: $0, as: UTF8.self) }
                commands.append(words)
                return switch words[0] {
                case "GET": .string(stored)
                case "GETRANGE": .string(Array(stored.prefix(RedisRecord.headSize)))
                case "UNLINK": .integer(1)
                default: .array([.string(Array("a".utf8)), .string(Array("2".utf8))])
                }
            }
        }
        _ = try await store.publish([.removed(.key("k"))], by: "me")
        await until { commands.all.contains { $0[0] == "UNLINK" } }
        let reads = commands.all.filter { $0[0].hasPrefix("GET") }
        #expect(reads == [["GETRANGE", "{test:k}:v", "0", "\(RedisRecord.headSize - 1)"]])
    }
}
