import Dispatch
import Foundation
import PigeonFutures
import TestSupport
import Testing

@Suite("Futures under many threads")
struct FutureStressTests {
    private struct Tally {
        var value = 0
        var error = 0
        var cancellation = 0
        var completion = 0
    }

    /// Runs closures at the same time, on many threads.
    private func race(_ works: [@Sendable () -> Void]) {
        DispatchQueue.concurrentPerform(iterations: works.count) { works[$0]() }
    }

    @Test(
        "whoever starts, ends, cancels and listens at once, each is told once, and of one end",
        .rule("D2", "PiuPiu P3", "PiuPiu P16"))
    func races() async {
        for round in 0..<300 {
            let tallies = (0..<8).map { _ in Shared(Tally()) }
            let runs = Shared(0)
            let future = ResponseFuture<Int> { _ in runs.change { $0 += 1 } }
            let attach: [@Sendable () -> Void] = tallies.map { tally in
                {
                    future.success { _ in tally.change { $0.value += 1 } }
                        .error { _ in tally.change { $0.error += 1 } }
                        .cancellation { tally.change { $0.cancellation += 1 } }
                        .completion { tally.change { $0.completion += 1 } }
                }
            }
            let ends: [@Sendable () -> Void] = [
                { future.succeed(with: 1) }, { future.fail(with: Failure()) }, { future.cancel() },
                { future.start() }, { future.send() }, { future.update(progress: TransferProgress(received: 1)) },
            ]
            race((attach + ends).rotated(round))
            await future.finished()
            // Late handlers are called in their turn: those of this one are the last.
            let ended = Gate()
            future.completion { ended.open() }
            await ended.wait()
            #expect(runs.value <= 1)
            for tally in tallies.map(\.value) {
                #expect(tally.completion == 1)
                switch future.status {
                case .success: #expect((tally.value, tally.error, tally.cancellation) == (1, 0, 0))
                case .error: #expect((tally.value, tally.error, tally.cancellation) == (0, 1, 0))
                case .cancelled: #expect((tally.value, tally.error, tally.cancellation) == (0, 0, 1))
                case .created, .started: Issue.record("\(future.status) is no end")
                }
            }
        }
    }

    @Test("Chains that are cancelled while they run end once, all of them")
    func chains() async {
        for round in 0..<200 {
            let ends = Shared(0)
            let first = ResponseFuture<Int> { future in
                DispatchQueue.global().async { future.succeed(with: round) }
            }
            let last = first.then { $0 + 1 }
                .join { value -> ResponseFuture<Int> in ResponseFuture(operation: { _ in value }) }
                .join { ResponseFuture(operation: { _ in 1 }) }
                .then { one, two, three -> Int in one + two + three }
                .completion { ends.change { $0 += 1 } }
            race(
                [{ last.start() }, { first.start() }, { last.cancel() }, { _ = last.then { $0 }.start() }].rotated(
                    round))
            await last.finished()
            #expect(ends.value == 1)
            #expect(last.status == .cancelled || last.status == .success)
        }
    }

    @Test("Many that end at the same time make one whole", arguments: [true, false])
    func wholes(isFailing: Bool) async {
        for _ in 0..<100 {
            let children = (0..<16).map { _ in ResponseFuture<Int> { _ in } }
            let whole = ResponseFuture(childFutures: children).start()
            race(
                children.enumerated().map { index, child in
                    { isFailing && index == 7 ? child.fail(with: Failure()) : child.succeed(with: index) }
                })
            if isFailing {
                await #expect(throws: Failure()) { try await whole.value }
            } else {
                #expect(await (try? whole.value) == Array(0..<16))
            }
        }
    }
}

/// A value that closures share.
private final class Shared<Value: Sendable>: Sendable {
    private let locked: Locked<Value>

    init(_ value: Value) { locked = Locked(value) }

    var value: Value { locked.withLock { $0 } }
    func change(_ change: (inout Value) -> Void) { locked.withLock { change(&$0) } }
}

extension Array {
    /// Returns the elements in a rotated order, so that each round has its own order.
    fileprivate func rotated(_ round: Int) -> [Element] {
        Array(self[(round % count)...] + self[..<(round % count)])
    }
}
