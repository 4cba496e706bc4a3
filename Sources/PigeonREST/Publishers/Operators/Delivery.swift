internal import CombineShim

/// What a subscriber is still to be sent, and how much it asked for: values in order, then the end.
///
/// Lies in the lock of a subscription. Whoever brings something while a value is being delivered, on whatever thread,
/// leaves it to the one who delivers: values never nest, and keep their order.
struct Delivery<Output, Failure: Error> {
    /// What is to be done outside the lock.
    enum Step {
        case value(Output, AnySubscriber<Output, Failure>)
        case end(Subscribers.Completion<Failure>, AnySubscriber<Output, Failure>)
    }

    /// What is let go of, to be freed outside the lock.
    typealias Remains = (AnySubscriber<Output, Failure>?, [Output])

    private(set) var demand = Subscribers.Demand.none
    private var downstream: AnySubscriber<Output, Failure>?
    private var waiting: [Output] = []
    private var completion: Subscribers.Completion<Failure>?
    private var isSending = false

    init(_ downstream: AnySubscriber<Output, Failure>) {
        self.downstream = downstream
    }

    /// Whether there is someone to be sent more.
    var isOpen: Bool { downstream != nil && completion == nil }

    mutating func ask(_ more: Subscribers.Demand) {
        demand += more
    }

    mutating func add(_ value: Output) {
        guard isOpen else { return }
        waiting.append(value)
    }

    /// Adds a value in place of all that nobody asked for yet, and returns those.
    mutating func addNewest(_ value: Output) -> [Output] {
        guard isOpen else { return [] }
        guard demand == .none, !isSending else {
            waiting.append(value)
            return []
        }
        defer { waiting = [value] }
        return waiting
    }

    /// Takes back what was not delivered yet.
    mutating func takeWaiting() -> [Output] {
        defer { waiting = [] }
        return waiting
    }

    /// Nothing comes after this.
    mutating func end(_ completion: Subscribers.Completion<Failure>) {
        guard isOpen else { return }
        self.completion = completion
    }

    mutating func clear() -> Remains {
        defer { (downstream, waiting) = (nil, []) }
        return (downstream, waiting)
    }

    /// Whether the caller is the one to deliver.
    mutating func begin() -> Bool {
        guard !isSending else { return false }
        isSending = true
        return true
    }

    /// What was asked for comes before the end. A failure waits for nobody to ask for values.
    mutating func next() -> Step? {
        if let downstream {
            if demand > .none, !waiting.isEmpty {
                demand -= 1
                return .value(waiting.removeFirst(), downstream)
            }
            if let completion, completion.isFailure || waiting.isEmpty {
                self.downstream = nil
                return .end(completion, downstream)
            }
        }
        isSending = false
        return nil
    }

    /// Lets others deliver.
    ///
    /// - Returns: Whether there is more to deliver by now.
    mutating func pause() -> Bool {
        isSending = false
        guard downstream != nil else { return false }
        return completion?.isFailure == true || (waiting.isEmpty ? completion != nil : demand > .none)
    }
}

extension Subscribers.Completion {
    fileprivate var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}

/// A subscription whose subscriber gets what it is sent through a ``Delivery``.
protocol DeliveringSubscription: Subscription {
    associatedtype Output
    associatedtype Failure: Error

    func withDelivery<Result>(_ body: (inout Delivery<Output, Failure>) -> Result) -> Result
}

extension DeliveringSubscription {
    /// Sends what there is to send, unless somebody does that already. Never to be called under a lock.
    func deliver() {
        deliver(atMost: .max)
    }

    /// Sends no more than `count` values.
    ///
    /// - Returns: Whether there is more to send.
    @discardableResult
    func deliver(atMost count: Int) -> Bool {
        guard withDelivery({ $0.begin() }) else { return false }
        var left = count
        while let step = withDelivery({ $0.next() }) {
            switch step {
            case .value(let value, let downstream):
                let more = downstream.receive(value)
                if more > .none { request(more) }
            case .end(let completion, let downstream):
                _ = withDelivery { $0.clear() }
                downstream.receive(completion: completion)
            }
            left -= 1
            if left == 0 { return withDelivery { $0.pause() } }
        }
        return false
    }
}
