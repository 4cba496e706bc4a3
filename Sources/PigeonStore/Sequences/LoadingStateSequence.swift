internal import PigeonCore

/// What a store says of its data, state after state.
///
/// ```swift
/// for await state in users.publish() {
///     show(state.content, isLoading: state.isLoading)
/// }
/// ```
///
/// Nothing begins before it is iterated over, and each iteration begins anew: it can be iterated over as often as its base
/// can. An `AsyncStream`, for one, tells its states only once. It never throws: an error of its base is its last state.
public struct LoadingStateSequence<DATA>: AsyncSequence, Sendable {
    /// What is said at one moment.
    public typealias Element = LoadingState<DATA>
    /// Errors come as states.
    public typealias Failure = Never

    private let begin: @Sendable () -> Iterator

    /// Creates a sequence of the states of another, which is asked for an iterator at each iteration.
    public init<S: AsyncSequence & Sendable>(_ s: S) where S.Element == Element {
        begin = { Iterator(baseIterator: s.makeAsyncIterator()) }
    }

    /// Creates a sequence.
    ///
    /// - Parameter makeIterator: Called for each iteration. It should begin nothing by itself.
    package init<Base: AsyncIteratorProtocol & SendableMetatype>(
        makeIterator: @escaping @Sendable () -> Base
    ) where Base.Element == Element {
        begin = { Iterator(baseIterator: makeIterator()) }
    }

    /// Begins an iteration.
    public func makeAsyncIterator() -> Iterator {
        begin()
    }
}

extension LoadingStateSequence {
    /// One reading of the states. Its copies are the same reading.
    public struct Iterator: AsyncIteratorProtocol {
        private let reading: StateReader<DATA>

        /// Creates an iterator of the states of another.
        ///
        /// It never throws: an error of its base is its last state.
        public init<Base: AsyncIteratorProtocol>(baseIterator: Base) where Base.Element == LoadingState<DATA> {
            reading = StateReader(SafeStateIterator(base: baseIterator))
        }

        /// Waits for the next state; `nil` when there are no more, and for a cancelled reader.
        public func next() async -> LoadingState<DATA>? {
            await reading.next()
        }

        /// Waits for the next state; `nil` when there are no more, and for a cancelled reader.
        public func next(isolation actor: isolated (any Actor)? = #isolation) async -> LoadingState<DATA>? {
            await next()
        }
    }
}

/// Holds the base of an iterator, so that an iterator can be a constant.
private final class StateReader<DATA> {
    /// `nil` while a call waits for a state. Behind a lock, so that tasks that share an iterator by mistake do no harm.
    private let states: Locked<(any StateIterator<DATA>)?>

    init(_ states: any StateIterator<DATA>) {
        self.states = Locked(states)
    }

    func next() async -> LoadingState<DATA>? {
        let taken = states.withLock { states in
            defer { states = nil }
            return states
        }
        // A call that overlaps another gets `nil`, as at the end.
        guard var current = taken else { return nil }
        let state = await current.next()
        let rest = current
        states.withLock { $0 = rest }
        return state
    }
}

/// Reads states, whatever they come from.
private protocol StateIterator<DATA> {
    associatedtype DATA

    mutating func next() async -> LoadingState<DATA>?
}

/// Makes a base's error its last state, and lets go of the base at its end.
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
            // Being called off is no failure.
            return Task.isCancelled && error is CancellationError ? nil : .error(rawError: error)
        }
    }

    private mutating func read() async throws -> LoadingState<DATA>? {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else {
            nonisolated(unsafe) var base = base  // reached by this call alone, which waits for it
            defer { self.base = base }
            nonisolated(unsafe) let state = try await base?.next()  // comes from that call, and goes to the caller
            return state
        }
        return try await base?.next(isolation: #isolation)
    }
}

extension AsyncSequence where Self: Sendable {
    /// The same states with other content.
    ///
    /// - Parameter transform: Makes the content as states are read, where the reader is. Not called where there is none.
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

/// One reading of states with other content.
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
