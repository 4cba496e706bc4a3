/// Watches a part of what an observer sees, or something made of it, for as long as it is held.
///
/// ```swift
/// let names = client.observe(.users).select { $0.map(\.name) }
/// for await snapshot in names { show(snapshot.value ?? []) }     // only when the names change
/// ```
///
/// The transform runs once for each value, whoever reads how often, and never under a lock. When it throws, the snapshot
/// is a failure with the last good output as its value; the entry itself stays as it is, and the next value is
/// transformed anew.
public final class QuerySelection<Value: Sendable, Output: Equatable & Sendable>: Sendable {
    private let observer: QueryObserver<Value>
    private let transform: @Sendable (Value) throws -> Output
    private let memo = Locked<Memo?>(nil)

    /// What the transform made of one value.
    private struct Memo: Sendable {
        let key: QueryKey
        let valueVersion: UInt64
        /// The last good output for the key.
        let output: Output?
        let failure: (any Error)?
    }

    init(_ observer: QueryObserver<Value>, _ transform: @escaping @Sendable (Value) throws -> Output) {
        self.observer = observer
        self.transform = transform
    }

    /// The newest snapshot.
    public var snapshot: Snapshot<Output> { make(from: observer.snapshot) }

    /// The output, when there is one.
    public var value: Output? { snapshot.value }

    /// Calls `listener` when the output or the phase changes, on the thread that changed the entry, until the
    /// subscription ends.
    ///
    /// Calls come one at a time and in order; the listener may use the client.
    public func onChange(_ listener: @escaping @Sendable (Snapshot<Output>) -> Void) -> QuerySubscription {
        let last = Last(snapshot)
        return observer.onChange { [weak self] source in
            guard let self else { return }
            let snapshot = make(from: source)
            guard last.isReplaced(by: snapshot) else { return }
            listener(snapshot)
        }
    }

    func make(from source: Snapshot<Value>) -> Snapshot<Output> {
        guard let value = source.value else { return Snapshot(selecting: nil, failure: nil, of: source) }
        // A placeholder has no version, and is no output to fall back on.
        guard !source.isPlaceholder else { return makePlaceholder(of: value, source) }
        let memo = recall(source) ?? remember(value, source)
        return Snapshot(selecting: memo.output, failure: memo.failure, of: source)
    }

    private func makePlaceholder(of value: Value, _ source: Snapshot<Value>) -> Snapshot<Output> {
        do {
            return Snapshot(selecting: try transform(value), failure: nil, of: source)
        } catch {
            return Snapshot(selecting: nil, failure: error, of: source)
        }
    }

    private func recall(_ source: Snapshot<Value>) -> Memo? {
        guard let memo = memo.withLock({ $0 }) else { return nil }
        return memo.key == source.key && memo.valueVersion == source.valueVersion ? memo : nil
    }

    private func remember(_ value: Value, _ source: Snapshot<Value>) -> Memo {
        let old = memo.withLock { $0 }
        let previous = old.flatMap { $0.key == source.key ? $0.output : nil }
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
            // A slower thread with an older value leaves what is there.
            guard memo.map({ $0.key != new.key || $0.valueVersion < new.valueVersion }) ?? true else { return nil }
            defer { memo = new }
            return memo
        }
        _ = (old, replaced)  // freed after the lock is
        return new
    }

    /// What was told last.
    private final class Last: Sendable {
        private let snapshot: Locked<Snapshot<Output>>

        init(_ snapshot: Snapshot<Output>) {
            self.snapshot = Locked(snapshot)
        }

        /// Whether a snapshot shows something else than the last one; if so it is the last from now on.
        func isReplaced(by new: Snapshot<Output>) -> Bool {
            let old = snapshot.withLock { $0 }
            guard !Self.showSame(old, new) else { return false }
            return snapshot.withLock { last in
                last = new
                return true
            }
        }

        private static func showSame(_ one: Snapshot<Output>, _ other: Snapshot<Output>) -> Bool {
            guard one.key == other.key, one.isPlaceholder == other.isPlaceholder else { return false }
            return switch (one.phase, other.phase) {
            case (.pending, .pending): true
            case (.content(let one), .content(let other)): one == other
            // Errors cannot be compared: one and the same failure is that of the same value and the same fetch.
            case (.failure, .failure):
                one.valueVersion == other.valueVersion && one.failureCount == other.failureCount
            default: false
            }
        }
    }
}

extension QueryObserver {
    /// Watches what `transform` makes of the value. Changes are told only when the output or the phase changes.
    ///
    /// - Parameter transform: Called once for each value, outside locks. May throw.
    public func select<Output: Equatable & Sendable>(
        _ transform: @escaping @Sendable (Value) throws -> Output
    ) -> QuerySelection<Value, Output> {
        QuerySelection(self, transform)
    }
}

extension QuerySelection: AsyncSequence {
    /// A snapshot.
    public typealias Element = Snapshot<Output>

    /// Begins with the newest snapshot.
    public func makeAsyncIterator() -> Iterator {
        Iterator(selection: self, source: observer.makeAsyncIterator())
    }

    /// Reads a selection's snapshots, newest first. Ends when its task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        let selection: QuerySelection
        var source: QueryObserver<Value>.Iterator
        private var last: Last?

        init(selection: QuerySelection, source: QueryObserver<Value>.Iterator) {
            self.selection = selection
            self.source = source
        }

        /// The next snapshot that differs, or `nil` once the task is cancelled.
        public mutating func next() async -> Snapshot<Output>? {
            while let snapshot = await source.next() {
                let selected = selection.make(from: snapshot)
                guard let last else {
                    last = Last(selected)
                    return selected
                }
                if last.isReplaced(by: selected) { return selected }
            }
            return nil
        }
    }
}
