extension QueryClient {
    /// Observes a query for as long as the observer is retained.
    ///
    /// The first snapshot is available at once, with the cached value if there is one. If the key is used with another
    /// type, the observer shows ``QueryError/typeMismatch(key:existing:requested:)``.
    ///
    /// - Parameters:
    ///   - definition: The query.
    ///   - fileID: The file of the call. Developer tools show it.
    ///   - line: The line of the call.
    public func observe<Value>(
        _ definition: QueryDefinition<Value>, fileID: StaticString = #fileID, line: UInt = #line
    ) -> QueryObserver<Value> {
        observe(definition, CodeLocation(fileID, line))
    }

    /// Observes a query, and calls `onChange` with every snapshot after the first one, on the thread that changed the
    /// entry.
    ///
    /// - Parameters:
    ///   - definition: The query.
    ///   - fileID: The file of the call. Developer tools show it.
    ///   - line: The line of the call.
    ///   - onChange: Called with every snapshot after the first one.
    @inlinable
    public func observe<Value>(
        _ definition: QueryDefinition<Value>, fileID: StaticString = #fileID, line: UInt = #line,
        onChange: @escaping @Sendable (Snapshot<Value>) -> Void
    ) -> QueryObserver<Value> {
        let placeholder = definition.placeholder
        return observe(definition, CodeLocation(fileID, line)) { entryState, options in
            onChange(
                Snapshot(entryState, options: options, placeholder: entryState.payload == nil ? placeholder?(nil) : nil)
            )
        }
    }

    @usableFromInline
    package func observe<Value>(
        _ definition: QueryDefinition<Value>, _ location: CodeLocation, listener: ObserverCore.Listener? = nil
    ) -> QueryObserver<Value> {
        QueryObserver(attach(definition, location: location, listener: listener), definition: definition)
    }

    /// Observes a query until ``detach(_:)`` is called, and delivers entry states instead of snapshots.
    ///
    /// - Parameters:
    ///   - recorder: Records the first entry state and every later version.
    ///   - deliversFirst: True to call the listener with the first entry state too. If a source of truth is being read, that
    ///     is the one after the reading.
    ///   - listener: Called with every entry state after the first one, on the thread that changed the entry. Skips
    ///     versions that follow each other too fast.
    package func attach<Value>(
        _ definition: QueryDefinition<Value>, recorder: (any VersionRecorder)? = nil, location: CodeLocation? = nil,
        deliversFirst: Bool = false, listener: ObserverCore.Listener? = nil
    ) -> ObserverCore {
        let options = options.resolve(definition)
        let core = ObserverCore(
            client: self, type: Value.self, options: options, recorder: recorder, location: location, listener: listener
        )
        do {
            // The caller may be a model that SwiftUI makes during an update (X3).
            try Attaching.through(self) {
                try withSlot(toWatch: definition, with: options) { state, slot in
                    core.adopt(options, isEnabled: options.values.isEnabled && !state.isClosed)
                    attach(core, to: slot, &state)
                    if deliversFirst, !state.isClosed, slot.entry.sourceWork.isIdle { announce(core, at: slot, &state) }
                }
            }
        } catch {
            let entryState = EntryState(key: definition.key, failure: error, at: clock.now(), origin: origin)
            transact { state in show(entryState, on: core, &state) }
            if deliversFirst { core.announce(entryState) }
        }
        // One that was attached before the client closed is ended with all others.
        if isClosed { core.close() }
        return core
    }

    /// Attaches an observer. Called under the lock. The changes that attaching causes count as seen by the observer.
    private func attach(_ core: ObserverCore, to slot: Slot, _ state: inout ClientState) {
        core.attach(to: slot, as: state.makeID())
        if core.isEnabled { state.reportIgnoredOptions(of: core.options, slot, .observed) }
        state.send(.attach(core.attachedObserver), to: slot)
        // An observer of a source of truth is notified once the source has been read, even if nothing changes.
        let isIdle = slot.entry.sourceWork.isIdle
        state.discard(core.begin(slot, seen: isIdle ? slot.entry.version : nil))
        if !isIdle, slot.extras?.firstNewObserver == nil { slot.makeExtras().firstNewObserver = core.id }
        slot.observers.set(core, core.id)
        if core.recorder != nil {
            slot.makeExtras().recorders.append(core)
            record(slot, for: [core], &state.work)
        }
        // Existing observers are notified that a fetch began. The new one reads it in its first snapshot.
    }

