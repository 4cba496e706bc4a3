/// Observes one query for as long as the observer is retained.
///
/// Creating an observer fetches the value if it is missing or stale. The newest snapshot can be read at any time, from
/// any thread. Changes are delivered by an asynchronous sequence, or to a callback.
///
/// ```swift
/// let observer = client.observe(.user(42))
/// print(observer.snapshot.phase)                       // at once
/// for await snapshot in observer { show(snapshot) }    // the newest first, then every change
/// ```
///
/// Each iteration buffers only the newest snapshot. A slow reader may skip versions, but never the last one, and never
/// sees an older one after a newer one. An observer detaches when it is released. A running iteration retains it.
public final class QueryObserver<Value: Sendable>: Sendable {
    @usableFromInline package let core: ObserverCore
    private let look: Locked<Look>

    private struct Look: Sendable {
        var placeholder: (@Sendable (Value?) -> Value?)?
        /// The last value of the previous key that was not a placeholder. Used as a placeholder for the current key.
        var previous: Value?
        var key: QueryKey
    }

    init(_ core: ObserverCore, definition: QueryDefinition<Value>) {
        self.core = core
        look = Locked(Look(placeholder: definition.extras?.placeholder, key: definition.key))
    }

    deinit {
        core.client.detach(core)
    }

    /// The newest snapshot.
    public var snapshot: Snapshot<Value> {
        let (entryState, options) = core.client.view(of: core)
        return make(from: entryState, options, at: core.client.clock.now())
    }

    /// The value, or `nil` if there is none. Faster than ``snapshot``. Never a placeholder.
    @inlinable
    public var value: Value? {
        guard let payload = core.payload else { return nil }
        guard let payload = payload as? PayloadOf<Value> else { return snapshot.value }
        return payload.value
    }

    /// The key of the observed query.
    public var key: QueryKey { snapshot.key }

    /// Calls `listener` with every new snapshot, on the thread that changed the entry, until the subscription ends.
    ///
    /// Calls are made one at a time and in order. The listener may use the client.
    public func onChange(_ listener: @escaping @Sendable (Snapshot<Value>) -> Void) -> QuerySubscription {
        let id = core.add { [weak self] entryState, options in
            guard let self else { return }
            listener(self.make(from: entryState, options))
        }
        return QuerySubscription { [weak core] in
            if let id { core?.removeListener(id) }
        }
    }

    /// Fetches now, even if the observer is disabled. Replaces a running refetch, and joins a first load.
    @discardableResult
    public func refetch() async throws -> Value {
        let request = try core.client.request(of: core)
        return try await core.client.refetch(request.slot, cause: request.cause)
    }

    /// Observes another query of the same type instead of the current one. The snapshot shows the new query's state at
    /// once, and the old query's value only as a placeholder.
    ///
    /// If the query is already observed, the observer stays attached and takes the definition's fetcher and options.
    public func observe(_ definition: QueryDefinition<Value>) {
        observe(definition, fetching: nil)
    }

    /// Observes another query instead of the current one, and starts a fetch in the same transaction.
    package func observe(_ definition: QueryDefinition<Value>, fetching fetch: AttachedFetch?) {
        let shown = value
        // Set before the move, whose announcement reads it.
        let old = look.withLock { look in
            let old = look
            if let shown, look.key != definition.key { look.previous = shown }
            look.key = definition.key
            look.placeholder = definition.extras?.placeholder
            return old
        }
        _ = old  // released outside the lock
        core.client.move(core, to: definition, fetching: fetch)
    }

    /// Turns automatic fetching on or off. Turning it on fetches a stale value.
    ///
    /// The entry itself does not change, so listeners are called only if a fetch starts. The next snapshot that is read
    /// reflects the new setting.
    public func setEnabled(_ isEnabled: Bool) {
        core.client.renew(core, isEnabled: isEnabled)
    }

    /// Detaches the observer. Listeners are no longer called, iterations end, and the last snapshot stays readable.
    public func cancel() {
        core.client.cancel(core)
    }

    /// - Parameter now: The time of the snapshot. `nil` for the time of the entry state.
    func make(
        from entryState: EntryState?, _ options: SnapshotOptions, at now: MonotonicInstant? = nil
    ) -> Snapshot<Value> {
        let entryState = entryState ?? core.client.emptyEntryState(of: look.withLock { $0.key })
        var placeholder: Value?
        if entryState.payload == nil {
            let (make, previous) = look.withLock { ($0.placeholder, $0.previous) }
            placeholder = make?(previous)
        }
        return Snapshot(entryState, options: options, placeholder: placeholder, at: now)
    }
}

extension QueryObserver: AsyncSequence {
    /// A snapshot of the query.
    public typealias Element = Snapshot<Value>

    /// Creates an iterator that begins with the newest snapshot.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }

    /// Iterates over an observer's snapshots, beginning with the newest. Ends when its task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        private let observer: QueryObserver<Value>
        private let mailbox = Mailbox<EntryState>()
        private let subscription: QuerySubscription

        init(_ observer: QueryObserver<Value>) {
            self.observer = observer
            let mailbox = mailbox
            let core = observer.core
            let (id, entryState) = core.client.follow(core, onClose: { mailbox.close() }) { entryState, _ in
                mailbox.put(entryState)
            }
            subscription = QuerySubscription { [weak core] in
                if let id { core?.removeListener(id) }
                mailbox.close()
            }
            mailbox.putFirst(entryState ?? observer.snapshot.entryState)
            if id == nil { mailbox.close() }
        }

        /// Returns the next snapshot, or `nil` once the task or the observer is cancelled.
        public mutating func next() async -> Snapshot<Value>? {
            guard let entryState = await mailbox.next() else { return nil }
            return observer.make(from: entryState, observer.core.client.snapshotOptions(of: observer.core))
        }
    }

    /// The values without placeholders, and without a value equal to the one before. Each iteration begins with the
    /// newest value.
    public var values: Values { Values(observer: self) }

    /// The values of an observer. Iterations are independent of each other.
    public struct Values: AsyncSequence, Sendable {
        let observer: QueryObserver<Value>

        /// Creates an iterator that begins with the newest value.
        public func makeAsyncIterator() -> Iterator {
            Iterator(snapshots: observer.makeAsyncIterator())
        }

        /// Iterates over an observer's values, beginning with the newest. Ends when its task is cancelled.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var snapshots: QueryObserver<Value>.Iterator
            fileprivate var last: (key: QueryKey, valueVersion: UInt64)?

            /// Returns the next value that differs, or `nil` once the task or the observer is cancelled.
            public mutating func next() async -> Value? {
                while let snapshot = await snapshots.next() {
                    guard let value = snapshot.value, !snapshot.isPlaceholder else { continue }
                    let new = (snapshot.key, snapshot.valueVersion)
                    guard last.map({ $0 != new }) ?? true else { continue }
                    last = new
                    return value
                }
                return nil
            }
        }
    }
}

@usableFromInline
package struct CodeLocation: Sendable, CustomStringConvertible {
    private let file: StaticString
    private let line: UInt32

    @usableFromInline
    package init(_ file: StaticString, _ line: UInt) {
        (self.file, self.line) = (file, UInt32(clamping: line))
    }

    @usableFromInline package var description: String { "\(file):\(line)" }
}
