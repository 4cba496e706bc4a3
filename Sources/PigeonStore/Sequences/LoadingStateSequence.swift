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
