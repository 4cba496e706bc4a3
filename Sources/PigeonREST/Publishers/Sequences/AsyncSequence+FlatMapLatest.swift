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
    /// - Parameter transform: Returns the sequence for an element.
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
                let inner = await transform(element)
                elements.read(number) {
                    do {
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
