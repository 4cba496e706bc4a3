import PigeonCore
import PigeonTesting
import TestSupport
import Testing

/// Passes events to a receiver, which may send other events.
private final class Channel<Event: Sendable>: Sendable {
    private let events = Locked(SerialDelivery<Event>())
    private let inBatches: Bool
    private let receive: @Sendable (Event, Channel<Event>) -> Void

    init(inBatches: Bool, receive: @escaping @Sendable (Event, Channel<Event>) -> Void) {
        self.inBatches = inBatches
        self.receive = receive
    }

    var isDelivering: Bool { events.withLock { $0.isDelivering } }

    func send(_ event: Event) {
        if inBatches { sendInBatch(event) } else { sendAlone(event) }
    }

    private func sendAlone(_ event: Event) {
        var next = events.withLock { events in
            events.add(event)
            return events.begin()
        }
        while let event = next {
            receive(event, self)
            next = events.withLock { $0.next() }
        }
    }

    private func sendInBatch(_ event: Event) {
        var batch = events.withLock { events in
            events.add(event)
            return events.beginAll()
        }
        while let all = batch {
            for event in all { receive(event, self) }
            batch = events.withLock { $0.nextAll() }
        }
    }
}

@Suite("Serial delivery", .timeLimit(.minutes(1)))
struct SerialDeliveryTests {
    @Test("Events are delivered in the order in which they were added", arguments: [false, true])
    func order(inBatches: Bool) {
        let received = Recorder<Int>()
        let channel = Channel<Int>(inBatches: inBatches) { event, _ in received.append(event) }
        for event in 0..<5 { channel.send(event) }
        #expect(received.all == [0, 1, 2, 3, 4])
        #expect(!channel.isDelivering)
    }

    @Test(
        "Events that a receiver adds are delivered after it returns, and after earlier ones", arguments: [false, true])
    func reentrant(inBatches: Bool) {
        let log = Recorder<String>()
        let channel = Channel<Int>(inBatches: inBatches) { event, channel in
            log.append("\(event) begins")
            if event == 0 { for other in 1...3 { channel.send(other) } }
            if event == 1 { channel.send(4) }
            log.append("\(event) ends")
        }
        channel.send(0)
        #expect(log.all == (0...4).flatMap { ["\($0) begins", "\($0) ends"] })
        channel.send(5)
        #expect(log.all.suffix(2) == ["5 begins", "5 ends"])
    }

    @Test("While one caller delivers, the others leave their events to it")
    func oneCaller() {
        var delivery = SerialDelivery<Int>()
        let nothing = delivery.begin()
        #expect(nothing == nil && !delivery.isDelivering)
        delivery.add(1)
        let first = delivery.begin()
        delivery.add(2)
        let others = (delivery.begin(), delivery.beginAll(), delivery.reserve())
        #expect(first == 1 && delivery.isDelivering)
        #expect(others.0 == nil && others.1 == nil && !others.2)
        let second = delivery.next()
        let end = delivery.next()
        #expect(second == 2 && end == nil && !delivery.isDelivering)
    }

    @Test("A caller can reserve the delivery before there is an event")
    func reserved() {
        var delivery = SerialDelivery<Int>()
        let isReserved = delivery.reserve()
        delivery.add(1)
        let other = delivery.begin()
        #expect(isReserved && other == nil)
        let hasMore = delivery.proceed()
        let first = delivery.next()
        #expect(hasMore && first == 1 && delivery.isEmpty)
        let hasEnded = !delivery.proceed()
        let isFree = delivery.reserve()
        #expect(hasEnded && isFree)
    }

    @Test("Events can be taken one at a time and then all at once, in the same order")
    func mixed() {
        var delivery = SerialDelivery<Int>()
        for event in 1...3 { delivery.add(event) }
        let first = delivery.begin()
        for event in 4...5 { delivery.add(event) }
        let rest = delivery.nextAll()
        let end = delivery.nextAll()
        #expect(first == 1 && rest == [2, 3, 4, 5] && end == nil)
        #expect(delivery.isEmpty && !delivery.isDelivering)
    }

    @Test("Events are released outside the lock", arguments: [false, true])
    func released(inBatches: Bool) {
        /// Takes the channel's lock when it is released, which ends the process of a debug build if the lock is held.
        final class Event: Sendable {
            let number: Int
            let channel: Channel<Event>
            let released: Recorder<Int>

            init(_ number: Int, _ channel: Channel<Event>, _ released: Recorder<Int>) {
                (self.number, self.channel, self.released) = (number, channel, released)
            }

            deinit {
                _ = channel.isDelivering
                released.append(number)
            }
        }
        let released = Recorder<Int>()
        let channel = Channel<Event>(inBatches: inBatches) { event, channel in
            guard event.number == 0 else { return }
            for number in 1...3 { channel.send(Event(number, channel, released)) }
        }
        channel.send(Event(0, channel, released))
        #expect(released.all.sorted() == [0, 1, 2, 3])
    }

    @Test(
        "Every event is delivered once, by one thread at a time and in order, whatever the threads do",
        arguments: [false, true])
    func threads(inBatches: Bool) async throws {
        for seed: UInt64 in 0..<200 {
            let log = try await Interleaving(seed: seed).run { _ in
                let received = Recorder<Int>()
                let channel = Channel<Int>(inBatches: inBatches) { event, channel in
                    received.append(event)
                    if event < 10 { channel.send(event + 10) }
                    received.append(event)
                }
                async let one: Void = Self.send([1, 2, 3], to: channel)
                async let other: Void = Self.send([4, 5, 6], to: channel)
                async let third: Void = Self.send([7, 8, 9], to: channel)
                _ = await (one, other, third)
                return received.all
            }
            // Another event between the two records of an event would have been received during its call.
            let begun = stride(from: 0, to: log.count, by: 2).map { log[$0] }
            let ended = stride(from: 1, to: log.count, by: 2).map { log[$0] }
            #expect(begun == ended, "seed \(seed)")
            #expect(begun.sorted() == Array(1...9) + Array(11...19), "seed \(seed)")
            for first in [1, 4, 7] {
                let own = first..<(first + 3)
                #expect(begun.filter { own.contains($0) } == Array(own), "seed \(seed)")
                let added = begun.filter { own.contains($0 - 10) }
                #expect(added == own.map { $0 + 10 }, "seed \(seed)")
            }
        }
    }

    private static func send(_ events: [Int], to channel: Channel<Int>) {
        for event in events { channel.send(event) }
    }
}
