/// One observer of a client, whatever the type it sees: what the client holds, and delivers to.
@usableFromInline
package final class ObserverCore: @unchecked Sendable {  // `slot` and `options` by the client's lock, `mail` by its own
    @usableFromInline package typealias Listener = @Sendable (EntryPicture, SnapshotTerms) -> Void

    // First, and within it what a delivery reads first: a thousand observers are a thousand cache misses.
    private let mail = Locked(Mail())

    /// Its number at the present slot, greater than those of all who attached before. Guarded by the client's lock.
    private(set) var id: UInt64 = 0
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
        /// The newest version of the slot that the listeners were called with. `nil` before the first.
        var lastVersion: UInt64?
        var listeners: Listeners?
        var terms = SnapshotTerms(staleAfter: .zero)
        /// True while a thread calls the listeners. Every other thread leaves its picture in `waiting`.
        var isCalling = false
        /// What the thread that calls the listeners delivers next, oldest first.
        var waiting: [EntryPicture] = []
        /// True if every version is to be delivered: none takes the place of another that waits.
        var keepsEvery = false
        /// Listeners that were replaced while they were called. The thread that calls them does not count them up.
        var retired: [Listeners] = []
        var closers: [UInt64: @Sendable () -> Void] = [:]
        var nextID: UInt64 = 0
        var isClosed = false

        func isNew(_ picture: EntryPicture) -> Bool {
            guard let newest = waiting.last?.version ?? lastVersion else { return true }
            return picture.version > newest
        }

        /// Keeps a picture for delivery: behind the pictures that wait, or in their place.
        ///
        /// - Parameter replaced: Receives the pictures that will not be delivered, to be released outside the lock.
        mutating func add(_ picture: EntryPicture, _ replaced: inout [EntryPicture]) {
            guard isNew(picture) else { return }
            if !keepsEvery { swap(&replaced, &waiting) }
            waiting.append(picture)
        }

        /// Makes the present thread the one that calls the listeners, if anything waits and no other thread does.
        mutating func begin() -> Call? {
            guard !isCalling, !waiting.isEmpty else { return nil }
            isCalling = true
            return call(waiting.removeFirst())
        }

        /// The same for one picture more, which need not wait if the listeners are to be called with it at once.
        mutating func begin(_ picture: EntryPicture, _ replaced: inout [EntryPicture]) -> Call? {
            guard !isCalling, waiting.isEmpty else {
                add(picture, &replaced)
                return begin()
            }
            guard isNew(picture) else { return nil }
            lastVersion = picture.version
            guard let listeners else { return nil }
            isCalling = true
            return Call(picture: nil, listeners: Unmanaged.passUnretained(listeners), terms: terms)
        }

        /// Takes the next picture that waits. If none does, the listeners are no longer being called.
        ///
        /// - Parameter freed: Receives the listeners of calls before this one, to be released outside the lock.
        mutating func next(_ freed: inout [Listeners]) -> Call? {
            if !retired.isEmpty { swap(&freed, &retired) }
            isCalling = !waiting.isEmpty
            return isCalling ? call(waiting.removeFirst()) : nil
        }

        private mutating func call(_ picture: EntryPicture) -> Call {
            lastVersion = picture.version
            return Call(picture: picture, listeners: listeners.map(Unmanaged.passUnretained), terms: terms)
        }

        /// - Returns: The listeners before, to be freed outside the lock.
        mutating func replaceListeners(_ new: Listeners?) -> Listeners? {
            let old = listeners
            listeners = new
            guard isCalling, let old else { return old }
            retired.append(old)
            return nil
        }
    }

    /// One call of all listeners.
    private struct Call {
        /// A picture that has waited. `nil` stands for the one that is being delivered: it needs no reference of its own.
        let picture: EntryPicture?
        /// Held by `mail` until the call is over.
        let listeners: Unmanaged<Listeners>?
        let terms: SnapshotTerms

        func perform(with delivered: EntryPicture) {
            if let picture { perform(picture) } else { perform(delivered) }
        }

        private func perform(_ picture: EntryPicture) {
            listeners?._withUnsafeGuaranteedRef { $0.call(picture, terms) }
        }
    }

    /// Who is called, in order. Replaced as a whole, so that a delivery takes it out of the lock as one reference.
    private final class Listeners: Sendable {
        struct Added: Sendable {
            let id: UInt64
            /// The version of the present slot that it begins after. `nil` for any.
            var after: UInt64?
            let call: Listener
        }

        let first: Listener?
        let more: [Added]
        private let hasMore: Bool

        init(first: Listener?, more: [Added] = []) {
            self.first = first
            self.more = more
            hasMore = !more.isEmpty
        }

        func call(_ picture: EntryPicture, _ terms: SnapshotTerms) {
            first?(picture, terms)
            guard hasMore else { return }
            for listener in more where listener.after.map({ picture.version > $0 }) ?? true {
                listener.call(picture, terms)
            }
        }

        /// The same, each beginning after another version. `nil` if nothing changes.
        func beginning(_ change: (UInt64) -> UInt64?) -> Listeners? {
            guard more.contains(where: { $0.after != nil }) else { return nil }
            return Listeners(
                first: first,
                more: more.map { Added(id: $0.id, after: $0.after.flatMap(change), call: $0.call) })
        }
    }

    init(
        client: QueryClient, type: any Sendable.Type, slot: Slot?, options: ResolvedOptions, isEnabled: Bool
    ) {
        self.type = type
        self.client = client
        self.slot = slot
        self.options = options
        self.isEnabled = isEnabled
        adopt(options, isEnabled: isEnabled)
    }

    /// Under the client's lock.
    func attach(to slot: Slot, as id: UInt64) {
        self.slot = slot
        self.id = id
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

    /// Under the client's lock. From now on, only versions of `slot` that are newer than `version` are delivered.
    ///
    /// - Parameter version: `nil` delivers any version.
    /// - Returns: Pictures of the slot before, to be freed outside the lock.
    func begin(_ slot: Slot?, seen version: UInt64?) -> [EntryPicture] {
        mail.withLock { mail in
            mail.slot = slot.map(ObjectIdentifier.init)
            mail.lastVersion = version
            mail.keepsEvery = false
            if let new = mail.listeners?.beginning({ _ in nil }) { _ = mail.replaceListeners(new) }
            defer { mail.waiting = [] }
            return mail.waiting
        }
    }

    /// Under the client's lock. The next delivery calls the listeners even if they have seen its version, though not with
    /// an older one.
    func deliverAgain() {
        func before(_ version: UInt64) -> UInt64? { version == 0 ? nil : version - 1 }
        mail.withLock { mail in
            mail.lastVersion = mail.lastVersion.flatMap(before)
            if let new = mail.listeners?.beginning(before) { _ = mail.replaceListeners(new) }
        }
    }

    // MARK: Delivering

    /// Calls the listeners, unless they have seen this version or a newer one, or the observer has left the slot.
    ///
    /// Any thread may deliver. If another thread is calling the listeners, or this one is further up the stack, that
    /// thread delivers the picture when they return: calls of one observer come one at a time and in order, and no
    /// observer waits for another one's listeners.
    func deliver(_ picture: EntryPicture, from slot: Slot) {
        var replaced: [EntryPicture] = []
        let first = mail.withLock { mail in
            mail.slot == ObjectIdentifier(slot) ? mail.begin(picture, &replaced) : nil
        }
        _ = replaced  // released outside of the lock
        if let first { perform(first, with: picture) }
    }

    /// Calls the listeners with the pictures that were enqueued for them.
    func deliverEnqueued() {
        guard let first = mail.withLock({ $0.begin() }), let picture = first.picture else { return }
        perform(first, with: picture)
    }

    /// Makes a call, and those for pictures that arrive during it. The caller is the thread that calls the listeners.
    private func perform(_ first: Call, with picture: EntryPicture) {
        first.perform(with: picture)
        while true {
            var freed: [Listeners] = []
            guard let next = mail.withLock({ $0.next(&freed) }) else { return }
            next.perform(with: picture)
        }
    }

    /// Under the client's lock. Keeps a version for the next delivery, after those that wait already.
    func enqueue(_ picture: EntryPicture, of slot: Slot) {
        mail.withLock { mail in
            guard mail.slot == ObjectIdentifier(slot), mail.isNew(picture) else { return }
            mail.keepsEvery = true
            mail.waiting.append(picture)
        }
    }

    /// Delivers what no slot does: that the observer's new key is taken by another type.
    func announce(_ picture: EntryPicture) {
        var replaced: [EntryPicture] = []  // freed after the lock is
        let first = mail.withLock { mail -> Call? in
            // One that watches a slot by now sees that.
            guard mail.slot == nil, !mail.isClosed else { return nil }
            replaced = mail.waiting
            mail.waiting = [picture]
            return mail.begin()
        }
        _ = replaced
        if let first { perform(first, with: picture) }
    }

    // MARK: Listeners

    func setFirst(_ listener: @escaping Listener) {
        mail.withLock { $0.listeners = Listeners(first: listener) }
    }

    /// Adds a listener.
    ///
    /// - Parameters:
    ///   - version: The version of the present slot that it has seen: it is called with newer ones only.
    ///   - onClose: Called when the observer is closed.
    /// - Returns: The number to remove it by. `nil` if the observer is closed.
    func add(
        after version: UInt64? = nil, onClose: (@Sendable () -> Void)? = nil, _ listener: @escaping Listener
    ) -> UInt64? {
        mail.withLock { mail in
            guard !mail.isClosed else { return nil }
            mail.nextID += 1
            let (first, more) = (mail.listeners?.first, mail.listeners?.more ?? [])
            let new = Listeners.Added(id: mail.nextID, after: version, call: listener)
            // The new ones hold what the old ones hold.
            _ = mail.replaceListeners(Listeners(first: first, more: more + [new]))
            mail.closers[mail.nextID] = onClose
            return mail.nextID
        }
    }

    func removeListener(_ id: UInt64) {
        let old = mail.withLock { mail in
            let closer = mail.closers.removeValue(forKey: id)
            guard let listeners = mail.listeners else { return (nil as Listeners?, closer) }
            let left = Listeners(first: listeners.first, more: listeners.more.filter { $0.id != id })
            return (mail.replaceListeners(left), closer)
        }
        _ = old  // freed after the lock is
    }

    /// No call begins after this returns.
    func close() {
        let old = mail.withLock { mail in
            let isCalling = mail.isCalling
            let old = mail
            mail = Mail()
            mail.isClosed = true
            // The thread that calls them frees them.
            mail.isCalling = isCalling
            if isCalling { mail.retired = old.retired + [old.listeners].compactMap { $0 } }
            return old
        }
        for (_, close) in old.closers.sorted(by: { $0.key < $1.key }) { close() }
    }
}
