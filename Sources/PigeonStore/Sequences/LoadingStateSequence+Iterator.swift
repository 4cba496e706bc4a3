extension LoadingStateSequence {
    /// One reading of the states.
    public struct Iterator: AsyncIteratorProtocol {
        private var states: any StateIterator<DATA>

        init<Base: AsyncIteratorProtocol>(_ base: Base) where Base.Element == LoadingState<DATA> {
            states = SafeStateIterator(base: base)
        }

        /// Waits for the next state; `nil` when there are no more, and for a cancelled reader.
        public mutating func next() async -> LoadingState<DATA>? {
            await states.next()
        }

        /// Waits for the next state; `nil` when there are no more, and for a cancelled reader.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> LoadingState<DATA>? {
            await next()
        }
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
