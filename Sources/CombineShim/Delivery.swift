internal import PigeonBase

#if canImport(Combine)
    package import Combine
#else
    @preconcurrency package import OpenCombine
#endif

/// The context in which a ``Delivery`` calls its subscriber.
package enum DeliveryContext: Sendable {
    /// On the thread that sends a value, or that requests a waiting one.
    case caller
    /// On the main actor: immediately when called there, otherwise as soon as it is free.
    case mainActor
    /// As ``mainActor``, but one value at a time. Other work on the main actor runs in between, so a subscriber that
    /// causes a new value with each that it receives cannot block it.
    case mainActorTurns
}

/// The values that wait for a subscriber that has not requested them yet.
package enum DeliveryBacklog: Sendable {
    case everyValue
    /// The newest value, while there is no demand. Values that are sent while the subscriber receives another one all
    /// wait.
    case newestWithoutDemand
    case newest
}

/// A subscription that sends values to one subscriber, one at a time and in order.
///
/// A value can be sent from any thread, and also by the subscriber while it receives another one. The value then waits,
/// and the thread that is sending delivers it next, so values never nest. Nothing is sent after `cancel()` or after the
/// completion. Values and subscribers are released, and called, while no lock is held.
///
/// Sending a value to a subscriber that waits for one takes a lock twice. The lock guards nothing generic, and every
/// generic field has the same layout for all types, so unspecialized code looks up no type metadata on that path.
package final class Delivery<Output, Failure: Error>: Subscription,
    @unchecked Sendable  // `queue` and `source` are used only under the lock; one thread at a time calls the subscriber
{
    package typealias Queue = DeliveryQueue<Output, Failure>

    private let lock = Locked(())
    @exclusivity(unchecked) private var queue: Queue  // used only under the lock
    @exclusivity(unchecked) private var source: (() -> Void)?  // used only under the lock
    private let context: DeliveryContext

    package convenience init<S: Subscriber>(
        to subscriber: S, _ backlog: DeliveryBacklog = .everyValue, on context: DeliveryContext = .caller
    ) where S.Input == Output, S.Failure == Failure {
        self.init(backlog, on: context) {
            subscriber.receive($0)
        } complete: {
            subscriber.receive(completion: $0)
        }
    }

    /// - Parameters:
    ///   - receive: Receives a value and returns the additional demand. `nil` skips the value, which then uses up no
    ///     demand.
    ///   - complete: Receives the completion.
    package init(
        _ backlog: DeliveryBacklog, on context: DeliveryContext = .caller,
        receive: @escaping (Output) -> Subscribers.Demand?,
        complete: @escaping (Subscribers.Completion<Failure>) -> Void
    ) {
        queue = Queue(backlog, receive, complete)
        self.context = context
    }

    // MARK: From the subscriber

    package func request(_ demand: Subscribers.Demand) {
        let hasNext = lock.withLock { _ in queue.hasNext(with: demand) }
        if hasNext { deliver() }
    }

    package func cancel() {
        var (source, rest): ((() -> Void)?, Queue.Rest?)
        lock.withLock { _ in
            rest = queue.close()
            swap(&source, &self.source)
        }
        source?()
        _ = rest  // released while no lock is held
    }

    // MARK: From the source

    /// Sets a closure to call when the subscription is cancelled. Calls it at once if the subscription has already
    /// ended.
    package func onCancel(_ cancel: @escaping () -> Void) {
        let isOpen = lock.withLock { _ in
            if queue.isOpen { source = cancel }
            return queue.isOpen
        }
        if !isOpen { cancel() }
    }

    /// True until the subscription is cancelled or completed.
    package var isOpen: Bool { lock.withLock { _ in queue.isOpen } }

    package func send(_ value: Output) {
        if case .caller = context { return sendHere(value) }
        enqueue(value)
        deliver()
    }

    /// Sends a value on this thread, which must be the delivery's context.
    package func sendHere(_ value: Output) {
        var receive: ((Output) -> Subscribers.Demand?)?
        lock.withLock { _ in receive = queue.beginWithoutWaiting() }
        guard let receive else {
            enqueue(value)
            return deliverHere()
        }
        let more = receive(value)
        if lock.withLock({ _ in queue.hasNext(after: more) }) { sendWaiting(atMost: .max) { _ in } }
    }

    /// Sends the completion after the waiting values. A failure does not wait for values that were not requested, and
    /// drops them.
    package func finish(_ completion: Subscribers.Completion<Failure>) {
        update { $0.end(completion) }
        deliver()
    }

    // MARK: For sources with more state

    /// Calls `body` with the queue under the delivery's lock, which may also guard state of the source. Does not call
    /// the subscriber: call ``deliver()`` afterwards.
    package func update<Result>(_ body: (inout Queue) -> Result) -> Result {
        lock.withLock { _ in body(&queue) }
    }

    package func deliver() {
        switch context {
        case .caller: deliverHere()
        case .mainActor: MainActor.runSoon { self.deliverHere() }
        case .mainActorTurns: MainActor.runSoon { self.deliverOne() }
        }
    }

    /// Sends the waiting values on this thread, unless another call is already sending.
    ///
    /// - Parameter forward: Called with the demand that the subscriber adds when it receives a value.
    package func deliverHere(forwarding forward: (Subscribers.Demand) -> Void = { _ in }) {
        if update({ $0.begin() }) { sendWaiting(atMost: .max, forward) }
    }

    @MainActor
    private func deliverOne() {
        guard update({ $0.begin() }), sendWaiting(atMost: 1, { _ in }) else { return }
        Task { @MainActor in self.deliverOne() }
    }

    private func enqueue(_ value: Output) {
        let outdated = update { $0.add(value) }
        _ = outdated  // released while no lock is held
    }

    /// - Returns: True if there is more to send after `count` values.
    @discardableResult
    private func sendWaiting(atMost count: Int, _ forward: (Subscribers.Demand) -> Void) -> Bool {
        var left = count
        while let step = next() {
            switch step {
            case .value(let value, let receive):
                let more = receive(value)
                update { $0.request(more ?? .max(1)) }
                if let more, more > .none { forward(more) }
            case .end(let complete, _):
                complete()
            }
            left -= 1
            if left == 0 { return update { $0.pause() } }
        }
        return false
    }

    private func next() -> Queue.Step? {
        var source: (() -> Void)?
        defer { _ = source }  // released while no lock is held
        return lock.withLock { _ in
            let step = queue.next()
            if case .end = step { swap(&source, &self.source) }
            return step
        }
    }
}

