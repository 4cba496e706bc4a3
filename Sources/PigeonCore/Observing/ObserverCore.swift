/// The part of an observer that its client holds and delivers to. It does not depend on the type of the observed value.
@usableFromInline
package final class ObserverCore: @unchecked Sendable {  // guarded by the client's lock; `delivery` has its own
    @usableFromInline package typealias Listener = @Sendable (EntryState, SnapshotOptions) -> Void

    // Declared first, and in it the fields that a delivery reads first: with a thousand observers, a delivery costs a
    // thousand cache misses.
    private let delivery: Locked<DeliveryState>

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
    /// The entry state to show without a slot: the error of a key that holds another type, or the last one before the
    /// observer was cancelled. `nil` while there is a slot. Guarded by the client's lock.
    var substitute: EntryState?
    /// Receives every version. `nil` for an observer whose listeners receive only the newest version.
    let recorder: (any VersionRecorder)?
    /// The call that created the observer. `nil` if it is not known.
    let location: CodeLocation?

    private struct DeliveryState {
        var slot: ObjectIdentifier?
        /// The newest version of the slot that the listeners were called with. `nil` before the first call.
        var lastVersion: UInt64?
        var listeners: ListenerList?
        var options: SnapshotOptions
        /// True while a thread calls the listeners. Other threads add their entry states to `waiting`.
        var isCalling = false
        /// The entry state that the thread that calls the listeners delivers next.
        var waiting: EntryState?
        /// The lists that were replaced during a call, which uses them without retaining them.
        var retired: [ListenerList] = []
        var closers = Roster<@Sendable () -> Void>()
        var nextID: UInt64 = 0
        var isClosed = false

        func isNew(_ entryState: EntryState) -> Bool {
            guard let newest = waiting?.version ?? lastVersion else { return true }
            return entryState.version > newest
        }

        /// Adds an entry state for delivery instead of the waiting one, unless it is outdated.
        ///
        /// - Parameter replaced: Receives the entry state that will not be delivered, to be released outside the lock.
        mutating func add(_ entryState: EntryState, _ replaced: inout EntryState?) {
            guard isNew(entryState) else { return }
            (replaced, waiting) = (waiting, entryState)
        }

        /// Begins to call the listeners with the waiting entry state. `nil` if none waits, or if a thread is already
        /// calling the listeners.
        mutating func begin() -> Call? {
            guard !isCalling, let entryState = waiting else { return nil }
            (isCalling, waiting) = (true, nil)
            return call(entryState)
        }

        /// Begins to call the listeners with a new entry state, at once if no other one waits and no thread is calling
        /// them. Otherwise adds the entry state, and begins with it if possible.
        mutating func begin(_ entryState: EntryState, _ replaced: inout EntryState?) -> Call? {
            guard !isCalling, waiting == nil else {
                add(entryState, &replaced)
                return begin()
            }
            guard isNew(entryState) else { return nil }
            lastVersion = entryState.version
            guard let listeners else { return nil }
            isCalling = true
            return Call(entryState: nil, listeners: Unmanaged.passUnretained(listeners), options: options)
        }

        /// Returns the call for the waiting entry state. If none waits, the listeners count as no longer being called.
        ///
        /// - Parameter freed: Receives listeners that earlier calls used, to be released outside the lock.
        mutating func next(_ freed: inout [ListenerList]) -> Call? {
            if !retired.isEmpty { swap(&freed, &retired) }
            guard let entryState = waiting else {
                isCalling = false
                return nil
            }
            waiting = nil
            return call(entryState)
        }

        private mutating func call(_ entryState: EntryState) -> Call {
            lastVersion = entryState.version
            return Call(entryState: entryState, listeners: listeners.map(Unmanaged.passUnretained), options: options)
        }

        /// - Returns: The old listeners, to be released outside the lock. `nil` if a call still uses them.
        mutating func replaceListeners(_ new: ListenerList?) -> ListenerList? {
            let old = listeners
            listeners = new
            guard isCalling, let old else { return old }
            retired.append(old)
            return nil
        }
    }

    /// One call of all listeners.
    private struct Call {
        /// The entry state, if it had to wait. `nil` for the one that is being delivered, which needs no reference of
        /// its own.
        let entryState: EntryState?
        /// Retained by `delivery` until the call has ended.
        let listeners: Unmanaged<ListenerList>?
        let options: SnapshotOptions

        /// Calls the listeners with the entry state that had to wait, or with the one that is being delivered.
        func perform(on delivered: EntryState) {
            listeners?._withUnsafeGuaranteedRef { listeners in
                if let entryState { listeners.call(entryState, options) } else { listeners.call(delivered, options) }
            }
        }
    }

    /// The listeners, in the order in which they are called. Immutable, so that a delivery takes a single reference out
    /// of the lock.
    private final class ListenerList: Sendable {
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

        func call(_ entryState: EntryState, _ options: SnapshotOptions) {
            first?(entryState, options)
            guard hasMore else { return }
            for listener in more where listener.after.map({ entryState.version > $0 }) ?? true {
                listener.call(entryState, options)
            }
        }

        /// Returns the listeners with changed `after` versions. `nil` if no listener has such a version.
        func beginning(_ change: (UInt64) -> UInt64?) -> ListenerList? {
            guard more.contains(where: { $0.after != nil }) else { return nil }
            return ListenerList(
                first: first,
                more: more.map { Added(id: $0.id, after: $0.after.flatMap(change), call: $0.call) })
        }
    }

    /// Creates a disabled observer without a slot.
    init(
        client: QueryClient, type: any Sendable.Type, options: ResolvedOptions, recorder: (any VersionRecorder)?,
        location: CodeLocation?, listener: Listener?
    ) {
        delivery = Locked(
            DeliveryState(
                listeners: listener.map { ListenerList(first: $0) },
                options: SnapshotOptions(
                    staleAfter: options.values.staleAfter, isEnabled: false,
                    keepsPlaceholder: options.values.keepsPlaceholder)))
        self.type = type
        self.location = location
        self.recorder = recorder
        self.client = client
        self.options = options
    }

    /// Called under the client's lock.
    func attach(to slot: Slot, as id: UInt64) {
        self.slot = slot
        self.id = id
    }

    /// Called under the client's lock. Listeners receive the options that apply when a snapshot is delivered.
    func adopt(_ options: ResolvedOptions, isEnabled: Bool) {
        self.options = options
        self.isEnabled = isEnabled
        delivery.withLock { $0.options = snapshotOptions }
    }

    /// Guarded by the client's lock.
    var snapshotOptions: SnapshotOptions {
        let options = options.values
        return SnapshotOptions(
            staleAfter: options.staleAfter, isEnabled: isEnabled, keepsPlaceholder: options.keepsPlaceholder)
    }

    /// Guarded by the client's lock.
    var attachedObserver: AttachedObserver { AttachedObserver(id: id, options: options, isEnabled: isEnabled) }

    /// The payload that the observer shows. `nil` if there is none.
    @usableFromInline
    package var payload: Payload? {
        client.state.withLock { _ in slot?.entry.shown ?? substitute?.payload }
    }

    /// Begins to deliver the versions of `slot` that are newer than `version`, and no others. Called under the client's
    /// lock.
    ///
    /// - Parameter version: `nil` to deliver any version.
    /// - Returns: The waiting entry state of the previous slot, to be released outside the lock.
    func begin(_ slot: Slot?, seen version: UInt64?) -> EntryState? {
        delivery.withLock { delivery in
            delivery.slot = slot.map(ObjectIdentifier.init)
            delivery.lastVersion = version
            if let new = delivery.listeners?.beginning({ _ in nil }) { _ = delivery.replaceListeners(new) }
            defer { delivery.waiting = nil }
            return delivery.waiting
        }
    }

    /// Makes the next delivery call the listeners even if they have seen its version, but not with an older version.
    /// Called under the client's lock.
    func deliverAgain() {
        func before(_ version: UInt64) -> UInt64? { version == 0 ? nil : version - 1 }
        delivery.withLock { delivery in
            delivery.lastVersion = delivery.lastVersion.flatMap(before)
            if let new = delivery.listeners?.beginning(before) { _ = delivery.replaceListeners(new) }
        }
    }

    // MARK: Delivering

    /// Calls the listeners, unless they have seen this version or a newer one, or the observer has left the slot.
    ///
    /// Any thread may deliver. If another thread is calling the listeners, or this thread is doing so further up the
    /// stack, that thread delivers the entry state when they return. Calls for one observer are therefore made one at a
    /// time and in order, and no observer waits for the listeners of another.
    func deliver(_ entryState: EntryState, from slot: Slot) {
        var replaced: EntryState?
        let first = delivery.withLock { delivery in
            delivery.slot == ObjectIdentifier(slot) ? delivery.begin(entryState, &replaced) : nil
        }
        _ = replaced  // released outside the lock
        if let first { perform(first, with: entryState) }
    }

    /// Makes a call, and then the calls for entry states that arrive during it. The current thread must be the one that
    /// calls the listeners.
    private func perform(_ first: Call, with delivered: EntryState) {
        first.perform(on: delivered)
        while true {
            var freed: [ListenerList] = []
            guard let next = delivery.withLock({ $0.next(&freed) }) else { return }
            next.perform(on: delivered)
        }
    }

    /// Passes a version to the recorder, if the observer has one. Called under the client's lock.
    func record(_ entryState: EntryState, _ work: inout Work) {
        guard let recorder else { return }
        work.discard(recorder.record(entryState))
        if work.recorders.last !== recorder { work.recorders.append(recorder) }
    }

    /// Delivers the entry state of a mismatch: another type uses the observer's new key, so no slot delivers to the
    /// observer.
    func announce(_ entryState: EntryState) {
        var replaced: EntryState?  // released outside the lock
        let first = delivery.withLock { delivery -> Call? in
            // An observer that has moved to a slot in the meantime shows that slot instead.
            guard delivery.slot == nil, !delivery.isClosed else { return nil }
            replaced = delivery.waiting
            delivery.waiting = entryState
            return delivery.begin()
        }
        _ = replaced
        if let first { perform(first, with: entryState) }
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
        delivery.withLock { delivery in
            guard !delivery.isClosed else { return nil }
            delivery.nextID += 1
            let (first, more) = (delivery.listeners?.first, delivery.listeners?.more ?? [])
            let new = ListenerList.Added(id: delivery.nextID, after: version, call: listener)
            // The old listeners may be released under the lock, because the new ones retain the same closures.
            _ = delivery.replaceListeners(ListenerList(first: first, more: more + [new]))
            if let onClose { delivery.closers.set(onClose, delivery.nextID) }
            return delivery.nextID
        }
    }

    func removeListener(_ id: UInt64) {
        let old = delivery.withLock { delivery in
            let closer = delivery.closers.remove(id)
            guard let listeners = delivery.listeners else { return (nil as ListenerList?, closer) }
            let left = ListenerList(first: listeners.first, more: listeners.more.filter { $0.id != id })
            return (delivery.replaceListeners(left), closer)
        }
        _ = old  // released outside the lock
    }

    /// Closes the observer. No call begins after this returns.
    func close() {
        let old = delivery.withLock { delivery in
            let isCalling = delivery.isCalling
            let old = delivery
            delivery = DeliveryState(options: old.options)
            delivery.isClosed = true
            // The thread that is calling the listeners releases them.
            delivery.isCalling = isCalling
            if isCalling { delivery.retired = old.retired + [old.listeners].compactMap { $0 } }
            return old
        }
        for close in old.closers { close() }
    }
}

/// Receives every version of an entry, in order, without coalescing.
package protocol VersionRecorder: AnyObject, Sendable {
    /// Records a version. Called under the client's lock, so it must neither call user code nor release a user's value.
    ///
    /// - Returns: The replaced entry state, to be released outside the lock.
    func record(_ entryState: EntryState) -> EntryState?

    /// Acts on the recorded versions. Called without a lock, on the thread that changed the entry.
    func deliverRecorded()
}