    /// Schedules a delivery of a slot to one observer, whether or not the slot changes. Called under the lock.
    private func announce(_ core: ObserverCore, at slot: Slot, _ state: inout ClientState) {
        core.deliverAgain()
        state.work.addRare { $0.announcements.append((core, slot)) }
    }

    /// Delivers the current state to an attached observer, in order with its other deliveries.
    package func announce(_ core: ObserverCore) {
        transact { state in
            if let slot = core.slot { announce(core, at: slot, &state) }
        }
    }

    package func detach(_ core: ObserverCore) {
        core.close()
        transact { state in
            guard let slot = core.slot.take() else { return }
            release(core.id, from: slot, &state)
        }
    }

    /// Detaches an observer, which continues to show its last entry state.
    func cancel(_ core: ObserverCore) {
        core.close()
        transact { state in
            guard let slot = core.slot.take() else { return }
            var old: EntryState?
            core.substitute = entryState(of: slot, replacing: &old)
            state.discard(old)
            release(core.id, from: slot, &state)
        }
    }

    private func release(_ id: UInt64, from slot: Slot, _ state: inout ClientState) {
        if let core = slot.observers.remove(id) {
            if core.recorder != nil { slot.extras?.recorders.removeAll { $0 === core } }
            state.discard(core)
        }
        if slot.observers.isEmpty, let entryState = slot.entryState {
            // Without observers no delivery replaces the entry state, so it would retain the value.
            slot.entryState = nil
            state.discard(entryState)
        }
        if slot.observers.isEmpty, let watch = slot.extras?.watch {
            slot.extras?.watch = nil
            state.discard(watch)
        }
        state.entries.use(slot)
        state.send(.detach(observer: id), to: slot)
    }

    /// Moves an observer to another query, and starts a fetch in the same transaction. If the key is used with another
    /// type, the observer shows the error.
    func move<Value>(_ core: ObserverCore, to definition: QueryDefinition<Value>, fetching fetch: AttachedFetch?) {
        do {
            let options = options.resolve(definition)
            try Attaching.through(self) {
                try withSlot(toWatch: definition, with: options) { state, slot in
                    defer { fetch?.begin(at: slot, for: core, &state) }
                    let old = core.slot
                    state.discard(core.substitute.take())
                    let isEnabled = options.values.isEnabled && !state.isClosed
                    if old === slot, core.isEnabled == isEnabled,
                        core.options.values.watchesAlike(options.values)
                    {
                        // A view that is rebuilt passes the same definition again, which must not cause a notification.
                        return state.discard(options)
                    }
                    state.discard(core.options)
                    core.adopt(options, isEnabled: isEnabled)
                    if old === slot { return state.send(.renew(core.attachedObserver), to: slot) }
                    move(core, from: old, to: slot, &state)
                }
            }
        } catch {
            let entryState = EntryState(key: definition.key, failure: error, at: clock.now(), origin: origin)
            transact { state in show(entryState, on: core, &state) }
            core.announce(entryState)
        }
    }

    /// Moves an observer to another slot. Called under the lock.
    func move(_ core: ObserverCore, from old: Slot?, to slot: Slot, _ state: inout ClientState) {
        // Attaches to the new slot first, so that a shared fetch is not abandoned in between.
        let id = core.id
        attach(core, to: slot, &state)
        announce(core, at: slot, &state)
        if let old { release(id, from: old, &state) }
    }

    /// Detaches an observer from a slot that now holds another type, and shows the error.
    func expel(_ core: ObserverCore, from slot: Slot, _ error: QueryError) {
        let entryState = transact { state -> EntryState? in
            guard core.slot === slot else { return nil }
            // The version is newer than all that the observer has seen.
            let entryState = EntryState(
                key: slot.key, failure: error, version: slot.entry.version + 1, at: state.now, origin: origin)
            show(entryState, on: core, &state)
            return entryState
        }
        if let entryState { core.announce(entryState) }
    }

    /// Detaches an observer whose key holds another type, and lets it show the error. Called under the lock. The caller
    /// announces the entry state.
    private func show(_ mismatch: EntryState, on core: ObserverCore, _ state: inout ClientState) {
        state.discard(core.substitute)
        core.substitute = mismatch
        state.discard(core.begin(nil, seen: nil))
        core.record(mismatch, &state.work)
        if let slot = core.slot.take() { release(core.id, from: slot, &state) }
    }