/// The subscriber of a ``Delivery``, its demand, and the waiting values in order, followed by the completion.
package struct DeliveryQueue<Output, Failure: Error> {
    /// The content that was removed from a queue, to be released while no lock is held.
    typealias Rest = (
        receive: ((Output) -> Subscribers.Demand?)?, complete: ((Subscribers.Completion<Failure>) -> Void)?,
        waiting: [Output], end: (() -> Void)?
    )

    enum Step {
        case value(Output, receive: (Output) -> Subscribers.Demand?)
        case end(() -> Void, Rest)
    }

    private let backlog: DeliveryBacklog
    private var receive: ((Output) -> Subscribers.Demand?)?
    private var complete: ((Subscribers.Completion<Failure>) -> Void)?
    package private(set) var demand = Subscribers.Demand.none
    private var waiting: [Output] = []
    /// Number of `waiting` values. Reading the array's count would look up its metadata.
    private var count = 0
    private var end: (() -> Void)?
    private var isFailure = false
    private var isSending = false

    fileprivate init(
        _ backlog: DeliveryBacklog, _ receive: @escaping (Output) -> Subscribers.Demand?,
        _ complete: @escaping (Subscribers.Completion<Failure>) -> Void
    ) {
        self.backlog = backlog
        self.receive = receive
        self.complete = complete
    }

    /// True until the subscription is cancelled, or its completion is added.
    package var isOpen: Bool { receive != nil && end == nil }

    package mutating func request(_ more: Subscribers.Demand) {
        demand += more
    }

    /// - Returns: The values that it replaces, to be released while no lock is held.
    package mutating func add(_ value: Output) -> [Output] {
        guard isOpen else { return [] }
        let replacesOthers =
            switch backlog {
            case .everyValue: false
            case .newestWithoutDemand: demand == .none && !isSending
            case .newest: true
            }
        let outdated = replacesOthers ? takeWaiting() : []
        waiting.append(value)
        count += 1
        return outdated
    }

    package mutating func takeWaiting() -> [Output] {
        defer { (waiting, count) = ([], 0) }
        return waiting
    }

    /// Adds the completion. Nothing follows it.
    package mutating func end(_ completion: Subscribers.Completion<Failure>) {
        guard isOpen, let complete else { return }
        if case .failure = completion { isFailure = true }
        end = { complete(completion) }
    }

    /// Adds demand.
    ///
    /// - Returns: True if there is more to send.
    @inline(__always)  // a call would look up the metadata of this type
    fileprivate mutating func hasNext(with more: Subscribers.Demand) -> Bool {
        demand += more
        return hasNext
    }

    /// Begins to send, if a value can be sent without waiting. `nil` if not.
    @inline(__always)  // a call would look up the metadata of this type
    fileprivate mutating func beginWithoutWaiting() -> ((Output) -> Subscribers.Demand?)? {
        guard !isSending, end == nil, count == 0, demand > .none, let receive else { return nil }
        isSending = true
        demand -= 1
        return receive
    }

    /// Begins to send the waiting values. False if another call is already sending.
    fileprivate mutating func begin() -> Bool {
        guard !isSending else { return false }
        isSending = true
        return true
    }

    /// Ends sending, unless there is more to send.
    @inline(__always)  // a call would look up the metadata of this type
    fileprivate mutating func hasNext(after more: Subscribers.Demand?) -> Bool {
        demand += more ?? .max(1)
        isSending = hasNext
        return isSending
    }

    /// Ends sending.
    ///
    /// - Returns: True if there is more to send.
    fileprivate mutating func pause() -> Bool {
        isSending = false
        return hasNext
    }

    /// Removes and returns what must be sent next. Ends sending if there is nothing.
    fileprivate mutating func next() -> Step? {
        guard hasNext, let receive else {
            isSending = false
            return nil
        }
        if demand > .none, count > 0 {
            demand -= 1
            count -= 1
            return .value(waiting.removeFirst(), receive: receive)
        }
        let rest = close()
        return rest.end.map { .end($0, rest) }
    }

    /// Removes everything, so that nothing more is sent.
    fileprivate mutating func close() -> Rest {
        defer { (receive, complete, end, waiting, count) = (nil, nil, nil, [], 0) }
        return (receive, complete, waiting, end)
    }

    /// True if a value or the completion can be sent now. Values that were requested come before the completion. A
    /// failure does not wait for further demand.
    @inline(__always)
    private var hasNext: Bool {
        guard receive != nil else { return false }
        return count > 0 && demand > .none || end != nil && (isFailure || count == 0)
    }
}
