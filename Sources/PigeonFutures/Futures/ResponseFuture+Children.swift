internal import PigeonBase
internal import PigeonHTTP

extension ResponseFuture {
    /// Creates a future with the values of other futures, in their order. They run at the same time.
    ///
    /// The first one that fails or is cancelled ends the whole, and cancels the others. Without any, the value is an
    /// empty array.
    public convenience init<Child>(childFutures: some Sequence<ResponseFuture<Child>>) where T == [Child] {
        let children = Array(childFutures)
        self.init(begin: { whole, _ in whole.gather(children) })
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
        self.init(begin: { whole, _ in
            whole.machine.run {
                do {
                    let children = try await whole.machine.call(on: childFutures.isolation) { try await childFutures() }
                    if let children { whole.gather(children) } else { whole.machine.finish(.cancelled) }
                } catch {
                    await whole.machine.settle(.failed(error))
                }
            }
        })
    }
}

extension FutureCore {
    /// Starts futures at the same time and ends with their values.
    func gather<Child>(_ children: [ResponseFuture<Child>]) where T == [Child] {
        guard !children.isEmpty else { return finish([]) }
        let none = [Child?](repeating: nil, count: children.count)
        let group = FutureGroup(of: self, collecting: (missing: children.count, values: none)) { collected in
            collected.missing == 0 ? collected.values.compactMap(\.self) : nil
        }
        for (index, child) in children.enumerated() {
            group.add(child) { collected, value in
                collected.values[index] = .some(value)
                collected.missing -= 1
            }
        }
        group.start()
    }
}

/// Futures that run at the same time for another future. The first one that fails or is cancelled ends it, and cancels
/// the others.
final class FutureGroup<Values: Sendable, Whole: Sendable>: Sendable {
    private struct State {
        var values: Values
        var progress: [TransferProgress] = []
        var parts: [(machine: FutureMachine, handle: FutureHandle)] = []
    }

    private let whole: FutureCore<Whole>
    private let combine: @Sendable (Values) -> Whole?
    private let state: Locked<State>

    /// - Parameters:
    ///   - whole: The future that the group runs for.
    ///   - values: The values before any has arrived.
    ///   - combine: Makes the value of the whole once every value is there, and `nil` before.
    init(of whole: FutureCore<Whole>, collecting values: Values, _ combine: @escaping @Sendable (Values) -> Whole?) {
        self.whole = whole
        self.combine = combine
        state = Locked(State(values: values))
    }

    /// - Parameter store: Stores the value of the future among the others.
    func add<Part>(_ future: ResponseFuture<Part>, _ store: @escaping @Sendable (inout Values, Part) -> Void) {
        let part = future.core
        let index = state.withLock { state in
            state.progress.append(TransferProgress())
            state.parts.append((machine: part.machine, handle: future))
            return state.progress.count - 1
        }
        let report: TransferReport = { self.report($0, at: index) }
        whole.machine.wait(for: part.machine, report: report) { [self] outcome in
            switch outcome {
            case .success(let value):
                let values = state.withLock { state in
                    store(&state.values, FutureValue<Part>.open(value))
                    return state.values
                }
                if let all = combine(values) { await whole.settle { all } }
            case .failure: whole.machine.finish(outcome)
            }
        }
    }

    /// Starts all futures.
    func start() {
        let parts = state.withLock { state in
            defer { state.parts = [] }
            return state.parts
        }
        for part in parts { part.machine.start(by: part.handle) }
    }

    private func report(_ progress: TransferProgress, at index: Int) {
        let sum = state.withLock { state in
            state.progress[index] = progress
            return state.progress.sum
        }
        whole.machine.update(sum)
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
