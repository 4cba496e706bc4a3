import PigeonFutures
import TestSupport
import Testing

@Suite("Many futures at once")
struct ManyFutureTests {
    @Test("Values come in the order of the futures, whatever the order of their ends")
    func order() async throws {
        let gates = (0...4).map { _ in Gate() }
        let children = (0..<4).map { number in
            ResponseFuture<Int>(operation: { _ in
                await gates[number + 1].wait()
                gates[number].open()
                return number
            })
        }
        let future = ResponseFuture(childFutures: children).start()
        gates[4].open()
        #expect(try await future.value == [0, 1, 2, 3])
        #expect(children.allSatisfy { $0.status == .success })
    }

    @Test("No futures give no values")
    func none() async throws {
        #expect(try await ResponseFuture(childFutures: [ResponseFuture<Int>]()).value == [])
    }

    @Test("any sequence of futures will do", .rule("PiuPiu N8"))
    func sequence() async throws {
        let children = (1...3).lazy.map { ResponseFuture(result: $0) }
        #expect(try await ResponseFuture(childFutures: children).value == [1, 2, 3])
        let shared = ResponseFuture(result: 7)
        #expect(try await ResponseFuture(childFutures: [shared, shared]).value == [7, 7])
    }

    @Test("A closure with its label creates the futures at the start, and what it throws is the error")
    func closure() async throws {
        let made = Recorder<Int>()
        let future = ResponseFuture<[Int]>(childFutures: {
            made.append(1)
            return (1...3).map { ResponseFuture(result: $0) }
        })
        #expect(made.all == [])
        #expect(try await future.value == [1, 2, 3])
        #expect(made.all == [1])
        await #expect(throws: Failure()) { try await ResponseFuture<[Int]> { throw Failure() }.value }
    }

    @Test("the first that fails ends the whole and cancels the others", .rule("PiuPiu N8"))
    func failure() async {
        let running = Watched(0)
        let endless = (0..<3).map { _ in
            ResponseFuture<Int>(operation: { _ in
                running.update { $0 += 1 }
                await Gate().wait()
                running.update { $0 -= 1 }
                return 0
            })
        }
        let failing = ResponseFuture<Int>(operation: { _ in
            await running.wait { $0 == 3 }
            throw Failure()
        })
        let future = ResponseFuture(childFutures: [failing] + endless)
        await #expect(throws: Failure()) { try await future.value }
        await running.wait { $0 == 0 }
        #expect(endless.allSatisfy { $0.status == .cancelled })
    }

    @Test("one that is cancelled cancels the whole, in place of shifting the others", .rule("PiuPiu N8"))
    func cancelled() async {
        let endless = ResponseFuture<Int>(operation: { _ in
            await Gate().wait()
            return 1
        })
        let children = [ResponseFuture(result: 0), endless, ResponseFuture(result: 2)]
        let future = ResponseFuture(childFutures: children).start()
        endless.cancel()
        await future.finished()
        #expect(future.status == .cancelled)
    }

    @Test("Futures that have not been started are not, when an earlier one fails at once")
    func notStarted() async {
        let future = ResponseFuture(childFutures: [
            ResponseFuture<Int> { _ in throw Failure() },
            ResponseFuture<Int> { _ in Issue.record("started") },
        ])
        await #expect(throws: Failure()) { try await future.value }
    }

    @Test("A thousand in a row, and a thousand side by side")
    func many() async throws {
        let row = (0..<1000).reduce(ResponseFuture(result: 0)) { future, _ in
            future.replace { value in ResponseFuture(result: value + 1) }
        }
        #expect(try await row.value == 1000)
        let all = ResponseFuture(childFutures: (0..<1000).map { number in ResponseFuture(operation: { _ in number }) })
        #expect(try await all.value == Array(0..<1000))
    }

    @Test("Two transfers of any announced length have a progress together")
    func absurdLengths() async {
        let (one, other) = (ResponseFuture<Int> { _ in }, ResponseFuture<Int> { _ in })
        let seen = Locked<[Int64?]>([])
        let all = ResponseFuture(childFutures: [one, other])
            .progress { progress in seen.withLock { $0.append(progress.expectedToReceive) } }.start()
        let progress = TransferProgress(received: 1, expectedToReceive: 5_000_000_000_000_000_000)
        one.update(progress: progress)
        other.update(progress: progress)
        await until { seen.withLock { $0 }.last == .some(nil) }
        all.cancel()
    }
}
