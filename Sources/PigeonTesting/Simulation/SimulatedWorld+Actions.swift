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
            checking(action, within: moment) { perform(action, process) }
        }
        settle()
    }

    /// Performs an action, and calls the further checks before and after it.
    func checking(_ action: SimulatedAction, within moment: SimulatedMoment? = nil, _ perform: () -> Void) {
        let check = checks?.begin(action, within: moment)
        perform()
        check?()
    }

    private func perform(_ action: SimulatedAction, _ process: SimulatedProcess) {
        switch action {
        case .restart: break
        case .interrupt(let moment, let action):
            guard depth == 0 else { return }
            interruptions[moment, default: []].append(action)
        case .observe, .unobserve, .enable, .switchKey, .iterate: observe(action, process)
        case .fetch, .cancelWait, .cancel, .nextPage, .previousPage, .allPages, .restartList:
            fetch(action, process)
        case .set, .update, .keepFirstPage, .read, .invalidate, .reset, .remove, .clear, .flush:
            write(action, process)
        case .mutate(let name, let style): mutate(name, style, process)
        case .change(let name, let choice): server.change(name, choice)
        case .receive, .duplicate, .answer, .fail, .yield: answer(action)
        case .wait(let seconds): wait(seconds, process)
        case .network(let isOn): process.environment.connectivity.set(isOn)
        case .foreground(let isOn): process.environment.activity.set(isOn)
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
            watches.append(subject.observe(process.client, isEnabled))
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
            guard watch.iterations.count < 2, !watch.recorder.isMoving else { return }
            let (recorder, hooks) = (SimulatedObserver(key: watch.recorder.key), hooks)
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
        case .fetch(let name, .beside): named[name]?.fetchBeside(process.client)
        case .fetch(let name, let how): if let subject = named[name] { fetch(subject, how, process.client) }
        case .cancelWait(let index):
            guard !waits.isEmpty else { return }
            waits[index % waits.count].task?.cancel()
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

    // MARK: The server

    private func answer(_ action: SimulatedAction) {
        switch action {
        case .receive(let index): if let call = server.call(at: index) { server.receive(call.id) }
        case .duplicate(let index): if let call = server.call(at: index) { server.duplicate(call.id) }
        case .answer(let index): if let call = server.call(at: index) { server.answer(call.id) }
        case .yield(let index):
            guard let call = server.call(at: index), let yield = call.yield else { return }
            yield(
                SimulatedValue(
                    call: call.number, version: server.version(of: call.name), edits: server.edits(of: call.name)))
        case .fail(let index, let failure): if let call = server.call(at: index) { fail(call, failure) }
        default: break
        }
    }

    private func fail(_ call: SimulatedServer.Call, _ failure: SimulatedFailure) {
        switch failure {
        case .unavailable: server.fail(call.id, with: SimulatedError())
        case .refused: server.fail(call.id, with: SimulatedError(statusCode: 400))
        case .busy(let seconds):
            server.fail(call.id, with: SimulatedError(statusCode: 429, retryAfter: .seconds(seconds)))
        case .lost:
            server.receive(call.id)
            server.fail(call.id, with: SimulatedError(statusCode: 504))
        }
    }

    // MARK: The machine

    private func wait(_ seconds: Int, _ process: SimulatedProcess) {
        process.clock.advance(by: .seconds(seconds)) { settle() }
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
        checking(.wait(seconds)) { wait(seconds, process) }
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
    package func matches(_ filter: SimulatedFilter, _ subject: SimulatedSubject) -> Bool {
        switch filter {
        case .key(let name): subject.name == name
        case .path(let path): subject.key.isWithin(QueryKey(canonical: path))
        case .tag(let tag): subject.key.tags.contains(tag)
        case .all: true
        case .stale: false
        }
    }

    /// Returns true if a filter may concern a key.
    package func mayMatch(_ filter: SimulatedFilter, _ subject: SimulatedSubject) -> Bool {
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
