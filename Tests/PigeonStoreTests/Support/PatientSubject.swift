import PigeonStore

/// Publishes the values that it receives to one subscriber, and buffers them until that subscriber requests values. A
/// test and the threads of a store therefore need not wait for each other.
final class PatientSubject<Output: Sendable, Failure: Error>: Publisher, @unchecked Sendable {  // `state` is a lock
    private enum Event {
        case value(Output)
        case end(Subscribers.Completion<Failure>)
    }

    private struct State {
        var events: [Event] = []
        var subscriber: AnySubscriber<Output, Failure>?
        var isAsked = false
        var isSending = false
    }

    private let state = Locked(State())

    func send(_ value: Output) { add(.value(value)) }

    func send(completion: Subscribers.Completion<Failure>) { add(.end(completion)) }

    func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
        let subscriber = AnySubscriber(subscriber)
        state.withLock { $0.subscriber = subscriber }
        subscriber.receive(subscription: Asking(subject: self))
    }

    private func add(_ event: Event) {
        state.withLock { $0.events.append(event) }
        pass()
    }

    /// Sends the buffered events, one thread at a time.
    private func pass() {
        while true {
            let next = state.withLock { state -> (AnySubscriber<Output, Failure>, Event)? in
                guard state.isAsked, !state.isSending, !state.events.isEmpty, let subscriber = state.subscriber else {
                    return nil
                }
                state.isSending = true
                return (subscriber, state.events.removeFirst())
            }
            guard let (subscriber, event) = next else { return }
            switch event {
            case .value(let value): _ = subscriber.receive(value)
            case .end(let completion): subscriber.receive(completion: completion)
            }
            state.withLock { $0.isSending = false }
        }
    }

    private struct Asking: Subscription {
        let subject: PatientSubject
        let combineIdentifier = CombineIdentifier()

        func request(_ demand: Subscribers.Demand) {
            subject.state.withLock { $0.isAsked = true }
            subject.pass()
        }

        func cancel() {
            subject.state.withLock { ($0.subscriber, $0.events) = (nil, []) }
        }
    }
}
