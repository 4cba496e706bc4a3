extension QueryClient {
    /// Observes a query for as long as the observer is retained.
    ///
    /// The first snapshot is available at once, with the cached value if there is one. If the key is used with another
    /// type, the observer shows ``QueryError/typeMismatch(key:existing:requested:)``.
    ///
    /// - Parameters:
    ///   - definition: The query.
    ///   - fileID: The file of the call, and `line` its line. Developer tools show them.
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
    ///   - fileID: The file of the call, and `line` its line. Developer tools show them.
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
        let core = attach(definition, place: place, listener: listener)
        return QueryObserver(core, definition: definition, mismatch: state.withLock { _ in core.mismatch })
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
        let core: ObserverCore
        do {
            let options = options.resolve(definition)
            core = try withSlot(toWatch: definition, with: options) { state, work, moment, slot in
                let core = ObserverCore(
                    client: self, type: Value.self, slot: slot, options: options,
                    isEnabled: options.values.isEnabled && !state.isClosed, follower: follower, place: place)
                if let listener { core.setFirst(listener) }
                attach(core, to: slot, &state, moment, &work)
                return core
            }
        } catch {
            let picture = EntryPicture(key: definition.key, failure: error, at: clock.now(), origin: origin)
            core = transact { _, work, _ in
                let core = ObserverCore(
                    client: self, type: Value.self, slot: nil, options: options.defaults,
                    isEnabled: false, follower: follower)
                core.mismatch = picture
                core.record(picture, &work)
                return core
            }
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
        let terms = ObserverTerms(id: core.id, options: core.options, isEnabled: core.isEnabled)
        if core.isEnabled { state.reportIgnoredOptions(of: core.options, slot, .observed, moment, &work) }
        state.send(.attach(terms), to: slot, moment, &work)
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
            guard let slot = core.slot else { return }
            core.slot = nil
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

    /// Moves an observer to another query, and starts a fetch in the same transaction.
    ///
    /// - Returns: The picture with the error if the key is used with another type, otherwise `nil`.
    func move<Value>(
        _ core: ObserverCore, to definition: QueryDefinition<Value>, fetching fetch: AttachedFetch?
    ) -> EntryPicture? {
        do {
            let options = options.resolve(definition)
            try withSlot(toWatch: definition, with: options) { state, work, moment, slot in
                defer { fetch?.begin(at: slot, for: core, &state, moment, &work) }
                let old = core.slot
                core.mismatch = nil
                let isEnabled = options.values.isEnabled && !state.isClosed
                if old === slot, core.isEnabled == isEnabled,
                    core.options.values.watchesAlike(options.values)
                {
                    // A view that is rebuilt passes the same definition again, which must not cause a notification.
                    return work.discarded.append(options)
                }
                work.discarded.append(core.options)
                core.adopt(options, isEnabled: isEnabled)
                if old === slot {
                    let terms = ObserverTerms(id: core.id, options: core.options, isEnabled: core.isEnabled)
                    return state.send(.renew(terms), to: slot, moment, &work)
                }
                // Attaches to the new slot first, so that a shared fetch is not abandoned in between.
                let id = core.id
                attach(core, to: slot, &state, moment, &work)
                announce(core, at: slot, &work)
                if let old { release(id, from: old, &state, moment, &work) }
            }
            return nil
        } catch {
            detachKeepingListeners(core)
            return EntryPicture(key: definition.key, failure: error, at: clock.now(), origin: origin)
        }
    }

    /// Detaches an observer from a slot that now holds another type, and shows the error.
    func expel(_ core: ObserverCore, from slot: Slot, _ error: QueryError) {
        let picture = transact { state, work, moment -> EntryPicture? in
            guard core.slot === slot else { return nil }
            // The version is newer than all that the observer has seen.
            let picture = EntryPicture(
                key: slot.key, failure: error, version: slot.entry.version + 1, at: moment.now, origin: origin)
            core.slot = nil
            core.mismatch = picture
            if let old = core.begin(nil, seen: nil) { work.discarded.append(old) }
            core.record(picture, &work)
            release(core.id, from: slot, &state, moment, &work)
            return picture
        }
        if let picture { core.announce(picture) }
    }

    private func detachKeepingListeners(_ core: ObserverCore) {
        transact { state, work, moment in
            guard let slot = core.slot else { return }
            core.slot = nil
            if let old = core.begin(nil, seen: nil) { work.discarded.append(old) }
            release(core.id, from: slot, &state, moment, &work)
        }
    }

    func renew(_ core: ObserverCore, isEnabled: Bool) {
        transact { state, work, moment in
            let isEnabled = isEnabled && !state.isClosed
            guard let slot = core.slot, core.isEnabled != isEnabled else { return }
            core.adopt(core.options, isEnabled: isEnabled)
            let terms = ObserverTerms(id: core.id, options: core.options, isEnabled: isEnabled)
            state.send(.renew(terms), to: slot, moment, &work)
        }
    }

    // MARK: Reading

    /// The slot of an observer, and the cause of a fetch that its owner requests. `nil` if it has none.
    func request(of core: ObserverCore) -> (slot: Slot, cause: Cause)? {
        state.withLock { _ in core.slot.map { (slot: $0, cause: core.options.values.named(.requested)) } }
    }

    package func picture(for core: ObserverCore) -> EntryPicture? {
        var old: EntryPicture?
        return state.withLock { _ in core.slot.map { picture(of: $0, replacing: &old) } ?? core.mismatch }
    }

    /// The pictures of several observers, all of one moment.
    func pictures(for cores: [ObserverCore]) -> [EntryPicture?] {
        var replaced: [EntryPicture] = []  // released outside the lock
        return state.withLock { _ in
            cores.map { core -> EntryPicture? in
                guard let slot = core.slot else { return core.mismatch }
                var old: EntryPicture?
                let newest = picture(of: slot, replacing: &old)
                if let old { replaced.append(old) }
                return newest
            }
        }
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
            guard let slot = core.slot else { return (core.add(onClose: onClose, listener), core.mismatch) }
            let newest = pictureNow(of: slot, replacing: &old)
            return (core.add(after: newest.version, onClose: onClose, listener), newest)
        }
    }

    func terms(of core: ObserverCore) -> SnapshotTerms {
        state.withLock { _ in
            SnapshotTerms(staleAfter: core.options.values.staleAfter, isEnabled: core.isEnabled)
        }
    }

    package func emptyPicture(of key: QueryKey) -> EntryPicture {
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
