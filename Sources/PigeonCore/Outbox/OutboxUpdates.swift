/// The states of an outbox. Iterations are independent of each other.
public struct OutboxUpdates: AsyncSequence, Sendable {
    let outbox: Outbox

    /// Creates an iterator that begins with the current state.
    public func makeAsyncIterator() -> Iterator { Iterator(outbox) }

    /// Iterates over the states of an outbox, beginning with the current one. Ends when its task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        private let outbox: Outbox
        /// Has an item if the outbox may have changed.
        private let mailbox = Mailbox<Void>()
        private let subscription: QuerySubscription
        /// The time before which there is no further state.
        private var next = MonotonicInstant(nanoseconds: .min)

        init(_ outbox: Outbox) {
            self.outbox = outbox
            subscription = outbox.onChange { [mailbox] in mailbox.put(()) }
            mailbox.put(())
        }

        /// Returns the current state once it may have changed, or `nil` once the task is cancelled.
        public mutating func next() async -> OutboxSnapshot? {
            guard await mailbox.next() != nil else { return nil }
            let clock = outbox.environment.clock
            if clock.now() < next { try? await clock.sleep(for: clock.now().duration(to: next)) }
            let (snapshot, now) = (outbox.snapshot, clock.now())
            next = snapshot.waiting.count > 100 ? now.advanced(by: .milliseconds(100)) : now
            return snapshot
        }
    }
}
