/// The part of an observer that its client holds and delivers to. It does not depend on the type of the observed value.
@usableFromInline
package final class ObserverCore: @unchecked Sendable {  // guarded by the client's lock; `mail` has its own
    @usableFromInline package typealias Listener = @Sendable (EntryPicture, SnapshotTerms) -> Void

    // Declared first, and in it the fields that a delivery reads first: with a thousand observers, a delivery costs a
    // thousand cache misses.
    private let mail: Locked<Mail>

    /// Number of the observer at its current slot. Observers that attach later have greater numbers. Guarded by the
    /// client's lock.
    private(set) var id: UInt64 = 0
    package let client: QueryClient
    /// The type as which the observer reads values.
    let type: any Sendable.Type
    /// Guarded by the client's lock.
    var slot: Slot?
    /// Guarded by the client's lock.
    private(set) var options: ResolvedOptions
    /// Guarded by the client's lock.
    private(set) var isEnabled = false
    /// The picture to show without a slot: the error of a key that holds another type, or the last picture before the
    /// observer was cancelled. `nil` while there is a slot. Guarded by the client's lock.
    var substitute: EntryPicture?
    /// Records every version. `nil` for an observer whose listeners receive the newest version.
    let follower: (any VersionFollower)?
    /// The call that created the observer. `nil` if it is not known.
    let place: CodePlace?

    private struct Mail {
        var slot: ObjectIdentifier?
        /// The newest version of the slot that the listeners were called with. `nil` before the first call.
        var lastVersion: UInt64?
        var listeners: Listeners?
        var terms: SnapshotTerms
        /// True while a thread calls the listeners. Other threads add their pictures to `waiting`.
        var isCalling = false
        /// The picture that the thread that calls the listeners delivers next.
        var waiting: EntryPicture?
        /// Listeners that were replaced during a call. The call uses them without retaining them.
        var retired: [Listeners] = []
        var closers = Roster<@Sendable () -> Void>()
        var nextID: UInt64 = 0
        var isClosed = false

        func isNew(_ picture: EntryPicture) -> Bool {
            guard let newest = waiting?.version ?? lastVersion else { return true }
            return picture.version > newest
        }

        /// Adds a picture for delivery in place of the waiting one, unless it is outdated.
        ///
        /// - Parameter replaced: Receives the picture that will not be delivered, to be released outside the lock.
        mutating func add(_ picture: EntryPicture, _ replaced: inout EntryPicture?) {
            guard isNew(picture) else { return }
            (replaced, waiting) = (waiting, picture)
        }

        /// Begins to call the listeners with the waiting picture. `nil` if none waits, or if a thread is already
        /// calling the listeners.
        mutating func begin() -> Call? {
            guard !isCalling, let picture = waiting else { return nil }
            (isCalling, waiting) = (true, nil)
            return call(picture)
        }

        /// Begins to call the listeners with a new picture, at once if no other picture waits and no thread is calling
        /// them. Otherwise adds the picture, and begins with it if possible.
        mutating func begin(_ picture: EntryPicture, _ replaced: inout EntryPicture?) -> Call? {
            guard !isCalling, waiting == nil else {
                add(picture, &replaced)
                return begin()
            }
            guard isNew(picture) else { return nil }
            lastVersion = picture.version
            guard let listeners else { return nil }
            isCalling = true
            return Call(picture: nil, listeners: Unmanaged.passUnretained(listeners), terms: terms)
        }

        /// Returns the call for the waiting picture. If none waits, the listeners count as no longer being called.
        ///
        /// - Parameter freed: Receives listeners that earlier calls used, to be released outside the lock.
        mutating func next(_ freed: inout [Listeners]) -> Call? {
            if !retired.isEmpty { swap(&freed, &retired) }
            guard let picture = waiting else {
                isCalling = false
                return nil
            }
            waiting = nil
            return call(picture)
        }

        private mutating func call(_ picture: EntryPicture) -> Call {
            lastVersion = picture.version
            return Call(picture: picture, listeners: listeners.map(Unmanaged.passUnretained), terms: terms)
        }

        /// - Returns: The old listeners, to be released outside the lock. `nil` if a call still uses them.
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
        /// The picture, if it had to wait. `nil` for the picture that is being delivered, which needs no reference of
        /// its own.
        let picture: EntryPicture?
        /// Retained by `mail` until the call has ended.
        let listeners: Unmanaged<Listeners>?
        let terms: SnapshotTerms

        func perform(with delivered: EntryPicture) {
            if let picture { perform(picture) } else { perform(delivered) }
        }

        private func perform(_ picture: EntryPicture) {
            listeners?._withUnsafeGuaranteedRef { $0.call(picture, terms) }
        }
    }

    /// The listeners, in the order in which they are called. Immutable, so that a delivery takes a single reference out
    /// of the lock.
    private final class Listeners: Sendable {
        struct Added: Sendable {
            let id: UInt64
            /// The newest version of the current slot that the listener does not receive. `nil` if it receives any
            /// version.
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

        /// Returns the listeners with changed `after` versions. `nil` if no listener has such a version.
        func beginning(_ change: (UInt64) -> UInt64?) -> Listeners? {
            guard more.contains(where: { $0.after != nil }) else { return nil }
            return Listeners(
                first: first,
                more: more.map { Added(id: $0.id, after: $0.after.flatMap(change), call: $0.call) })
        }
    }

    /// Creates a disabled observer without a slot.
    init(
        client: QueryClient, type: any Sendable.Type, options: ResolvedOptions, follower: (any VersionFollower)?,
        place: CodePlace?, listener: Listener?
    ) {
        mail = Locked(
            Mail(
                listeners: listener.map { Listeners(first: $0) },
                terms: SnapshotTerms(
                    staleAfter: options.values.staleAfter, isEnabled: false,
                    keepsPlaceholder: options.values.keepsPlaceholder)))
        self.type = type
        self.place = place
        self.follower = follower
        self.client = client
        self.options = options
    }

    /// Called under the client's lock.
    func attach(to slot: Slot, as id: UInt64) {
        self.slot = slot
        self.id = id
    }

    /// Called under the client's lock. Listeners receive the terms that apply when a snapshot is delivered.
    func adopt(_ options: ResolvedOptions, isEnabled: Bool) {
        self.options = options
        self.isEnabled = isEnabled
        mail.withLock { $0.terms = snapshotTerms }
    }

    /// Guarded by the client's lock.
    var snapshotTerms: SnapshotTerms {
        let options = options.values
        return SnapshotTerms(
            staleAfter: options.staleAfter, isEnabled: isEnabled, keepsPlaceholder: options.keepsPlaceholder)
    }

    /// Guarded by the client's lock.
    var entryTerms: ObserverTerms { ObserverTerms(id: id, options: options, isEnabled: isEnabled) }

    /// The payload that the observer shows. `nil` if there is none.
    @usableFromInline
    package var payload: Payload? {
        client.state.withLock { _ in slot?.entry.shown ?? substitute?.payload }
    }

    /// Begins to deliver the versions of `slot` that are newer than `version`, and no others. Called under the client's
    /// lock.
    ///
    /// - Parameter version: `nil` to deliver any version.
    /// - Returns: The waiting picture of the previous slot, to be released outside the lock.
    func begin(_ slot: Slot?, seen version: UInt64?) -> EntryPicture? {
        mail.withLock { mail in
            mail.slot = slot.map(ObjectIdentifier.init)
            mail.lastVersion = version
            if let new = mail.listeners?.beginning({ _ in nil }) { _ = mail.replaceListeners(new) }
            defer { mail.waiting = nil }
            return mail.waiting
        }
    }

    /// Makes the next delivery call the listeners even if they have seen its version, but not with an older version.
    /// Called under the client's lock.
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
    /// Any thread may deliver. If another thread is calling the listeners, or this thread is doing so further up the
    /// stack, that thread delivers the picture when they return. Calls for one observer are therefore made one at a
    /// time and in order, and no observer waits for the listeners of another.
    func deliver(_ picture: EntryPicture, from slot: Slot) {
        var replaced: EntryPicture?
        let first = mail.withLock { mail in
            mail.slot == ObjectIdentifier(slot) ? mail.begin(picture, &replaced) : nil
        }
        _ = replaced  // released outside the lock
        if let first { perform(first, with: picture) }
    }

    /// Makes a call, and then the calls for pictures that arrive during it. The current thread must be the one that
    /// calls the listeners.
    private func perform(_ first: Call, with picture: EntryPicture) {
        first.perform(with: picture)
        while true {
            var freed: [Listeners] = []
            guard let next = mail.withLock({ $0.next(&freed) }) else { return }
            next.perform(with: picture)
        }
    }

    /// Records a version, if the observer has a follower. Called under the client's lock.
    func record(_ picture: EntryPicture, _ work: inout Work) {
        guard let follower else { return }
        if let replaced = follower.record(picture) { work.discarded.append(replaced) }
        if work.followers.last !== follower { work.followers.append(follower) }
    }

    /// Delivers the picture of a mismatch: another type uses the observer's new key, so no slot delivers to the
    /// observer.
    func announce(_ picture: EntryPicture) {
        var replaced: EntryPicture?  // released outside the lock
        let first = mail.withLock { mail -> Call? in
            // An observer that has moved to a slot in the meantime shows that slot instead.
            guard mail.slot == nil, !mail.isClosed else { return nil }
            replaced = mail.waiting
            mail.waiting = picture
            return mail.begin()
        }
        _ = replaced
        if let first { perform(first, with: picture) }
    }

    // MARK: Listeners

    /// Adds a listener.
    ///
    /// - Parameters:
    ///   - version: The version of the current slot that the listener has seen. It is called with newer versions only.
    ///   - onClose: Called when the observer is closed.
    /// - Returns: The number by which to remove the listener. `nil` if the observer is closed.
    func add(
        after version: UInt64? = nil, onClose: (@Sendable () -> Void)? = nil, _ listener: @escaping Listener
    ) -> UInt64? {
        mail.withLock { mail in
            guard !mail.isClosed else { return nil }
            mail.nextID += 1
            let (first, more) = (mail.listeners?.first, mail.listeners?.more ?? [])
            let new = Listeners.Added(id: mail.nextID, after: version, call: listener)
            // The old listeners may be released under the lock, because the new ones retain the same closures.
            _ = mail.replaceListeners(Listeners(first: first, more: more + [new]))
            if let onClose { mail.closers.set(onClose, mail.nextID) }
            return mail.nextID
        }
    }

    func removeListener(_ id: UInt64) {
        let old = mail.withLock { mail in
            let closer = mail.closers.remove(id)
            guard let listeners = mail.listeners else { return (nil as Listeners?, closer) }
            let left = Listeners(first: listeners.first, more: listeners.more.filter { $0.id != id })
            return (mail.replaceListeners(left), closer)
        }
        _ = old  // released outside the lock
    }

    /// Closes the observer. No call begins after this returns.
    func close() {
        let old = mail.withLock { mail in
            let isCalling = mail.isCalling
            let old = mail
            mail = Mail(terms: old.terms)
            mail.isClosed = true
            // The thread that is calling the listeners releases them.
            mail.isCalling = isCalling
            if isCalling { mail.retired = old.retired + [old.listeners].compactMap { $0 } }
            return old
        }
        for close in old.closers { close() }
    }
}

/// Records every version of an entry, in order, however fast they follow each other.
package protocol VersionFollower: AnyObject, Sendable {
    /// Records a version. Called under the client's lock, so it must neither call user code nor release a user's value.
    ///
    /// - Returns: The replaced picture, to be released outside the lock.
    func record(_ picture: EntryPicture) -> EntryPicture?

    /// Acts on the recorded versions. Called without a lock, on the thread that changed the entry.
    func deliverRecorded()
}
