internal import PigeonBase

extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Iterates over the sequence for the newest element. A new element cancels the sequence for the previous element.
    ///
    /// ```swift
    /// for await user in searchTexts.flatMapLatest({ api.user($0).optionalContents }) { show(user) }
    /// ```
    ///
    /// Returns no elements of an older sequence after a new element. Reads this sequence as fast as it produces
    /// elements, and the newest sequence no faster than the loop. Ends when both have ended. Throws as soon as either
    /// throws. Cancels both when the loop exits or its task is cancelled.
    ///
    /// - Parameter transform: Returns the sequence for an element. A new element does not wait for it, but cancels it.
    public func flatMapLatest<S: AsyncSequence & Sendable>(
        _ transform: @escaping @Sendable (Element) async -> S
    ) -> AsyncFlatMapLatestSequence<Self, S> where S.Element: Sendable {
        AsyncFlatMapLatestSequence(base: self, transform: transform)
    }
}

/// Iterates over the sequence for the newest element of another sequence.
public struct AsyncFlatMapLatestSequence<Base: AsyncSequence & Sendable, Inner: AsyncSequence & Sendable>:
    AsyncSequence, Sendable
where Base.Element: Sendable, Inner.Element: Sendable {
    /// An element of the newest sequence.
    public typealias Element = Inner.Element

    let base: Base
    let transform: @Sendable (Base.Element) async -> Inner

    /// Creates an iterator, which begins to read at the first call to `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }

    /// Reads the newest sequence.
    public struct Iterator: AsyncIteratorProtocol {
        private let owner: Owner
        private let read: @Sendable (LatestElements<Inner.Element>) async -> Void

        init(_ sequence: AsyncFlatMapLatestSequence) {
            owner = Owner()
            read = { await sequence.read(into: $0) }
        }

        /// The next element of the newest sequence. `nil` at the end, and when the task is cancelled.
        public mutating func next() async rethrows -> Inner.Element? {
            try await owner.elements.next(reading: read).rethrowing()
        }
    }

    /// Cancels the tasks of an iteration when it is released. The tasks do not retain this object.
    private final class Owner: Sendable {
        let elements = LatestElements<Inner.Element>()

        deinit { elements.cancel() }
    }
}

extension AsyncFlatMapLatestSequence {
    /// Reads the base sequence, and the sequence for each of its elements until the next element.
    private func read(into elements: LatestElements<Inner.Element>) async {
        do {
            for try await element in base {
                guard let number = elements.begin() else { return }
                elements.read(number) {
                    guard !Task.isCancelled else { return }  // there is a newer element
                    do {
                        let inner = await transform(element)
                        for try await value in inner {
                            guard await elements.offer(value, number) else { return }
                        }
                        elements.end(number)
                    } catch {
                        elements.fail(error, number)
                    }
                }
            }
            elements.endBase()
        } catch {
            elements.fail(error, nil)
        }
    }
}

/// Allows functions that rethrow the errors of their sequences to throw the error of a result.
@rethrows
protocol Rethrowing {
    associatedtype Success
    func get() throws -> Success
}

extension Rethrowing {
    func rethrowing() rethrows -> Success { try get() }
}

extension Result: Rethrowing {}

/// Reads the newest of several sequences for one reader.
///
/// Each sequence has a number. Elements of a sequence whose number is not the newest are dropped. A sequence is read no
/// faster than the reader takes its elements: at most one element waits.
final class LatestElements<Element: Sendable>: Sendable {
    private struct State {
        /// The task that reads the base sequence, whose elements are turned into sequences.
        var base: Task<Void, Never>?
        /// The task that reads the newest sequence.
        var inner: Task<Void, Never>?
        var isBegun = false
        var isOver = false
        var isBaseOver = false
        var isInnerRunning = false
    }

    private let state = Locked(State())
    private let mailbox = Mailbox<Result<Element, any Error>>()
    /// Number of the newest sequence.
    private let newest = AtomicNumber()

    // MARK: The reader

    /// Waits for the next element; `nil` at the end. Cancels everything when the reader's task is cancelled.
    ///
    /// - Parameter read: Reads the sequences. Called only by the first call.
    func next(
        reading read: @escaping @Sendable (LatestElements) async -> Void
    ) async -> Result<Element?, any Error> {
        begin(read)
        let element = await mailbox.next()
        if element == nil { cancel() }
        return element.map { $0.map(Optional.some) } ?? .success(nil)
    }

    func cancel() {
        mailbox.close()
        cancelTasks()
    }

    private func begin(_ read: @escaping @Sendable (LatestElements) async -> Void) {
        let isFirst = state.withLock { state in
            defer { state.isBegun = true }
            return !state.isBegun && !state.isOver && !Task.isCancelled
        }
        guard isFirst else { return }
        let task = Task { await read(self) }
        let isWanted = state.withLock { state in
            if !state.isOver { state.base = task }
            return !state.isOver
        }
        if !isWanted { task.cancel() }
    }

    private func cancelTasks() {
        let (base, inner) = state.withLock { state in
            state.isOver = true
            defer { (state.base, state.inner) = (nil, nil) }
            return (state.base, state.inner)
        }
        base?.cancel()
        inner?.cancel()
    }

    // MARK: The sequences

    /// Replaces the newest sequence, and drops its element if that has not been read.
    ///
    /// - Returns: The number of the next sequence. `nil` if there is no longer a reader.
    func begin() -> UInt64? {
        let (number, old) = state.withLock { state -> (UInt64?, Task<Void, Never>?) in
            guard !state.isOver else { return (nil, nil) }
            state.isInnerRunning = true
            newest.set(newest.value + 1)
            defer { state.inner = nil }
            return (newest.value, state.inner)
        }
        old?.cancel()
        mailbox.update { $0 = nil }
        return number
    }

    /// Reads the newest sequence.
    func read(_ number: UInt64, _ read: @escaping @Sendable () async -> Void) {
        let task = Task { await read() }
        let isWanted = state.withLock { state in
            guard !state.isOver, newest.value == number else { return false }
            state.inner = task
            return true
        }
        if !isWanted { task.cancel() }
    }

    /// Waits until the reader takes the element. Returns `false` if it never will.
    func offer(_ element: Element, _ number: UInt64) async -> Bool {
        await mailbox.offer(.success(element)) { newest.value == number }
    }

    /// Ends a sequence.
    func end(_ number: UInt64) {
        end { state in
            guard newest.value == number else { return false }
            state.isInnerRunning = false
            return state.isBaseOver
        }
    }

    /// Ends the base sequence.
    func endBase() {
        end { state in
            state.isBaseOver = true
            return !state.isInnerRunning
        }
    }

    /// Ends everything with an error, unless the error comes from an older sequence.
    func fail(_ error: any Error, _ number: UInt64?) {
        var isWanted = false
        mailbox.update { element in
            guard number == nil || number == newest.value else { return }
            isWanted = true
            element = .failure(error)
        }
        if isWanted { finish() }
    }

    /// - Parameter isLast: Changes the state, and returns `true` if no element can follow.
    private func end(if isLast: (inout State) -> Bool) {
        if state.withLock({ !$0.isOver && isLast(&$0) }) { finish() }
    }

    private func finish() {
        mailbox.finish()
        cancelTasks()
    }
}
