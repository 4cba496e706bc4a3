internal import PigeonCore

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