    func renew(_ core: ObserverCore, isEnabled: Bool) {
        Attaching.through(self) {
            transact { state in
                let isEnabled = isEnabled && !state.isClosed
                guard let slot = core.slot, core.isEnabled != isEnabled else { return }
                core.adopt(core.options, isEnabled: isEnabled)
                state.send(.renew(core.attachedObserver), to: slot)
            }
        }
    }

    // MARK: Reading

    /// The slot of an observer, and the cause of a fetch that its owner requests.
    ///
    /// - Throws: ``QueryError/typeMismatch(key:existing:requested:)`` if the key holds another type, or
    ///   `CancellationError` if the observer was cancelled.
    func request(of core: ObserverCore) throws -> (slot: Slot, cause: Cause) {
        try state.withLock { _ in
            guard let slot = core.slot else {
                if let error = core.substitute?.failure?.error, case QueryError.typeMismatch = error { throw error }
                throw CancellationError()
            }
            return (slot, core.options.values.named(.requested))
        }
    }

    /// The entry state that an observer shows, if any, and the options of its snapshots.
    func view(of core: ObserverCore) -> (entryState: EntryState?, options: SnapshotOptions) {
        var old: EntryState?  // released outside the lock
        return state.withLock { _ in view(of: core, replacing: &old) }
    }

    /// The same for several observers, all read at the same time.
    func views(of cores: [ObserverCore]) -> [(entryState: EntryState?, options: SnapshotOptions)] {
        var replaced: [EntryState] = []  // released outside the lock
        return state.withLock { _ in
            cores.map { core in
                var old: EntryState?
                let newest = view(of: core, replacing: &old)
                if let old { replaced.append(old) }
                return newest
            }
        }
    }

    private func view(
        of core: ObserverCore, replacing old: inout EntryState?
    ) -> (entryState: EntryState?, options: SnapshotOptions) {
        guard let slot = core.slot else { return (core.substitute, core.snapshotOptions) }
        return (entryState(of: slot, replacing: &old), core.snapshotOptions)
    }

    /// Adds a listener that is called with each entry state newer than the returned one.
    ///
    /// - Returns: The identifier that removes the listener, or `nil` if the observer is closed, and the current
    ///   entry state, or `nil` if there is none.
    func follow(
        _ core: ObserverCore, onClose: @escaping @Sendable () -> Void, _ listener: @escaping ObserverCore.Listener
    ) -> (id: UInt64?, entryState: EntryState?) {
        var old: EntryState?
        return state.withLock { _ -> (UInt64?, EntryState?) in
            guard let slot = core.slot else { return (core.add(onClose: onClose, listener), core.substitute) }
            let newest = captureEntryState(of: slot, replacing: &old)
            return (core.add(after: newest.version, onClose: onClose, listener), newest)
        }
    }

    func snapshotOptions(of core: ObserverCore) -> SnapshotOptions {
        state.withLock { _ in core.snapshotOptions }
    }

    func emptyEntryState(of key: QueryKey) -> EntryState {
        let entry = Entry(options: ResolvedOptions(QueryOptions()))
        return EntryState(entry, key: key, at: clock.now(), origin: origin)
    }
}

/// A fetch that starts in the transaction in which an observer begins to observe a query.
package struct AttachedFetch: Sendable {
    private let cause: Cause
    private let mode: FetchMode
    private let fromStart: Bool
    private let isNeeded: @Sendable (EntryTimes, StaleTime) -> Bool

    /// - Parameters:
    ///   - fromStart: True to load a list again from its first page.
    ///   - isNeeded: Returns false if the existing value makes the fetch unnecessary. Receives the stale time of the observed
    ///     definition. Called under the client's lock, so it must call no user code.
    package init(
        _ cause: Cause, mode: FetchMode, fromStart: Bool = false,
        ifNeeded isNeeded: @escaping @Sendable (EntryTimes, StaleTime) -> Bool = { _, _ in true }
    ) {
        (self.cause, self.mode, self.fromStart, self.isNeeded) = (cause, mode, fromStart, isNeeded)
    }

    fileprivate func begin(at slot: Slot, for core: ObserverCore, _ state: inout ClientState) {
        let options = core.options.values
        guard slot.entry.hasFetcher, isNeeded(slot.times(at: state.now), options.staleAfter) else { return }
        state.send(.fetch(options.named(cause), mode: mode, fromStart: fromStart), to: slot)
    }
}
