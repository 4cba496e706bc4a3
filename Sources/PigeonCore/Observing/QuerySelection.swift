/// Observes a part of a query's value, or another value made from it, for as long as the selection is retained.
///
/// ```swift
/// let names = client.observe(.users).select { $0.map(\.name) }
/// for await snapshot in names { show(snapshot.value ?? []) }     // only when the names change
/// ```
///
/// The transform runs once for each value, however often it is read, and never under a lock. If it throws, the
/// snapshot's phase is a failure, and its value is the last output. The entry itself is unaffected, and the next value
/// is transformed again.
public final class QuerySelection<Value: Sendable, Output: Equatable & Sendable>: Sendable {
    private let observer: QueryObserver<Value>
    private let transform: @Sendable (Value) throws -> Output
    private let memo = Locked<Memo?>(nil)

    /// The result of transforming one value.
    private struct Memo: Sendable {
        let key: QueryKey
        let valueVersion: UInt64
        /// The last successful output for the key.
        let output: Output?
        let failure: (any Error)?
    }

    init(_ observer: QueryObserver<Value>, _ transform: @escaping @Sendable (Value) throws -> Output) {
        self.observer = observer
        self.transform = transform
    }

    /// The newest snapshot.
    public var snapshot: Snapshot<Output> { make(from: observer.snapshot) }

    /// The output, or `nil` if there is none.
    public var value: Output? { snapshot.value }

    /// Calls `listener` when the output or the phase changes, on the thread that changed the entry, until the
    /// subscription ends.
    ///
    /// Calls are made one at a time and in order. The listener may use the client.
    public func onChange(_ listener: @escaping @Sendable (Snapshot<Output>) -> Void) -> QuerySubscription {
        let last = Locked(snapshot)
        return observer.onChange { [weak self] source in
            guard let self else { return }
            let snapshot = make(from: source)
            let old = last.withLock { $0 }
            guard !old.showsSame(as: snapshot) else { return }
            withExtendedLifetime(old) { last.withLock { $0 = snapshot } }
            listener(snapshot)
        }
    }

    func make(from source: Snapshot<Value>) -> Snapshot<Output> {
        guard let value = source.value else { return Snapshot(selecting: nil, failure: nil, of: source) }
        // A placeholder has no version, and its output must not become the last output.
        guard !source.isPlaceholder else { return makePlaceholder(of: value, source) }
        var result = memo.withLock { $0 }.flatMap { $0.key == source.key ? $0 : nil }
        if result?.valueVersion != source.valueVersion { result = remember(value, source, after: result) }
        return Snapshot(selecting: result?.output, failure: result?.failure, of: source)
    }

    private func makePlaceholder(of value: Value, _ source: Snapshot<Value>) -> Snapshot<Output> {
        do {
            return Snapshot(selecting: try transform(value), failure: nil, of: source)
        } catch {
            return Snapshot(selecting: nil, failure: error, of: source)
        }
    }

    private func remember(_ value: Value, _ source: Snapshot<Value>, after old: Memo?) -> Memo {
        let previous = old?.output
        let new: Memo
        do {
            let output = try transform(value)
            // Equal outputs keep the old instance.
            new = Memo(
                key: source.key, valueVersion: source.valueVersion, output: previous == output ? previous : output,
                failure: nil)
        } catch {
            new = Memo(
                key: source.key, valueVersion: source.valueVersion, output: previous, failure: error)
        }
        let replaced = memo.withLock { memo -> Memo? in
            // A slower thread with an older value must not replace a newer result.
            guard memo.map({ $0.key != new.key || $0.valueVersion < new.valueVersion }) ?? true else { return nil }
            defer { memo = new }
            return memo
        }
        _ = replaced  // released outside the lock
        return new
    }
}

extension Snapshot where Value: Equatable {
    /// True if a view looks the same with either snapshot of a selection: key, phase, value and error.
    package func showsSame(as other: Snapshot) -> Bool {
        guard key == other.key, isPlaceholder == other.isPlaceholder else { return false }
        return switch (phase, other.phase) {
        case (.pending, .pending): true
        case (.content(let one), .content(let other)): one == other
        // Errors cannot be compared. Two failures are the same if they concern the same value and the same fetch.
        case (.failure, .failure): valueVersion == other.valueVersion && failureCount == other.failureCount
        default: false
        }
    }
}

extension QueryObserver {
    /// Returns a selection that observes the output of `transform`. Its listeners are called only when the output or
    /// the phase changes.
    ///
    /// - Parameter transform: Makes the output. Called once for each value, outside locks. May throw.
    public func select<Output: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Output
    ) -> QuerySelection<Value, Output> {
        QuerySelection(self, transform)
    }
}

extension QuerySelection: AsyncSequence {
    /// A snapshot of the selection.
    public typealias Element = Snapshot<Output>

    /// Creates an iterator that begins with the newest snapshot.
    public func makeAsyncIterator() -> Iterator {
        Iterator(selection: self, source: observer.makeAsyncIterator())
    }

    /// Iterates over a selection's snapshots, beginning with the newest. Ends when its task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let selection: QuerySelection
        fileprivate var source: QueryObserver<Value>.Iterator
        fileprivate var last: Snapshot<Output>?

        /// Returns the next snapshot that differs, or `nil` once the task or the observer is cancelled.
        public mutating func next() async -> Snapshot<Output>? {
            while let snapshot = await source.next() {
                let selected = selection.make(from: snapshot)
                if let last, last.showsSame(as: selected) { continue }
                last = selected
                return selected
            }
            return nil
        }
    }
}
