import PigeonCore
import PigeonRedis
import TestSupport
import Testing

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

    @Test("A76: two clients can use one store: neither waits for news behind the other")
    func twoClients() async {
        let (opened, waiting) = (Recorder<Int>(), Recorder<Int>())
        let store = RedisStore(namespace: "test") {
            opened.append(1)
            return WaitingConnection(opened.all.count, waiting)
        }
        let position = FleetPosition(epoch: "a", number: 1)
        let tasks = (0..<2).map { _ in Task { try await store.news(after: position, waiting: .seconds(60)) } }
        await until { Set(waiting.all).count == 2 }
        for task in tasks { task.cancel() }
    }
}
