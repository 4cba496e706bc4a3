/// One observer of a client, whatever the type it sees: what the client holds, and delivers to.
@usableFromInline
package final class ObserverCore: @unchecked Sendable {  // `slot` and `options` by the client's lock, `mail` by its own
    @usableFromInline package typealias Listener = @Sendable (EntryPicture, SnapshotTerms) -> Void

    // First, and within it what a delivery reads first: a thousand observers are a thousand cache misses.
    private let mail = Locked(Mail())

    let id: UInt64
    package let client: QueryClient
    /// The type that it sees values as.
    let type: any Sendable.Type
    /// Guarded by the client's lock.
    var slot: Slot?
    /// Guarded by the client's lock.
    private(set) var options: ResolvedOptions
    /// Guarded by the client's lock.
    private(set) var isEnabled: Bool
    /// What it sees once its key was taken by another type. Guarded by the client's lock.
    var mismatch: EntryPicture?

    private struct Mail {
        var slot: ObjectIdentifier?
        /// `nil` when nothing of the slot was told yet.
        var lastVersion: UInt64?
        var listeners: Listeners?
        var terms = SnapshotTerms(staleAfter: .zero)
        var closers: [UInt64: @Sendable () -> Void] = [:]
        var nextID: UInt64 = 0
        var isClosed = false
    }

    /// Who is called, in order. Replaced as a whole, so that a delivery takes it out of the lock as one reference.
    private final class Listeners: Sendable {
        let first: Listener?
        let more: [(id: UInt64, call: Listener)]
        private let hasMore: Bool

        init(first: Listener?, more: [(id: UInt64, call: Listener)] = []) {
            self.first = first
            self.more = more
            hasMore = !more.isEmpty
        }

        func call(_ picture: EntryPicture, _ terms: SnapshotTerms) {
            first?(picture, terms)
            guard hasMore else { return }
            for listener in more { listener.call(picture, terms) }
        }
    }

    init(
        id: UInt64, client: QueryClient, type: any Sendable.Type, slot: Slot?, options: ResolvedOptions, isEnabled: Bool
    ) {
        self.id = id
        self.type = type
        self.client = client
        self.slot = slot
        self.options = options
        self.isEnabled = isEnabled
        adopt(options, isEnabled: isEnabled)
    }

    /// Under the client's lock. Listeners get the terms as they are when a snapshot is delivered.
    func adopt(_ options: ResolvedOptions, isEnabled: Bool) {
        self.options = options
        self.isEnabled = isEnabled
        mail.withLock { $0.terms = SnapshotTerms(staleAfter: options.values.staleAfter, isEnabled: isEnabled) }
    }

    /// What is shown now.
    @usableFromInline
    package var payload: Payload? {
        client.state.withLock { _ in slot?.entry.shown }
    }

    /// What this observer has seen of a slot so far: only newer versions are delivered. `nil` for nothing.
    func begin(_ slot: Slot, seen version: UInt64?) {
        mail.withLock { mail in
            mail.slot = ObjectIdentifier(slot)
            mail.lastVersion = version
        }
    }

    /// Calls the listeners, unless they have seen this version or a newer one, or the observer has left the slot.
    func deliver(_ picture: EntryPicture, from slot: Slot) {
        let (listeners, terms) = mail.withLock { mail -> (Listeners?, SnapshotTerms) in
            guard mail.slot == ObjectIdentifier(slot), mail.lastVersion.map({ picture.version > $0 }) ?? true else {
                return (nil, mail.terms)
            }
            mail.lastVersion = picture.version
            return (mail.listeners, mail.terms)
        }
        guard let listeners else { return }
        listeners.call(picture, terms)
    }

    /// Delivers what no slot does: that the observer's new key is taken by another type.
    func announce(_ picture: EntryPicture) {
        let (listeners, terms) = mail.withLock { ($0.listeners, $0.terms) }
        listeners?.call(picture, terms)
    }

    func setFirst(_ listener: @escaping Listener) {
        mail.withLock { $0.listeners = Listeners(first: listener) }
    }

    /// Adds a listener; of a closed observer, calls `onClose` at once.
    func add(onClose: (@Sendable () -> Void)? = nil, _ listener: @escaping Listener) -> UInt64 {
        let (id, isClosed) = mail.withLock { mail in
            mail.nextID += 1
            guard !mail.isClosed else { return (mail.nextID, true) }
            let (first, more) = (mail.listeners?.first, mail.listeners?.more ?? [])
            mail.listeners = Listeners(first: first, more: more + [(mail.nextID, listener)])
            mail.closers[mail.nextID] = onClose
            return (mail.nextID, false)
        }
        if isClosed { onClose?() }
        return id
    }

    func removeListener(_ id: UInt64) {
        let old = mail.withLock { mail in
            let old = (mail.listeners, mail.closers.removeValue(forKey: id))
            mail.listeners = mail.listeners.map { listeners in
                Listeners(first: listeners.first, more: listeners.more.filter { $0.id != id })
            }
            return old
        }
        _ = old  // freed after the lock is
    }

    /// No call begins after this returns.
    func close() {
        let old = mail.withLock { mail in
            defer {
                mail = Mail()
                mail.isClosed = true
            }
            return mail
        }
        for (_, close) in old.closers.sorted(by: { $0.key < $1.key }) { close() }
    }
}
