import PigeonCore

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedWorld {
    /// Performs an action. Unless user code is being called, then runs all resulting work until the rest waits.
    ///
    /// - Parameter moment: The kind of user code within which the action is performed. `nil` for none.
    func perform(_ action: SimulatedAction, within moment: SimulatedMoment? = nil) {
        log?.append("\(action)")
        if case .restart(let flushes, let clock, let losesBatch) = action {
            // A process can end only if no function on the stack retains it.
            if depth == 0 { restart(flushes: flushes, clock: clock, losesBatch: losesBatch) }
        } else if let process {
            perform(action, process, within: moment)
        }
        settle()
    }

    private func perform(_ action: SimulatedAction, _ process: SimulatedProcess, within moment: SimulatedMoment?) {
        switch action {
        case .restart: break
        case .interrupt(let moment, let action):
            guard depth == 0 else { return }
            interruptions[moment, default: []].append(action)
        case .observe, .unobserve, .enable, .switchKey, .iterate: observe(action, process)
        case .fetch, .cancelWait, .cancel, .nextPage, .previousPage, .allPages, .restartList:
            fetch(action, process)
        case .set, .update, .keepFirstPage, .read, .invalidate, .reset, .remove, .clear, .flush:
            write(action, process, within: moment)
        case .mutate(let name, let style): mutate(name, style, process)
        case .change(let name, let choice): server.change(name, choice)
        case .receive, .duplicate, .answer, .fail, .yield: answer(action, process)
        case .wait(let seconds): wait(seconds, process)
        case .network(let isOn):
            let isReturn = isOn && !process.environment.connectivity.isOn
            checkingFetches(.returning, process) {
                process.environment.connectivity.set(isOn)
            } expects: { subject, place in
                isReturn && place.entry.isActive
                    && fetches(subject.options.reconnectTrigger, subject, place.entry)
            }
        case .foreground(let isOn): setActive(isOn, process)
        case .memoryPressure:
            process.environment.memoryPressure.set(true)
            process.environment.memoryPressure.set(false)
        case .disk(let fails): disk.isFailing = fails
        case .slowDisk(let seconds): disk.delay = seconds
        case .tearRecord(let index): disk.tear(index)
        case .flipBit(let index, let bit): disk.flip(bit: bit, of: index)
        case .changeSource, .emptySource, .changeSourceOutside, .holdSource, .releaseSource, .failSource:
            changeSource(action, process)
        }
    }

    // MARK: Observing

    private func observe(_ action: SimulatedAction, _ process: SimulatedProcess) {
        switch action {
        case .observe(let name, let isEnabled):
            guard watches.count < 12, let subject = named[name] else { return }
            checkingFetches(.attaching, process) {
                watches.append(subject.observe(process.client, isEnabled))
            } expects: { other, place in
                other === subject ? isEnabled && fetchesForNewcomer(subject, place.entry) : nil
            }
        case .unobserve(let index):
            guard !watches.isEmpty else { return }
            drop(watches.remove(at: index % watches.count))
        case .enable(let index, let isEnabled):
            guard !watches.isEmpty else { return }
            watches[index % watches.count].setEnabled(isEnabled)
        case .switchKey(let index, let name):
            // Not within a callback, where the observer may still be notified of its old key.
            guard depth == 0, !watches.isEmpty, let subject = named[name] else { return }
            subject.move(watches[index % watches.count])
        case .iterate(let index):
            guard !watches.isEmpty else { return }
            let watch = watches[index % watches.count]
            guard watch.iterations.count < 2, !watch.recorder.isMoving, let key = watch.recorder.key else { return }
            let (recorder, hooks) = (SimulatedObserver(key: key), hooks)
            let task = process.executor.launch(watch.iterate(recorder) { hooks.reach(.observer) })
            watch.iterations.append((recorder, task))
            // An action within the first snapshot may have removed the watch.
            if !watches.contains(where: { $0 === watch }) { drop(watch) }
        default: break
        }
    }

    // MARK: Fetching

    private func fetch(_ action: SimulatedAction, _ process: SimulatedProcess) {
        switch action {
        case .fetch(let name, .beside): _ = named[name]?.fetchBeside(process.client)
        case .fetch(let name, let how): if let subject = named[name] { fetch(subject, how, process.client) }
        case .cancelWait(let index):
            guard !waits.isEmpty else { return }
            waits[index % waits.count].task.cancel()
        case .cancel(let filter):
            for subject in subjects where mayMatch(filter, subject) { subject.model.noteCancellation() }
            process.client.cancel(filter.filter)
        case .nextPage(let name): if let subject = named[name] { fetchPage(.next, of: subject, process.client) }
        case .previousPage(let name): if let subject = named[name] { fetchPage(.previous, of: subject, process.client) }
        case .allPages(let name): if let subject = named[name] { fetchAllPages(of: subject, process.client) }
        case .restartList(let name):
            guard let paging = named[name]?.paging else { return }
            let client = process.client
            start(.fetch, "restart of \(name)") { try await paging.restart(client) }
        default: break
        }
    }

    // MARK: Writing

    private func write(_ action: SimulatedAction, _ process: SimulatedProcess, within moment: SimulatedMoment?) {
        switch action {
        case .set(let name, let keeps):
            guard let subject = named[name], let set = subject.set else { return }
            let stamp = server.stamp()
            subject.model.noteWrite(stamp, keeps: keeps, isWhole: true)
            let isUndisturbed = isUndisturbed && subject.source == nil
            set(process.client, stamp, keeps ? .keep : .fetchWins)
            if isUndisturbed { checkWrite(subject, process) }
            // Of two concurrent writes, the one that returns last counts.
            subject.model.lastWrite = stamp
            noteHeld(subject)
            // The write counts from its end, because an edit that it called may have invalidated the value.
            subject.model.needed = nil
            noteSignOut(since: stamp, during: subject)
            checkHeard(subject, within: moment)
        case .update(let name, let keeps): update(name, keeps, process.client)
        case .keepFirstPage(let name):
            // Writing an equal list changes nothing: a page in flight follows that list too.
            guard let subject = named[name], let paging = subject.paging, paging.count(process.client) ?? 0 > 1 else {
                return
            }
            let stamp = server.stamp()
            subject.model.noteWrite(stamp, keeps: false, isWhole: true)
            paging.keepFirst(process.client, .fetchWins)
            noteHeld(subject)
            noteSignOut(since: stamp, during: subject)
        case .read(let name): if let subject = named[name] { checkReading(subject, process.client) }
        case .invalidate(let filter, let scope):
            let began = server.stamp()
            for subject in subjects where mayMatch(filter, subject) {
                subject.model.invalidatedAt = began
                if depth > 0 { subject.model.isHeldWithin = true }
            }
            for subject in subjects where matches(filter, subject) {
                subject.model.needed = server.version(of: subject.name)
            }
            checkingFetches(.scope, process) {
                process.client.invalidate(filter.filter, refetch: scope.scope)
            } expects: { subject, place in
                filter == .stale ? nil : matches(filter, subject) && refetches(scope, subject, place.entry)
            }
        case .reset(let filter), .remove(let filter):
            isDiskBehind = true
            for subject in subjects where mayMatch(filter, subject) { subject.model.noteReset() }
            if case .reset = action {
                process.client.reset(filter.filter)
            } else {
                process.client.remove(filter.filter)
            }
        case .clear: clear(process.client)
        case .flush:
            let (client, disk) = (process.client, disk)
            start(.flush, "flush") {
                await client.flush()
                disk.state.withLock { if !$0.isFailing { $0.hasFailed = false } }
            }
        default: break
        }
    }

    /// Records a write by the program or a mutation.
    func noteHeld(_ subject: SimulatedSubject) {
        subject.model.heldAt = server.stamp()
        if depth > 0 { subject.model.isHeldWithin = true }
    }

    /// Records a sign-out during a write. The write may take effect after the sign-out.
    private func noteSignOut(since stamp: Int, during subject: SimulatedSubject) {
        if signedOutAt > stamp { subject.model.survivedSignOut = true }
    }

    private func update(_ name: String, _ keeps: Bool, _ client: QueryClient) {
        guard let subject = named[name], let update = subject.update else { return }
        let isMissing = client.inspect().places[subject.key] == nil
        let isOnDisk = subject.isPersisted && disk.record(for: subject.key) != nil && !disk.isTorn(subject.key)
        var last = 0
        let isDone = update(client, keeps ? .keep : .fetchWins) { [server] in
            last = server.stamp()
            return last
        }
        if isDone {
            subject.model.noteWrite(last, keeps: keeps, isWhole: false)
            noteHeld(subject)
        }
        // A record that the disk refused to remove is still on it, but counts as removed.
        let mayBeGone = isDiskBehind || disk.state.withLock { $0.isFailing || $0.hasFailed }
        if !isDone, isMissing, isOnDisk, !mayBeGone, depth == 0 {
            found(.editOnDisk, "\(name) is on disk, and cannot be edited")
        }
    }

    private func clear(_ client: QueryClient) {
        guard waits.count < 30 else { return }
        let began = server.stamp()
        let places = client.inspect().places
        signedOutAt = began
        signedOutEdits = mutationCount
        isDiskBehind = true
        let survivors = subjects.filter(\.model.survivedSignOut)
        for subject in subjects {
            subject.model.noteReset()
            subject.model.possible = []
            subject.model.survivedSignOut = subject.source != nil && places[subject.key] == nil
        }
        let number = mutationCount
        start(.clear, "clear") { [weak self] in
            do {
                try await client.clear()
                self?.cleanSince = max(began, self?.cleanSince ?? 0)
            } catch {
                // Data that could not be removed may be read again, which the error reported to the program.
                self?.signedOutAt = self?.cleanSince ?? 0
                for subject in survivors { subject.model.survivedSignOut = true }
                throw error
            }
        }
        settle()
        guard depth == 0 else { return }
        let running = waits.contains { wait in
            if case .mutation(let other) = wait.kind { other <= number && !wait.isDone() } else { false }
        }
        if running { found(.signOutEndsMutations, "a mutation of before a sign-out runs after it") }
    }

    // MARK: Mutating

    private func mutate(_ name: String, _ style: SimulatedEditStyle, _ process: SimulatedProcess) {
        guard waits.count < 30, let subject = named[name], let mutate = subject.mutate else { return }
        // A custom mutation has only one style, which the rules do not know.
        let style = subject.isKnown ? style : SimulatedEditStyle()
        mutationCount += 1
        let number = mutationCount
        // If a whole value is shown instead of the server's value, a refetch returns it.
        if style.shows == .set { subject.model.disturbances += 1 }
        let (client, life, signedOut) = (process.client, lives, signedOutAt)
        var isOver = false
        start(.mutation(number), "mutation \(number)") { [weak self] in
            var succeeded = false
            defer { self?.end(number, of: subject, style, succeeded: succeeded, life: life) }
            try await mutate(subject, client, number, style)
            succeeded = true
        }
        isOver = !waits.contains { $0.kind == .mutation(number) }
        guard !isOver, style.shows != .nothing, signedOut == signedOutAt else { return }
        if style.shows == .set { subject.model.covering.insert(number) }
        if isShown(number, at: subject, client) {
            subject.model.pending.insert(number)
        } else if !subject.isKnown {
            subject.model.possible.insert(number)
        } else {
            subject.model.late.insert(number)
        }
    }

    private func end(
        _ number: Int, of subject: SimulatedSubject, _ style: SimulatedEditStyle, succeeded: Bool, life: Int
    ) {
        guard life == lives else { return }
        subject.model.end(number, succeeded: succeeded, at: server.stamp())
        // A mutation may cause a refetch of its key, even if it does not invalidate it.
        subject.model.invalidatedAt = server.stamp()
        // A whole value that was written within the invalidation's fetch is newer than the invalidation.
        guard succeeded, style.invalidates, subject.model.succeededAt[number] ?? 0 > subject.model.lastWholeWrite else {
            return
        }
        subject.model.needed = server.version(of: subject.name)
    }

    /// Returns true if an edit is shown. The newest edit is applied on top of all others.
    private func isShown(_ edit: Int, at subject: SimulatedSubject, _ client: QueryClient) -> Bool {
        let shown = client.inspect().places[subject.key]?.entry.shown
        return shown.flatMap { subject.see($0) }?.edits.contains(edit) ?? false
    }

    // MARK: The server

    private func answer(_ action: SimulatedAction, _ process: SimulatedProcess) {
        switch action {
        case .receive(let index): if let call = server.call(at: index) { server.receive(call.id) }
        case .duplicate(let index): if let call = server.call(at: index) { server.duplicate(call.id) }
        case .answer(let index):
            guard let call = server.call(at: index) else { return }
            checkingLanding(call, process) { server.answer(call.id) }
        case .yield(let index):
            guard let call = server.call(at: index), let yield = call.yield else { return }
            checkingEnd(of: call, process) {
                yield(
                    SimulatedValue(
                        call: call.number, version: server.version(of: call.name), edits: server.edits(of: call.name)))
            }
        case .fail(let index, let failure): if let call = server.call(at: index) { fail(call, failure, process) }
        default: break
        }
    }

    private func fail(_ call: SimulatedServer.Call, _ failure: SimulatedFailure, _ process: SimulatedProcess) {
        let place = named[call.name].flatMap { process.client.inspect().places[$0.key] }
        let isNews = isUndisturbed && call.isAwaited
        defer { if isNews { checkRetrying(call, place) } }
        switch failure {
        case .unavailable: server.fail(call.id, with: SimulatedError())
        case .refused: server.fail(call.id, with: SimulatedError(statusCode: 400))
        case .busy(let seconds):
            let wait = Duration.seconds(seconds)
            if call.isAwaited, call.number >= named[call.name]?.model.firstCall ?? 0 {
                busyUntil["\(lives) \(call.origin)"] = process.clock.now().advanced(by: wait)
            }
            server.fail(call.id, with: SimulatedError(statusCode: 429, retryAfter: wait))
        case .lost:
            server.receive(call.id)
            server.fail(call.id, with: SimulatedError(statusCode: 504))
        }
    }

    // MARK: The machine

    private func setActive(_ isActive: Bool, _ process: SimulatedProcess) {
        let wasActive = process.environment.activity.isOn
        if wasActive, !isActive { leftAt = process.clock.now() }
        let isReturn = isActive && !wasActive && leftAt.duration(to: process.clock.now()) >= .seconds(5)
        checkingFetches(.returning, process) {
            process.environment.activity.set(isActive)
        } expects: { subject, place in
            isReturn && place.entry.isActive
                && fetches(subject.options.refetchOnForeground, subject, place.entry)
        }
    }

    private func wait(_ seconds: Int, _ process: SimulatedProcess) {
        checkingPolls(seconds, process) {
            process.clock.advance(by: .seconds(seconds)) { settle() }
        }
        let now = process.clock.now()
        for (key, place) in process.client.inspect().places.sorted(by: { $0.key.queryKeyValue < $1.key.queryKeyValue })
        {
            let entry = place.entry
            let flights = [entry.flight, entry.side?.next.flight, entry.side?.previous.flight].compactMap { $0 }
            let due = [entry.deadline] + flights.flatMap { [$0.limit, $0.retryAt] } + entry.overtaken.map(\.limit)
            for case let deadline? in due where deadline < now {
                found(.timers, "\(key) had something to do \(deadline.duration(to: now)) ago")
            }
        }
        if depth == 0, seconds > 1, !disk.isFailing {
            settle()
            isDiskBehind = waits.contains { $0.kind == .clear }
        }
    }

    /// Waits for a slow disk, which blocks the thread. Timers that become due in the meantime fire.
    func waitForDisk() {
        let seconds = disk.delay
        guard seconds > 0, depth < 2, let process else { return }
        log?.append("  the disk takes \(seconds) s")
        depth += 1
        wait(seconds, process)
        depth -= 1
    }

    // MARK: Sources

    private func changeSource(_ action: SimulatedAction, _ process: SimulatedProcess) {
        guard waits.count < 30 else { return }
        switch action {
        case .changeSource(let name):
            guard let subject = named[name], let source = subject.source, let make = subject.sourceDefinition
            else { return }
            let value = SimulatedValue(call: server.stamp(), version: -1)
            subject.model.noteWrite(value.call, keeps: false, isWhole: true)
            let client = process.client
            start(.other, "change of \(name)") { try await client.change(make()) { try await source.put(value) } }
        case .emptySource(let name):
            guard let subject = named[name], let make = subject.sourceDefinition else { return }
            subject.model.noteReset()
            let client = process.client
            start(.other, "emptying of \(name)") { try await client.clear(make()) }
        case .changeSourceOutside(let name):
            guard let subject = named[name], let source = subject.source else { return }
            let value = SimulatedValue(call: server.stamp(), version: server.version(of: name))
            subject.model.writes.insert(value.call)
            subject.model.written.insert(value.call)
            source.changeOutside(value)
        case .holdSource(let name): named[name]?.source?.hold()
        case .releaseSource(let name): named[name]?.source?.release()
        case .failSource(let name): named[name]?.source?.failNext()
        default: break
        }
    }

    // MARK: Filters

    /// Returns true if a filter certainly concerns a key.
    func matches(_ filter: SimulatedFilter, _ subject: SimulatedSubject) -> Bool {
        switch filter {
        case .key(let name): subject.name == name
        case .path(let path): subject.key.isWithin(QueryKey(canonical: path))
        case .tag(let tag): subject.key.tags.contains(tag)
        case .all: true
        case .stale: false
        }
    }

    /// Returns true if a filter may concern a key.
    func mayMatch(_ filter: SimulatedFilter, _ subject: SimulatedSubject) -> Bool {
        filter == .stale || matches(filter, subject)
    }
}

extension SimulatedFilter {
    var filter: KeyFilter {
        switch self {
        case .key(let name): .key(QueryKey(canonical: name))
        case .path(let path): .path(QueryKey(canonical: path))
        case .tag(let tag): .tag(tag)
        case .all: .all
        case .stale: .all.and(.stale)
        }
    }
}

extension SimulatedScope {
    var scope: RefetchScope {
        switch self {
        case .active: .active
        case .all: .all
        case .none: .none
        case .inactive: .inactive
        }
    }
}
