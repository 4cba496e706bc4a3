import CombineShim
import Dispatch
import Pigeon
import PigeonTesting
import TestSupport
import Testing

/// Sends 1 and 2 on another thread. Its subscription returns while the first of them is shown.
private struct SendingElsewhere: Publisher {
    typealias Output = Int
    typealias Failure = Never

    let isShowing: DispatchSemaphore

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        let delivery = Delivery<Int, Never>(to: subscriber)
        subscriber.receive(subscription: delivery)
        DispatchQueue.global().async {
            delivery.send(1)
            delivery.send(2)
            delivery.finish(.finished)
        }
        isShowing.wait()
    }
}

@Suite("A publisher that is awaited", .timeLimit(.minutes(1)))
struct PublisherRunTests {
    @Test func `values that another thread sends during the subscription are shown in order, and then it ends`() async {
        let (isShowing, isOvertaken) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let shown = Recorder<Int>()
        let run = PublisherRun<Int> { value in
            if value == 1 {
                isShowing.signal()
                // If another value can overtake this one, it does so now.
                _ = isOvertaken.wait(timeout: .now() + .milliseconds(100))
            }
            shown.append(value)
            if value != 1 { isOvertaken.signal() }
        }
        let end = await run.end(of: SendingElsewhere(isShowing: isShowing).eraseToAnyPublisher())
        // On a busy machine, the subscription may still be returning, so the last value is held back.
        var values = shown.all
        if case .value(let last) = end { values.append(last) }
        #expect(values == [1, 2])
    }
}
