import CombineShim
import Pigeon
import PigeonTesting
import Testing

/// Something that happens to a delivery.
enum DeliveryStep: Sendable {
    case request(Int)
    case send(Int)
    case finish
    case fail
    case cancel
}

/// A subscriber that does what a row says as it receives a value, and records what it receives.
private final class Recorder: Sendable {
    private struct State {
        var log: [String] = []
        var isReceiving = false
        var wasNested = false
    }

    private let state = Locked(State())
    private let more: Int
    private let during: [Int: [DeliveryStep]]
    private let own = Locked<Delivery<Int, Broken>?>(nil)

    init(_ backlog: DeliveryBacklog, more: Int = 0, during: [Int: [DeliveryStep]] = [:], skipping: Set<Int> = []) {
        self.more = more
        self.during = during
        let delivery = Delivery<Int, Broken>(backlog) { [self] value in
            guard !skipping.contains(value) else { return nil }
            return receive(value)
        } complete: { [self] completion in
            if case .failure = completion { add("failed") } else { add("finished") }
        }
        own.withLock { $0 = delivery }
    }

    var delivery: Delivery<Int, Broken>? { own.withLock { $0 } }
    var log: [String] { state.withLock { $0.log } }
    var wasNested: Bool { state.withLock { $0.wasNested } }

    func perform(_ steps: [DeliveryStep]) {
        for step in steps {
            switch step {
            case .request(let count): delivery?.request(.max(count))
            case .send(let value): delivery?.send(value)
            case .finish: delivery?.finish(.finished)
            case .fail: delivery?.finish(.failure(Broken()))
            case .cancel: delivery?.cancel()
            }
        }
    }

    private func add(_ word: String) {
        state.withLock { $0.log.append(word) }
    }

    private func receive(_ value: Int) -> Subscribers.Demand {
        state.withLock { state in
            state.wasNested = state.wasNested || state.isReceiving
            state.isReceiving = true
            state.log.append("\(value)")
        }
        perform(during[value] ?? [])
        state.withLock { $0.isReceiving = false }
        return .max(more)
    }
}

/// Steps, and what the subscriber receives.
struct DeliveryRow: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var backlog = DeliveryBacklog.everyValue
    /// Additional demand that the subscriber returns for each value.
    var more = 0
    /// What the subscriber does as it receives a value.
    var during: [Int: [DeliveryStep]] = [:]
    var skipping: Set<Int> = []
    let steps: [DeliveryStep]
    let log: [String]

    static let all = [
        DeliveryRow(
            testDescription: "sends no more than was requested", steps: [.request(2), .send(1), .send(2), .send(3)],
            log: ["1", "2"]),
        DeliveryRow(
            testDescription: "values wait for demand", steps: [.send(1), .send(2), .request(1), .send(3), .request(5)],
            log: ["1", "2", "3"]),
        DeliveryRow(
            testDescription: "the newest replaces values without demand", backlog: .newestWithoutDemand,
            steps: [.send(1), .send(2), .request(2), .send(3), .send(4), .send(5), .request(1)],
            log: ["2", "3", "5"]),
        DeliveryRow(
            testDescription: "values that the subscriber causes all wait", backlog: .newestWithoutDemand,
            during: [1: [.send(2), .send(3)]], steps: [.request(9), .send(1)], log: ["1", "2", "3"]),
        DeliveryRow(
            testDescription: "of values that the subscriber causes, the newest waits", backlog: .newest,
            during: [1: [.send(2), .send(3)]], steps: [.request(9), .send(1)], log: ["1", "3"]),
        DeliveryRow(
            testDescription: "the demand that the subscriber returns counts", more: 1,
            steps: [.request(1), .send(1), .send(2), .send(3)], log: ["1", "2", "3"]),
        DeliveryRow(
            testDescription: "the subscriber may request as it receives", during: [1: [.request(1)]],
            steps: [.send(1), .send(2), .send(3), .request(1)], log: ["1", "2"]),
        DeliveryRow(
            testDescription: "a skipped value uses up no demand", skipping: [1, 3],
            steps: [.request(2), .send(1), .send(2), .send(3), .send(4), .send(5)], log: ["2", "4"]),
        DeliveryRow(
            testDescription: "the subscriber may cancel as it receives", during: [1: [.send(2), .cancel, .send(3)]],
            steps: [.request(9), .send(1), .send(4), .finish], log: ["1"]),
        DeliveryRow(
            testDescription: "nothing follows a cancellation",
            steps: [.send(1), .cancel, .request(1), .send(2), .finish, .fail], log: []),
        DeliveryRow(
            testDescription: "completes after the values that wait",
            steps: [.send(1), .finish, .send(2), .request(1), .send(3), .finish], log: ["1", "finished"]),
        DeliveryRow(testDescription: "completes without demand if nothing waits", steps: [.finish], log: ["finished"]),
        DeliveryRow(
            testDescription: "a failure does not wait for demand", steps: [.send(1), .fail, .request(1)],
            log: ["failed"]),
        DeliveryRow(
            testDescription: "a failure follows the values that were requested", during: [1: [.send(2), .fail]],
            steps: [.request(9), .send(1)], log: ["1", "2", "failed"]),
        DeliveryRow(
            testDescription: "the first completion counts", during: [1: [.finish, .fail]],
            steps: [.request(1), .send(1)], log: ["1", "finished"]),
    ]
}

