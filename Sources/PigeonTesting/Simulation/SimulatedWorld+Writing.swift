import PigeonCore

/// Writes, removes and mutates values, and records in the models what follows from that.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedWorld {
    func write(_ action: SimulatedAction, _ process: SimulatedProcess) {
        switch action {
        case .set(let name, let keeps):
            guard let subject = named[name], let set = subject.set else { return }
            let stamp = server.stamp()
            subject.model.noteWrite(stamp, keeps: keeps, isWhole: true)
            set(process.client, stamp, keeps ? .keep : .fetchWins)
            // Of two concurrent writes, the one that returns last counts.
            subject.model.lastWrite = stamp
            checks?.note(.written(subject))
            // The write counts from its end, because an edit that it called may have invalidated the value.
            subject.model.needed = nil
            noteSignOut(since: stamp, during: subject)
        case .update(let name, let keeps): update(name, keeps, process.client)
        case .keepFirstPage(let name):
            // Writing an equal list changes nothing: a page in flight follows that list too.
            guard let subject = named[name], let paging = subject.paging, paging.count(process.client) ?? 0 > 1 else {
                return
            }
            let stamp = server.stamp()
            subject.model.noteWrite(stamp, keeps: false, isWhole: true)
            paging.keepFirst(process.client, .fetchWins)
            checks?.note(.written(subject))
            noteSignOut(since: stamp, during: subject)
        case .read(let name): if let subject = named[name] { checkReading(subject, process.client) }
        case .invalidate(let filter, let scope):
            for subject in subjects where matches(filter, subject) {
                subject.model.needed = server.version(of: subject.name)
            }
            process.client.invalidate(filter.filter, refetch: scope.scope)
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
                if !disk.isFailing { disk.hasFailed = false }
            }
        default: break
        }
    }

    /// Records a sign-out during a write. The write may take effect after the sign-out.
    private func noteSignOut(since stamp: Int, during subject: SimulatedSubject) {
        if signedOutAt > stamp { subject.model.survivedSignOut = true }
    }

    private func update(_ name: String, _ keeps: Bool, _ client: QueryClient) {
        guard let subject = named[name], let update = subject.update else { return }
        let before = state(of: subject)
        let isMissing = before == nil
        let isOnDisk = subject.isPersisted && disk.records[subject.key] != nil && !disk.isTorn(subject.key)
        var last = 0
        let isDone = update(client, keeps ? .keep : .fetchWins) { [server] in
            last = server.stamp()
            return last
        }
        if isDone {
            subject.model.noteWrite(last, keeps: keeps, isWhole: false)
            checks?.note(.written(subject))
        } else if keeps {
            // During a first load, the edit counts as an invalidation (A34).
            if let before, before.base == nil, before.isFetching, isUndisturbed, subject.source == nil {
                subject.model.needed = server.version(of: subject.name)
            }
        }
        // A record that the disk refused to remove is still on it, but counts as removed.
        let mayBeGone = isDiskBehind || disk.isFailing || disk.hasFailed
        if !isDone, isMissing, isOnDisk, !mayBeGone, depth == 0 {
            found(.editOnDisk, "\(name) is on disk, and cannot be edited")
        }
    }

    private func clear(_ client: QueryClient) {
        guard waits.count < 30 else { return }
        let began = server.stamp()
        let states = process?.states ?? [:]
        signedOutAt = began
        signedOutEdits = mutationCount
        isDiskBehind = true
        let survivors = subjects.filter(\.model.survivedSignOut)
        for subject in subjects {
            subject.model.noteReset()
            subject.model.possible = []
            subject.model.survivedSignOut = subject.source != nil && states[subject.key] == nil
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
            if case .mutation(let other) = wait.kind { other <= number && !wait.isDone } else { false }
        }
        if running { found(.signOutEndsMutations, "a mutation of before a sign-out runs after it") }
    }

    // MARK: Mutating

    func mutate(_ name: String, _ style: SimulatedEditStyle, _ process: SimulatedProcess) {
        guard waits.count < 30, let subject = named[name], let mutate = subject.mutate else { return }
        // A custom mutation has only one style, which the rules do not know.
        let style = subject.isKnown ? style : SimulatedEditStyle()
        mutationCount += 1
        let number = mutationCount
        // If a whole value is shown instead of the server's value, a refetch returns it.
        if style.shows == .set { subject.model.disturbances += 1 }
        let (client, life, signedOut) = (process.client, lives, signedOutAt)
        start(.mutation(number), "mutation \(number)") { [weak self] in
            var succeeded = false
            defer { self?.end(number, of: subject, style, succeeded: succeeded, life: life) }
            try await mutate(subject, client, number, style)
            succeeded = true
        }
        let isOver = !waits.contains { $0.kind == .mutation(number) }
        guard !isOver, style.shows != .nothing, signedOut == signedOutAt else { return }
        if style.shows == .set { subject.model.covering.insert(number) }
        if isShown(number, at: subject) {
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
        checks?.note(.mutationEnded(subject))
        // A whole value that was written within the invalidation's fetch is newer than the invalidation.
        guard succeeded, style.invalidates, subject.model.succeededAt[number] ?? 0 > subject.model.lastWholeWrite else {
            return
        }
        subject.model.needed = server.version(of: subject.name)
    }

    /// Returns true if an edit is shown. The newest edit is applied on top of all others.
    private func isShown(_ edit: Int, at subject: SimulatedSubject) -> Bool {
        state(of: subject)?.shown.flatMap { subject.see($0) }?.edits.contains(edit) ?? false
    }
}
