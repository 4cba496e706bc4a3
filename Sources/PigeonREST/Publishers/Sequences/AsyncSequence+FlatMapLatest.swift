extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// Iterates over the sequence of the newest element. A newer element cancels the sequence of the one before.
    ///
    /// ```swift
    /// for await user in searchTexts.flatMapLatest({ api.user($0).optionalContents }) { show(user) }
    /// ```
    ///
    /// Returns nothing of an older sequence after a newer element. Reads this sequence as fast as it goes, and the newest
    /// one no faster than the loop. Ends when both have ended; throws as soon as either does. Cancels both when the loop
    /// exits or its task is cancelled.
    ///
    /// - Parameter transform: Returns the sequence of an element.
    public func flatMapLatest<S: AsyncSequence & Sendable>(
        _ transform: @escaping @Sendable (Element) async -> S
    ) -> AsyncFlatMapLatestSequence<Self, S> where S.Element: Sendable {
        AsyncFlatMapLatestSequence(base: self, transform: transform)
    }
}

/// Iterates over the sequence of the newest element of another.
public struct AsyncFlatMapLatestSequence<Base: AsyncSequence & Sendable, Inner: AsyncSequence & Sendable>:
    AsyncSequence, Sendable
where Base.Element: Sendable, Inner.Element: Sendable {
    /// An element of the newest sequence.
    public typealias Element = Inner.Element

    let base: Base
    let transform: @Sendable (Base.Element) async -> Inner

    /// Begins to read at the first `next()`.
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

    /// Cancels the tasks of an iteration when that is released. They do not retain this object.
    private final class Owner: Sendable {
        let elements = LatestElements<Inner.Element>()

        deinit { elements.cancel() }
    }
}

extension AsyncFlatMapLatestSequence {
    /// Reads the elements, and the sequence of each until the next one.
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

/// Lets a result throw in functions that throw only if their sequences do.
@rethrows
protocol Rethrowing {
    associatedtype Success
    func get() throws -> Success
}

extension Rethrowing {
    func rethrowing() rethrows -> Success { try get() }
}

extension Result: Rethrowing {}
