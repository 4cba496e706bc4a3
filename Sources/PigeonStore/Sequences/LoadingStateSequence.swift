internal import PigeonCore

/// The states of a store's data, one after the other.
///
/// ```swift
/// for await state in users.publish() {
///     show(state.content, isLoading: state.isLoading)
/// }
/// ```
///
/// The work starts when the sequence is iterated. Each iteration starts from the beginning, if the base supports that.
/// An `AsyncStream`, for example, delivers its states only once. The sequence never throws: an error of its base
/// becomes its last state.
public struct LoadingStateSequence<DATA>: AsyncSequence, Sendable {
    /// The state of the data at one point in time.
    public typealias Element = LoadingState<DATA>
    /// The sequence never throws. Errors are delivered as states.
    public typealias Failure = Never

    private let begin: @Sendable () -> Iterator

    /// Creates a sequence of the states of another sequence, whose iterator is created for each iteration.
    public init<S: AsyncSequence & Sendable>(_ s: S) where S.Element == Element {
        begin = { Iterator(baseIterator: s.makeAsyncIterator()) }
    }

    /// - Parameter makeIterator: Called for each iteration. It should not start any work.
    package init<Base: AsyncIteratorProtocol & SendableMetatype>(
        makeIterator: @escaping @Sendable () -> Base
    ) where Base.Element == Element {
        begin = { Iterator(baseIterator: makeIterator()) }
    }

    /// Creates an iterator over the states.
    public func makeAsyncIterator() -> Iterator {
        begin()
    }
}

extension LoadingStateSequence {
    /// Iterates over the states. Copies of an iterator share one iteration.
    public struct Iterator: AsyncIteratorProtocol {
        private let reading: StateReader<DATA>

        /// Creates an iterator over the states of another iterator.
        ///
        /// It never throws: an error of its base becomes its last state.
        public init<Base: AsyncIteratorProtocol>(baseIterator: Base) where Base.Element == LoadingState<DATA> {
            reading = StateReader(SafeStateIterator(base: baseIterator))
        }

        /// Returns the next state. `nil` at the end, or if the reader's task is cancelled.
        public func next() async -> LoadingState<DATA>? {
            await reading.next()
        }

        /// Returns the next state. `nil` at the end, or if the reader's task is cancelled.
        public func next(isolation actor: isolated (any Actor)? = #isolation) async -> LoadingState<DATA>? {
            await next()
        }
    }
}

/// Stores the base of an iterator, so that an iterator can be a constant.
private final class StateReader<DATA> {
    /// `nil` while a call waits for a state. Guarded by a lock, so that tasks that share an iterator by mistake do no
    /// harm.
    private let states: Locked<(any StateIterator<DATA>)?>

    init(_ states: any StateIterator<DATA>) {
        self.states = Locked(states)
    }

    func next() async -> LoadingState<DATA>? {
        let taken = states.withLock { states in
            defer { states = nil }
            return states
        }
        // A call that overlaps another one gets `nil`, as at the end.
        guard var current = taken else { return nil }
        let state = await current.next()
        let rest = current
        states.withLock { $0 = rest }
        return state
    }
}

private protocol StateIterator<DATA> {
    associatedtype DATA

    mutating func next() async -> LoadingState<DATA>?
}

/// Turns an error of its base into the last state, and releases the base at the end.
private struct SafeStateIterator<Base: AsyncIteratorProtocol, DATA>: StateIterator
where Base.Element == LoadingState<DATA> {
    var base: Base?

    mutating func next() async -> LoadingState<DATA>? {
        do {
            if let state = try await read() { return state }
            base = nil
            return nil
        } catch {
            base = nil
            // A cancellation is not a failure.
            return Task.isCancelled && error is CancellationError ? nil : .error(rawError: error)
        }
    }

    private mutating func read() async throws -> LoadingState<DATA>? {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
            nonisolated(unsafe) var base = base  // used only by this call, which waits for it
            defer { self.base = base }
            nonisolated(unsafe) let state = try await base?.next()  // passed from that call to the caller
            return state
        }
        return try await base?.next(isolation: #isolation)
    }
}

extension AsyncSequence where Self: Sendable {
    /// Returns a sequence of the same states with transformed content.
    ///
    /// - Parameter transform: Makes the new content when a state is read, on the reader's actor. Not called for states
    ///   without content.
    @preconcurrency
    public func mapContent<A, Z>(
        _ transform: @escaping @Sendable (_ content: A) -> Z
    ) -> LoadingStateSequence<Z> where Element == LoadingState<A> {
        let states = LoadingStateSequence(self)
        return LoadingStateSequence<Z> {
            MappedStateIterator(base: states.makeAsyncIterator(), transform: transform)
        }
    }
}

private struct MappedStateIterator<A, Z>: AsyncIteratorProtocol {
    var base: LoadingStateSequence<A>.Iterator
    let transform: (A) -> Z

    mutating func next() async -> LoadingState<Z>? {
        await base.next()?.mapContent(transform)
    }

    mutating func next(isolation actor: isolated (any Actor)?) async -> LoadingState<Z>? {
        await next()
    }
}
