import PigeonREST
import TestSupport
import Testing

@Suite("flatMapLatest of sequences", .timeLimit(.minutes(1)))
struct FlatMapLatestSequenceTests {
    private typealias Stream = AsyncStream<String>

    @Test("Brings nothing of an older sequence once a newer element came, and cancels it")
    func newest() async {
        let (outer, send) = AsyncStream.makeStream(of: Int.self)
        let inners = (0..<2).map { _ in Stream.makeStream() }
        let (began, ended) = (Gate(), Gate())
        inners[0].continuation.onTermination = { if case .cancelled = $0 { ended.open() } }
        var iterator = outer.flatMapLatest { index in
            if index == 1 { began.open() }
            return inners[index].stream
        }.makeAsyncIterator()
        send.yield(0)
        inners[0].continuation.yield("a")
        #expect(await iterator.next() == "a")
        send.yield(1)
        await began.wait()
        inners[0].continuation.yield("late")
        inners[1].continuation.yield("b")
        #expect(await iterator.next() == "b")
        await ended.wait()
    }

    @Test("What waits of an older sequence is dropped when a newer element comes")
    func dropsWaiting() async {
        let (outer, send) = AsyncStream.makeStream(of: Int.self)
        let taken = Gate()
        // Sends "offered" as soon as it is read, and so has it wait; the newer element comes after that.
        let sequence = outer.flatMapLatest { index in
            AsyncStream<String> { continuation in
                continuation.yield(index == 0 ? "first" : "second")
                if index == 0 { continuation.yield("outdated") }
                if index == 1 { taken.open() }
            }
        }
        var iterator = sequence.makeAsyncIterator()
        send.yield(0)
        #expect(await iterator.next() == "first")
        send.yield(1)
        await taken.wait()
        #expect(await iterator.next() == "second")
    }

    @Test("A transform that waits does not hold up a newer element, which cancels it")
    func slowTransform() async {
        let (outer, send) = AsyncStream.makeStream(of: Int.self)
        let cancelled = Gate()
        let sequence = outer.flatMapLatest { (index: Int) -> AsyncStream<String> in
            if index == 0 {
                send.yield(1)
                try? await Task.sleep(for: .seconds(3600))
                cancelled.open()
            }
            return AsyncStream<String> { continuation in
                continuation.yield("\(index)")
                continuation.finish()
            }
        }
        var iterator = sequence.makeAsyncIterator()
        send.yield(0)
        #expect(await iterator.next() == "1")
        await cancelled.wait()
    }

    @Test("Ends when elements and the newest sequence have")
    func ends() async {
        let (outer, send) = AsyncStream.makeStream(of: Int.self)
        let (inner, continuation) = Stream.makeStream()
        var iterator = outer.flatMapLatest { _ in inner }.makeAsyncIterator()
        send.yield(0)
        send.finish()
        continuation.yield("a")
        #expect(await iterator.next() == "a")
        continuation.yield("b")
        continuation.finish()
        #expect(await iterator.next() == "b")
        #expect(await iterator.next() == nil)
        #expect(await iterator.next() == nil)
    }

    @Test("Ends at once without elements")
    func empty() async {
        let none = AsyncStream<Int> { $0.finish() }
        var iterator = none.flatMapLatest { _ in Stream { _ in } }.makeAsyncIterator()
        #expect(await iterator.next() == nil)
    }

    @Test("Throws what the elements or the newest sequence throw, once", arguments: [true, false])
    func throwing(outerThrows: Bool) async throws {
        let outer = AsyncThrowingStream<Int, any Error> { continuation in
            if outerThrows { continuation.finish(throwing: Mishap()) } else { continuation.yield(0) }
        }
        var iterator = outer.flatMapLatest { _ in
            AsyncThrowingStream<String, any Error> { continuation in
                continuation.yield("a")
                continuation.finish(throwing: Mishap())
            }
        }.makeAsyncIterator()
        if !outerThrows { #expect(try await iterator.next() == "a") }
        await #expect(throws: Mishap()) { _ = try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test("Siesta C3: cancelling the reader's task cancels elements and sequence, and ends the loop")
    func cancels() async {
        let (outer, send) = AsyncStream.makeStream(of: Int.self)
        let (inner, continuation) = Stream.makeStream()
        let (outerEnded, innerEnded, first) = (Gate(), Gate(), Gate())
        send.onTermination = { if case .cancelled = $0 { outerEnded.open() } }
        continuation.onTermination = { if case .cancelled = $0 { innerEnded.open() } }
        let reading = Task {
            var count = 0
            for await _ in outer.flatMapLatest({ _ in inner }) {
                count += 1
                first.open()
            }
            return count
        }
        send.yield(0)
        continuation.yield("a")
        await first.wait()
        reading.cancel()
        #expect(await reading.value == 1)
        await outerEnded.wait()
        await innerEnded.wait()
    }

    @Test("Siesta C3: leaving the loop cancels elements and sequence")
    func leaves() async {
        let (outer, send) = AsyncStream.makeStream(of: Int.self)
        let (inner, continuation) = Stream.makeStream()
        let (outerEnded, innerEnded) = (Gate(), Gate())
        send.onTermination = { if case .cancelled = $0 { outerEnded.open() } }
        continuation.onTermination = { if case .cancelled = $0 { innerEnded.open() } }
        send.yield(0)
        continuation.yield("a")
        for await _ in outer.flatMapLatest({ _ in inner }) { break }
        await outerEnded.wait()
        await innerEnded.wait()
    }

    @Test("Is read no faster than the loop: one element at most waits")
    func pace() async {
        let made = Recorder<Int>()
        let inner = AsyncStream<Int>(unfolding: {
            made.append(0)
            return made.all.count
        })
        let one = AsyncStream<Int> { continuation in
            continuation.yield(0)
            continuation.finish()
        }
        var iterator = one.flatMapLatest { _ in inner }.makeAsyncIterator()
        for expected in 1...20 {
            #expect(await iterator.next() == expected)
            #expect(made.all.count <= expected + 1)
        }
    }

    @Test("Never goes back to an older sequence, whatever the threads do", arguments: 0..<20)
    func stress(round: Int) async {
        let count = 30
        let outer = AsyncStream<Int> { continuation in
            Task {
                for index in 0..<count {
                    continuation.yield(index)
                    await Task.yield()
                }
                continuation.finish()
            }
        }
        var numbers: [Int] = []
        for await number in outer.flatMapLatest({ index in
            AsyncStream<Int> { continuation in
                for _ in 0..<20 { continuation.yield(index) }
                continuation.finish()
            }
        }) { numbers.append(number) }
        #expect(numbers == numbers.sorted())
        #expect(numbers.suffix(20) == Array(repeating: count - 1, count: 20)[...])
    }
}
