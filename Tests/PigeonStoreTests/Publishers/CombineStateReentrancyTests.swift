import Dispatch
import PigeonStore
import TestSupport
import Testing

@Suite("The newest states of several publishers, while all happens at once", .timeLimit(.minutes(1)))
struct CombineStateReentrancyTests {
    let a = CurrentValueSubject<Text, Never>(completed("1"))
    let b = CurrentValueSubject<Text, Never>(completed("x"))

    @Test("An input may send while a state is delivered: states do not nest, and the newest comes last")
    func sendsMeanwhile() {
        var words: [String] = []
        let subscription = a.combineState(b) { $0 + $1 }.sink { [a, b] state in
            words.append("(\(state.word)")
            if state.content == "1x" {
                a.send(completed("2"))
                b.send(completed("y"))
            }
            words.append(")")
        }
        #expect(words == ["(1x", ")", "(2y", ")"])
        subscription.cancel()
    }

    @Test("An input may end while a state is delivered: the end comes after it")
    func endsMeanwhile() {
        var words: [String] = []
        let subscription = a.combineState(b) { $0 + $1 }.sink { _ in
            words.append("finished")
        } receiveValue: { [a, b] state in
            a.send(completion: .finished)
            b.send(completion: .finished)
            words.append(state.word)
        }
        #expect(words == ["1x", "finished"])
        subscription.cancel()
    }

    @Test("The transform may send to an input")
    func transformSends() {
        var words: [String] = []
        let subscription = a.combineState(b) { [b] one, two in
            if two == "x" { b.send(completed("y")) }
            return one + two
        }.sink { words.append($0.word) }
        #expect(words == ["1x", "1y"])
        subscription.cancel()
    }

    @Test("The transform may cancel: what it made is not delivered")
    func transformCancels() {
        var words: [String] = []
        var subscription: AnyCancellable?
        let c = PassthroughSubject<Text, Never>()
        subscription = a.combineState(c) { one, two in
            subscription?.cancel()
            return one + two
        }.sink { words.append($0.word) }
        c.send(completed("z"))
        c.send(completed("z"))
        #expect(words == [])
        subscription = nil
    }

    /// An object that calls a closure when it is released.
    private final class Content {
        let whenFreed: () -> Void

        init(_ whenFreed: @escaping () -> Void) {
            self.whenFreed = whenFreed
        }

        deinit {
            whenFreed()
        }
    }

    @Test("Content that goes may send, as it is freed, to an input")
    func contentFreed() {
        let c = PassthroughSubject<LoadingState<Content>, Never>()
        var words: [String] = []
        var freed = 0
        let subscription = c.combineState(a) { _, text in text }.sink { words.append($0.word) }
        c.send(
            .loading(
                content: Content { [a] in
                    freed += 1
                    a.send(completed("2"))
                }))
        #expect(words == ["1…"] && freed == 0)
        c.send(.loading(content: nil))
        #expect(Set(words.dropFirst()) == ["…"] && freed == 1)
        subscription.cancel()
    }

    @Test(
        "from many threads, states are delivered one at a time, none goes back, the last is the last",
        .rule("StoreFlowable F28")
    )
    func threads() {
        for _ in 0..<50 {
            let inputs = (0..<3).map { _ in CurrentValueSubject<LoadingState<Int>, Never>(.loading(content: 0)) }
            nonisolated(unsafe) let sending = inputs  // subjects may be sent to from any thread
            let seen = Locked<(values: [[Int]], isBusy: Bool, nested: Int)>(([], false, 0))
            let subscription = inputs[0].combineState(inputs[1], inputs[2]) { [$0, $1, $2] }.sink { state in
                seen.withLock { seen in
                    if seen.isBusy { seen.nested += 1 }
                    seen.isBusy = true
                }
                seen.withLock { seen in
                    seen.values.append(state.content ?? [])
                    seen.isBusy = false
                }
            }
            DispatchQueue.concurrentPerform(iterations: 3) { index in
                for value in 1...100 { sending[index].send(.loading(content: value)) }
            }
            let (values, nested) = seen.withLock { ($0.values, $0.nested) }
            #expect(nested == 0)
            #expect(values.last == [100, 100, 100])
            #expect(zip(values, values.dropFirst()).allSatisfy { old, new in zip(old, new).allSatisfy { $0 <= $1 } })
            subscription.cancel()
        }
    }

    @Test("Whoever cancels while others send and end, nobody is sent anything after an end")
    func racingCancel() {
        for round in 0..<200 {
            let inputs = (0..<2).map { _ in CurrentValueSubject<LoadingState<Int>, Never>(.loading(content: 0)) }
            let ends = Locked((ends: 0, late: 0))
            let subscription = inputs[0].combineState(inputs[1]) { $0 + $1 }.sink { _ in
                ends.withLock { $0.ends += 1 }
            } receiveValue: { _ in
                ends.withLock { $0.late += $0.ends }
            }
            nonisolated(unsafe) let sending = inputs  // subjects may be sent to from any thread
            nonisolated(unsafe) let cancelling = subscription  // and subscriptions may be cancelled on any thread
            DispatchQueue.concurrentPerform(iterations: 3) { index in
                switch (index + round) % 3 {
                case 0: cancelling.cancel()
                case let input:
                    sending[input - 1].send(.loading(content: 1))
                    sending[input - 1].send(completion: .finished)
                }
            }
            let (ended, late) = ends.withLock { ($0.ends, $0.late) }
            #expect(ended <= 1 && late == 0)
        }
    }
}
