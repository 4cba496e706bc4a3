extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// What the sequence of the newest element brings: an older sequence is cancelled when a newer element comes.
    ///
    /// ```swift
    /// for await user in searchTexts.flatMapLatest({ api.user($0).optionalContents }) { show(user) }
    /// ```
    ///
    /// Nothing of an older sequence is brought once a newer element came. Elements are read as they come; the newest
    /// sequence is read no faster than the loop. Ends when the elements and the newest sequence have; throws as soon as
    /// one of them does. All is cancelled when the loop is left or its task cancelled.
    ///
    /// - Parameter transform: Makes the sequence of an element.
    public func flatMapLatest<S: AsyncSequence & Sendable>(
        _ transform: @escaping @Sendable (Element) async -> S
    ) -> AsyncFlatMapLatestSequence<Self, S> where S.Element: Sendable {
        AsyncFlatMapLatestSequence(base: self, transform: transform)
    }
}

/// Brings what the sequence of the newest element brings.
public struct AsyncFlatMapLatestSequence<Base: AsyncSequence & Sendable, Inner: AsyncSequence & Sendable>:
    AsyncSequence, Sendable
where Base.Element: Sendable, Inner.Element: Sendable {
    /// What the newest sequence brings.
    public typealias Element = Inner.Element

    let base: Base
    let transform: @Sendable (Base.Element) async -> Inner

    /// Begins with the elements at the first `next()`.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }

    /// One reading.
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

    /// Ends what is read for an iteration once nobody holds that. Those who read do not hold it.
    private final class Owner: Sendable {
        let elements = LatestElements<Inner.Element>()

        deinit { elements.cancel() }
    }
}

extension AsyncFlatMapLatestSequence {
    /// Reads the elements, and for each its sequence, which is cancelled with the next.
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

/// Has a throwing result throw in functions that throw only if their sequences do.
@rethrows
protocol Rethrowing {
    associatedtype Success
    func get() throws -> Success
}

extension Rethrowing {
    func rethrowing() rethrows -> Success { try get() }
}

extension Result: Rethrowing {}
