/// Watches one query, for as long as it is held.
///
/// Attaching fetches when the value is missing or stale. The newest snapshot can be read at any time and from any
/// thread; changes come as an asynchronous sequence, or to a callback.
///
/// ```swift
/// let observer = client.observe(.user(42))
/// print(observer.snapshot.phase)                       // at once
/// for await snapshot in observer { show(snapshot) }    // the newest first, then every change
/// ```
///
/// Each iteration holds the newest snapshot for a slow reader: it may skip versions, but never the last, and never goes
/// back. Letting the observer go detaches it; an iteration under way keeps it.
public final class QueryObserver<Value: Sendable>: Sendable {
    @usableFromInline package let core: ObserverCore
    private let look: Locked<Look>

    private struct Look: Sendable {
        var placeholder: (@Sendable (Value?) -> Value?)?
        /// The last real value shown before the present key's, for placeholders.
        var previous: Value?
        var mismatch: EntryPicture?
        /// What was seen last before the observer was detached.
        var last: EntryPicture?
        var key: QueryKey
    }

    init(_ core: ObserverCore, definition: QueryDefinition<Value>, mismatch: EntryPicture?) {
        self.core = core
        look = Locked(
            Look(placeholder: definition.extras?.placeholder, mismatch: mismatch, key: definition.key))
    }

    deinit {
        core.client.detach(core)
    }

    /// The newest snapshot.
    public var snapshot: Snapshot<Value> {
        make(from: core.client.picture(for: core) ?? substitute, at: core.client.clock.now())
    }

    /// The value, when there is one. Faster than ``snapshot``; shows no placeholder.
    @inlinable
    public var value: Value? {
        guard let payload = core.payload ?? substitute?.payload else { return nil }
        guard let payload = payload as? PayloadOf<Value> else { return snapshot.value }
        return payload.value
    }

    /// The key that is watched.
    public var key: QueryKey { snapshot.key }

    /// Calls `listener` with every new snapshot, on the thread that changed the entry, until the subscription ends.
    ///
    /// Calls come one at a time and in order; the listener may use the client.
    public func onChange(_ listener: @escaping @Sendable (Snapshot<Value>) -> Void) -> QuerySubscription {
        let id = core.add { [weak self] picture, _ in
            guard let self else { return }
            listener(self.make(from: picture))
        }
        return QuerySubscription { [weak core] in
            if let id { core?.removeListener(id) }
        }
    }

    /// Fetches now, also when disabled. A running refetch is replaced; a first load is joined.
    @discardableResult
    public func refetch() async throws -> Value {
        guard let slot = core.client.slot(for: core) else { throw Self.error(look.withLock { $0.mismatch }) }
        return try await core.client.refetch(slot, cause: .requested)
    }

    /// Watches another query of the same type. Its own state is shown at once, never the old one's value as its own.
    ///
    /// The query that is watched already goes on as it is, with its fetcher and options as they are now.
    public func observe(_ definition: QueryDefinition<Value>) {
        let shown = value
        // Before the move, whose announcement needs it.
        look.withLock { look in
            if let shown, look.key != definition.key { look.previous = shown }
            look.mismatch = nil
            look.last = nil
            look.key = definition.key
            look.placeholder = definition.extras?.placeholder
        }
        guard let mismatch = core.client.move(core, to: definition) else { return }
        look.withLock { $0.mismatch = mismatch }
        core.announce(mismatch)
    }

    /// Turns fetching by itself on or off. Turning it on fetches a value that is stale.
    ///
    /// The entry does not change by it, so no listener is called unless a fetch begins; the next snapshot that is read is in
    /// the new terms.
    public func setEnabled(_ isEnabled: Bool) {
        core.client.renew(core, isEnabled: isEnabled)
    }

    /// Detaches now. No listener is called any more, iterations end, and the last snapshot stays readable.
    public func cancel() {
        if let last = core.client.picture(for: core) { look.withLock { $0.last = last } }
        core.client.detach(core)
    }

    /// What is shown while no entry is watched.
    @usableFromInline
    var substitute: EntryPicture? {
        look.withLock { $0.mismatch ?? $0.last }
    }

    /// - Parameter now: When the snapshot is taken. `nil` for when the picture was.
    package func make(from picture: EntryPicture?, at now: MonotonicInstant? = nil) -> Snapshot<Value> {
        let client = core.client
        let picture = picture ?? client.emptyPicture(of: look.withLock { $0.key })
        var placeholder: Value?
        if picture.payload == nil, let make = look.withLock({ $0.placeholder }) {
            placeholder = make(look.withLock { $0.previous })
        }
        return Snapshot(picture, terms: client.terms(of: core), placeholder: placeholder, at: now)
    }

    private static func error(_ mismatch: EntryPicture?) -> any Error {
        mismatch?.failure?.error ?? CancellationError()
    }
}

extension QueryObserver: AsyncSequence {
    /// A snapshot.
    public typealias Element = Snapshot<Value>

    /// Begins with the newest snapshot.
    public func makeAsyncIterator() -> Iterator {
        Iterator(self)
    }

    /// Reads an observer's snapshots, newest first. Ends when its task is cancelled.
    public struct Iterator: AsyncIteratorProtocol {
        private let observer: QueryObserver<Value>
        private let mailbox = Mailbox<EntryPicture>()
        private let subscription: QuerySubscription

        init(_ observer: QueryObserver<Value>) {
            self.observer = observer
            let mailbox = mailbox
            let core = observer.core
            let (id, picture) = core.client.follow(core, onClose: { mailbox.close() }) { picture, _ in
                mailbox.put(picture)
            }
            subscription = QuerySubscription { [weak core] in
                if let id { core?.removeListener(id) }
                mailbox.close()
            }
            mailbox.putFirst(picture ?? observer.snapshot.picture)
            if id == nil { mailbox.close() }
        }

        /// The next snapshot, or `nil` once the task is cancelled.
        public mutating func next() async -> Snapshot<Value>? {
            guard let picture = await mailbox.next() else { return nil }
            return observer.make(from: picture)
        }
    }

    /// The values alone: each that differs from the one before, without placeholders. Each iteration begins with the newest
    /// value.
    public var values: Values { Values(observer: self) }

    /// The values of an observer. Each iteration is its own.
    public struct Values: AsyncSequence, Sendable {
        let observer: QueryObserver<Value>

        /// Begins with the newest value.
        public func makeAsyncIterator() -> Iterator {
            Iterator(snapshots: observer.makeAsyncIterator())
        }

        /// Reads an observer's values, newest first. Ends when its task is cancelled.
        public struct Iterator: AsyncIteratorProtocol {
            var snapshots: QueryObserver<Value>.Iterator
            private var last: (key: QueryKey, valueVersion: UInt64)?

            init(snapshots: QueryObserver<Value>.Iterator) {
                self.snapshots = snapshots
            }

            /// The next value that differs, or `nil` once the task is cancelled.
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
