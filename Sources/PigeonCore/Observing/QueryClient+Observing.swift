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
        observe(definition, CodePlace(fileID, line))
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
        return observe(definition, CodePlace(fileID, line)) { picture, terms in
            onChange(
                Snapshot(picture, terms: terms, placeholder: picture.payload == nil ? placeholder?(nil) : nil))
        }
    }

    @usableFromInline
    package func observe<Value>(
        _ definition: QueryDefinition<Value>, _ place: CodePlace, listener: ObserverCore.Listener? = nil
    ) -> QueryObserver<Value> {
        QueryObserver(attach(definition, place: place, listener: listener), definition: definition)
    }

    /// Observes a query until ``detach(_:)`` is called, and delivers pictures instead of snapshots.
    ///
    /// - Parameters:
    ///   - follower: Records the first picture and every later version.
    ///   - listener: Called with every picture after the first one, on the thread that changed the entry. Skips
    ///     versions that follow each other too fast.
    package func attach<Value>(
        _ definition: QueryDefinition<Value>, follower: (any VersionFollower)? = nil, place: CodePlace? = nil,
        listener: ObserverCore.Listener? = nil
    ) -> ObserverCore {
        let options = options.resolve(definition)
        let core = ObserverCore(
            client: self, type: Value.self, options: options, follower: follower, place: place, listener: listener)
        do {
            try withSlot(toWatch: definition, with: options) { state, work, moment, slot in
                core.adopt(options, isEnabled: options.values.isEnabled && !state.isClosed)
                attach(core, to: slot, &state, moment, &work)
            }
        } catch {
            let picture = EntryPicture(key: definition.key, failure: error, at: clock.now(), origin: origin)
            transact { state, work, moment in show(picture, on: core, &state, moment, &work) }
        }
        // One that was attached before the client closed is ended with all others.
        if isClosed { core.close() }
        return core
    }

    /// Attaches an observer. Called under the lock. The changes that attaching causes count as seen by the observer.
    private func attach(
        _ core: ObserverCore, to slot: Slot, _ state: inout ClientState, _ moment: Moment, _ work: inout Work
    ) {
        core.attach(to: slot, as: state.makeID())
        if core.isEnabled { state.reportIgnoredOptions(of: core.options, slot, .observed, moment, &work) }
        state.send(.attach(core.entryTerms), to: slot, moment, &work)
        // An observer of a source of truth is notified once the source has been read, even if nothing changes.
        let isIdle = slot.entry.sourceWork.isIdle
        if let old = core.begin(slot, seen: isIdle ? slot.entry.version : nil) { work.discarded.append(old) }
        if !isIdle, slot.extras?.firstNewcomer == nil { slot.makeExtras().firstNewcomer = core.id }
        slot.observers.set(core, core.id)
        if core.follower != nil {
            slot.makeExtras().followers.append(core)
            record(slot, for: [core], &work)
        }
        // Existing observers are notified that a fetch began. The new one reads it in its first snapshot.
    }

    /// Schedules a delivery of a slot to one observer, whether or not the slot changes. Called under the lock.
    private func announce(_ core: ObserverCore, at slot: Slot, _ work: inout Work) {
        core.deliverAgain()
        work.announcements.append((core, slot))
    }

    /// Delivers the current state to an observer, in order with its other deliveries.
    ///
    /// - Returns: True if the observer is attached.
    package func announce(_ core: ObserverCore) -> Bool {
        transact { _, work, _ in
            guard let slot = core.slot else { return false }
            announce(core, at: slot, &work)
            return true
        }
    }

    package func detach(_ core: ObserverCore) {
        core.close()
        transact { state, work, moment in
            guard let slot = core.slot.take() else { return }
            release(core.id, from: slot, &state, moment, &work)
        }
    }

    /// Detaches an observer, which goes on showing its last picture.
    func cancel(_ core: ObserverCore) {
        core.close()
        transact { state, work, moment in
            guard let slot = core.slot.take() else { return }
            var old: EntryPicture?
            core.substitute = picture(of: slot, replacing: &old)
            if let old { work.discarded.append(old) }
            release(core.id, from: slot, &state, moment, &work)
        }
    }

    private func release(
        _ id: UInt64, from slot: Slot, _ state: inout ClientState, _ moment: Moment, _ work: inout Work
    ) {
        if let core = slot.observers.remove(id) {
            if core.follower != nil { slot.extras?.followers.removeAll { $0 === core } }
            work.discarded.append(core)
        }
        if slot.observers.isEmpty, let picture = slot.picture {
            // Without observers no delivery replaces the picture, so it would retain the value.
            slot.picture = nil
            work.discarded.append(picture)
        }
        if slot.observers.isEmpty, let watch = slot.extras?.watch {
            slot.extras?.watch = nil
            work.discarded.append(watch)
        }
        state.entries.use(slot)
        state.send(.detach(observer: id), to: slot, moment, &work)
    }

    /// Moves an observer to another query, and starts a fetch in the same transaction. If the key is used with another
    /// type, the observer shows the error.
    func move<Value>(
        _ core: ObserverCore, to definition: QueryDefinition<Value>, fetching fetch: AttachedFetch?
    ) {
        do {
            let options = options.resolve(definition)
            try withSlot(toWatch: definition, with: options) { state, work, moment, slot in
                defer { fetch?.begin(at: slot, for: core, &state, moment, &work) }
                let old = core.slot
                if let old = core.substitute.take() { work.discarded.append(old) }
                let isEnabled = options.values.isEnabled && !state.isClosed
                if old === slot, core.isEnabled == isEnabled,
                    core.options.values.watchesAlike(options.values)
                {
                    // A view that is rebuilt passes the same definition again, which must not cause a notification.
                    return work.discarded.append(options)
                }
                work.discarded.append(core.options)
                core.adopt(options, isEnabled: isEnabled)
                if old === slot { return state.send(.renew(core.entryTerms), to: slot, moment, &work) }
                move(core, from: old, to: slot, &state, moment, &work)
            }
        } catch {
            let picture = EntryPicture(key: definition.key, failure: error, at: clock.now(), origin: origin)
            transact { state, work, moment in show(picture, on: core, &state, moment, &work) }
            core.announce(picture)
        }
    }

    /// Moves an observer to another slot. Called under the lock.
    func move(
        _ core: ObserverCore, from old: Slot?, to slot: Slot, _ state: inout ClientState, _ moment: Moment,
        _ work: inout Work
    ) {
        // Attaches to the new slot first, so that a shared fetch is not abandoned in between.
        let id = core.id
        attach(core, to: slot, &state, moment, &work)
        announce(core, at: slot, &work)
        if let old { release(id, from: old, &state, moment, &work) }
    }

    /// Detaches an observer from a slot that now holds another type, and shows the error.
    func expel(_ core: ObserverCore, from slot: Slot, _ error: QueryError) {
        let picture = transact { state, work, moment -> EntryPicture? in
            guard core.slot === slot else { return nil }
            // The version is newer than all that the observer has seen.
            let picture = EntryPicture(
                key: slot.key, failure: error, version: slot.entry.version + 1, at: moment.now, origin: origin)
            show(picture, on: core, &state, moment, &work)
            return picture
        }
        if let picture { core.announce(picture) }
    }

    /// Detaches an observer whose key holds another type, and lets it show the error. Called under the lock. The caller
    /// announces the picture.
    private func show(
        _ mismatch: EntryPicture, on core: ObserverCore, _ state: inout ClientState, _ moment: Moment,
        _ work: inout Work
    ) {
        if let old = core.substitute { work.discarded.append(old) }
        core.substitute = mismatch
        if let old = core.begin(nil, seen: nil) { work.discarded.append(old) }
        core.record(mismatch, &work)
        if let slot = core.slot.take() { release(core.id, from: slot, &state, moment, &work) }
    }

    func renew(_ core: ObserverCore, isEnabled: Bool) {
        transact { state, work, moment in
            let isEnabled = isEnabled && !state.isClosed
            guard let slot = core.slot, core.isEnabled != isEnabled else { return }
            core.adopt(core.options, isEnabled: isEnabled)
            state.send(.renew(core.entryTerms), to: slot, moment, &work)
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

    package func picture(for core: ObserverCore) -> EntryPicture? { view(of: core).picture }

    /// The picture that an observer shows, if any, and the terms of its snapshots.
    func view(of core: ObserverCore) -> (picture: EntryPicture?, terms: SnapshotTerms) {
        var old: EntryPicture?  // released outside the lock
        return state.withLock { _ in view(of: core, replacing: &old) }
    }

    /// The same of several observers, all of one moment.
    func views(of cores: [ObserverCore]) -> [(picture: EntryPicture?, terms: SnapshotTerms)] {
        var replaced: [EntryPicture] = []  // released outside the lock
        return state.withLock { _ in
            cores.map { core in
                var old: EntryPicture?
                let newest = view(of: core, replacing: &old)
                if let old { replaced.append(old) }
                return newest
            }
        }
    }

    private func view(
        of core: ObserverCore, replacing old: inout EntryPicture?
    ) -> (picture: EntryPicture?, terms: SnapshotTerms) {
        guard let slot = core.slot else { return (core.substitute, core.snapshotTerms) }
        return (picture(of: slot, replacing: &old), core.snapshotTerms)
    }

    /// Adds a listener that is called with each picture newer than the returned one.
    ///
    /// - Returns: The identifier that removes the listener, or `nil` if the observer is closed, and the current
    ///   picture, or `nil` if there is none.
    func follow(
        _ core: ObserverCore, onClose: @escaping @Sendable () -> Void, _ listener: @escaping ObserverCore.Listener
    ) -> (id: UInt64?, picture: EntryPicture?) {
        var old: EntryPicture?
        return state.withLock { _ -> (UInt64?, EntryPicture?) in
            guard let slot = core.slot else { return (core.add(onClose: onClose, listener), core.substitute) }
            let newest = pictureNow(of: slot, replacing: &old)
            return (core.add(after: newest.version, onClose: onClose, listener), newest)
        }
    }

    func terms(of core: ObserverCore) -> SnapshotTerms {
        state.withLock { _ in core.snapshotTerms }
    }

    func emptyPicture(of key: QueryKey) -> EntryPicture {
        let entry = Entry(key: key, options: ResolvedOptions(QueryOptions()))
        return EntryPicture(entry, at: clock.now(), origin: origin)
    }
}

/// A fetch that starts in the transaction in which an observer begins to observe a query.
package struct AttachedFetch: Sendable {
    private let cause: Cause
    private let mode: FetchMode
    private let fromStart: Bool
    private let need: Need

    /// The values that make the fetch unnecessary.
    package enum Need: Sendable {
        /// No value does.
        case always
        /// A value that is valid by a policy.
        case unlessValid(QueryCacheConfig.InvalidationPolicy)
        /// A value that is fresh by the options of the observed definition.
        case unlessFresh
    }

    /// - Parameters:
    ///   - fromStart: True to load a list again from its first page.
    ///   - need: Defines the values that make the fetch unnecessary.
    package init(_ cause: Cause, mode: FetchMode, fromStart: Bool = false, _ need: Need = .always) {
        self.cause = cause
        self.mode = mode
        self.fromStart = fromStart
        self.need = need
    }

    fileprivate func begin(
        at slot: Slot, for core: ObserverCore, _ state: inout ClientState, _ moment: Moment, _ work: inout Work
    ) {
        guard slot.entry.hasFetcher, !isNeedless(at: slot, for: core, moment) else { return }
        let cause = core.options.values.named(cause)
        state.send(.fetch(cause, mode: mode, fromStart: fromStart), to: slot, moment, &work)
    }

    private func isNeedless(at slot: Slot, for core: ObserverCore, _ moment: Moment) -> Bool {
        switch need {
        case .always: false
        case .unlessValid(let policy):
            slot.entry.shown != nil && !slot.entry.isInvalidated
                && policy.isValid(age: slot.entry.writtenAt.duration(to: moment.now).inSeconds)
        case .unlessFresh:
            slot.entry.shown != nil && !slot.entry.isStale(for: core.options.values.staleAfter, at: moment.now)
        }
    }
}