@Suite("Delivery")
struct DeliveryTests {
    @Test("Sends values one at a time and in order, as requested", arguments: DeliveryRow.all)
    func table(_ row: DeliveryRow) {
        let recorder = Recorder(row.backlog, more: row.more, during: row.during, skipping: row.skipping)
        recorder.perform(row.steps)
        #expect(recorder.log == row.log)
        #expect(!recorder.wasNested)
        recorder.delivery?.cancel()
    }

    /// Runs a program of two threads, which seeds interleave in a hundred ways.
    private func interleaved(
        _ backlog: DeliveryBacklog, _ program: @escaping @Sendable (Recorder) async -> Void
    ) async throws {
        for seed: UInt64 in 0..<100 {
            try await Interleaving(seed: seed).run { _ in
                let recorder = Recorder(backlog)
                await program(recorder)
                recorder.delivery?.cancel()
            }
        }
    }

    @Test("Two threads that send never nest values, and lose none")
    func threads() async throws {
        try await interleaved(.everyValue) { recorder in
            recorder.perform([.request(3)])
            async let first: Void = recorder.perform([.send(1), .send(2), .request(3)])
            async let second: Void = recorder.perform([.send(11), .send(12)])
            _ = await (first, second)
            #expect(recorder.log.sorted() == ["1", "11", "12", "2"])
            #expect(recorder.log.filter { $0.count == 1 } == ["1", "2"])
            #expect(recorder.log.filter { $0.count == 2 } == ["11", "12"])
            #expect(!recorder.wasNested)
        }
    }

    @Test("The newest value of two threads is the last one sent")
    func newest() async throws {
        try await interleaved(.newest) { recorder in
            async let first: Void = recorder.perform([.send(1), .send(2), .send(3)])
            async let second: Void = recorder.perform([.request(1), .request(9)])
            _ = await (first, second)
            #expect(recorder.log.last == "3")
            #expect(recorder.log == recorder.log.sorted())
        }
    }

    @Test("Nothing is received after another thread cancelled and the running call returned")
    func cancels() async throws {
        try await interleaved(.everyValue) { recorder in
            recorder.perform([.request(9)])
            async let first: Void = recorder.perform([.send(1), .send(2), .finish])
            async let second: Void = recorder.perform([.cancel])
            _ = await (first, second)
            let log = recorder.log
            #expect(log == Array(["1", "2", "finished"].prefix(log.count)))
            recorder.perform([.send(3), .finish])
            #expect(recorder.log == log)
        }
    }

    @Test("A source is cancelled with the subscription, and not when that completes", arguments: [true, false])
    func source(isCancelled: Bool) {
        let count = Locked(0)
        let recorder = Recorder(.everyValue)
        recorder.delivery?.onCancel { count.withLock { $0 += 1 } }
        recorder.perform(isCancelled ? [.cancel, .cancel] : [.finish, .cancel])
        #expect(count.withLock { $0 } == (isCancelled ? 1 : 0))
        recorder.delivery?.onCancel { count.withLock { $0 += 10 } }
        #expect(count.withLock { $0 } == (isCancelled ? 11 : 10), "it has ended already")
    }

    /// Sends when it is released.
    private final class Sender: Sendable {
        let send: @Sendable () -> Void

        init(_ send: @escaping @Sendable () -> Void) {
            self.send = send
        }

        deinit { send() }
    }

    @Test("Values, subscriber and source are released at the end, and may use the delivery", arguments: 0..<3)
    func releases(way: Int) {
        let released = Locked(0)
        do {
            let subscriber = Sender { released.withLock { $0 += 1 } }
            let delivery = Delivery<Sender?, Broken>(.everyValue) { _ in
                _ = subscriber
                return Subscribers.Demand.none
            } complete: { _ in
                _ = subscriber
            }
            delivery.onCancel { [subscriber] in _ = subscriber }
            delivery.send(
                Sender { [weak delivery] in
                    delivery?.send(nil)
                    released.withLock { $0 += 1 }
                })
            if way == 0 { delivery.cancel() }
            if way == 1 { delivery.finish(.failure(Broken())) }
            if way == 2 {
                delivery.request(.max(1))
                delivery.finish(.finished)
            }
        }
        #expect(released.withLock { $0 } == 2)
    }

    @Test("On the main actor, values that the subscriber causes come in turns of their own")
    @MainActor
    func turns() async {
        var log: [String] = []
        let ended = AsyncStream.makeStream(of: Void.self)
        let own = Locked<Delivery<Int, Broken>?>(nil)
        let delivery = Delivery<Int, Broken>(.everyValue, on: .mainActorTurns) { value in
            MainActor.assumeIsolated { log.append("\(value)") }
            if value < 3 { own.withLock { $0 }?.send(value + 1) } else { ended.continuation.finish() }
            return Subscribers.Demand.none
        } complete: { _ in
        }
        own.withLock { $0 = delivery }
        delivery.request(.unlimited)
        delivery.send(1)
        #expect(log == ["1"])
        for await _ in ended.stream {}
        #expect(log == ["1", "2", "3"])
        delivery.cancel()
    }
}
