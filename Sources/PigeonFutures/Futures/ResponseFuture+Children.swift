internal import PigeonBase
internal import PigeonHTTP

extension ResponseFuture {
    /// Creates a future with the values of other futures, in their order. They run at the same time.
    ///
    /// The first one that fails or is cancelled ends the whole, and cancels the others. Without any, the value is an
    /// empty array.
    public convenience init<Child>(childFutures: some Sequence<ResponseFuture<Child>>) where T == [Child] {
        let children = Array(childFutures)
        self.init(begin: { whole, _ in
            guard !children.isEmpty else { return whole.finish([]) }
            let cores = children.map(\.core)
            whole.gather(children.map { ($0.core.machine, $0) }) { try cores.map { try $0.get() } }
        })
    }

    /// Creates a future with the values of other futures, which run at the same time.
    ///
    /// ```swift
    /// ResponseFuture<[Post]> { ids.map { fetchPost(for: $0) } }
    /// ```
    ///
    /// - Parameter childFutures: Called at once, so it can use `self` implicitly. To create the futures when this one is
    ///   started, pass the closure by its label: `ResponseFuture(childFutures: { … })`.
    public convenience init<Child>(childFuturesCallback childFutures: () -> [ResponseFuture<Child>])
    where T == [Child] {
        self.init(childFutures: childFutures())
    }

    /// Creates a future with the values of other futures, which are created when it is started. `nil` cancels it, and a
    /// thrown error makes it fail.
    @_disfavoredOverload
    public convenience init<Child>(
        @_inheritActorContext childFutures: @escaping @isolated(any) @Sendable () throws -> [ResponseFuture<Child>]?
    ) where T == [Child] {
        self.init(on: childFutures.isolation, making: { try await childFutures() }) { ResponseFuture(childFutures: $0) }
    }
}

extension FutureCore {
    /// Starts futures at the same time, and ends when all have ended. The first one that fails or is cancelled ends
    /// this one, which cancels the others.
    ///
    /// - Parameter combine: Makes the value when all others have theirs.
    func gather(
        _ parts: [(machine: FutureMachine, handle: FutureHandle)], _ combine: @escaping @Sendable () throws -> T
    ) {
        let machines = parts.map(\.machine)
        let ended = AtomicNumber()
        let report: TransferReport = { _ in machine.update(machines.map(\.progress).sum) }
        for part in machines {
            machine.wait(for: part, report: report) { outcome in
                if case .failure = outcome { return machine.finish(outcome) }
                if ended.increment() == machines.count { await settle(by: combine) }
            }
        }
        for part in parts { part.machine.start(by: part.handle) }
    }
}

extension [TransferProgress] {
    /// The sum of all transfers. An expected count is known if it is known for each transfer that has begun.
    fileprivate var sum: TransferProgress {
        TransferProgress(
            sent: reduce(0) { $0 + $1.sent },
            expectedToSend: expected { ($0.sent, $0.expectedToSend) },
            received: reduce(0) { $0 + $1.received },
            expectedToReceive: expected { ($0.received, $0.expectedToReceive) })
    }

    private func expected(_ part: (TransferProgress) -> (done: Int64, expected: Int64?)) -> Int64? {
        let begun = map(part).filter { $0.done > 0 || $0.expected != nil }
        guard !begun.isEmpty else { return nil }
        return begun.reduce(0) { sum, part in
            guard let sum, let expected = part.expected else { return nil }
            // A server can announce any count.
            let (total, overflows) = sum.addingReportingOverflow(expected)
            return overflows ? nil : total
        }
    }
}
