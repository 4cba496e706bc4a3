import PigeonCore

/// Checks that values are shown as the models allow.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedWorld {
    /// Records the first rule that is currently broken.
    func check() {
        guard let process, problem == nil else { return }
        waits.removeAll(where: \.isDone)
        checks?.check()
        let states = process.states
        for subject in subjects {
            if let state = states[subject.key] { check(subject, state) } else { checkAbsence(of: subject) }
        }
        checkObservers()
        if depth == 0, let key = unreported.first {
            found(.damagedRecord, "the disk found the record of \(key) damaged, and no event says so")
        }
        if let edit = server.repeated { found(.repeatedEdit, "mutation \(edit) was made twice") }
    }

    private func checkAbsence(of subject: SimulatedSubject) {
        if !subject.model.pending.isEmpty {
            found(.pendingEdit, "\(subject.name) is gone with pending edits \(subject.model.pending.sorted())")
        }
        let isSafe = subject.isPersisted && !disk.isTorn(subject.key)
        subject.model.noteGone(isPersisted: isSafe)
    }

    private func check(_ subject: SimulatedSubject, _ state: SimulatedState) {
        let base = subject.seen(state.base)
        let shown = state.shown === state.base ? base : subject.see(state.shown)
        subject.model.isAmbiguous = state.isAmbiguous
        guard let base else { return checkEmpty(subject, shown) }
        guard subject.isKnown else { return checkUnknown(subject, state, base, shown ?? base) }
        if base.pages == nil { checkOrder(subject, base) } else if subject.isNew { checkPages(subject, base) }
        checkInvalidation(subject, state, base)
        checkEdits(subject, base, shown ?? base)
    }

    private func checkEmpty(_ subject: SimulatedSubject, _ shown: SeenValue?) {
        subject.model.noteEmpty()
        if let shown, subject.showsEdits { checkEdits(subject, nil, shown) }
        if shown == nil, !subject.model.pending.isDisjoint(with: subject.model.covering) {
            found(.pendingEdit, "\(subject.name) shows nothing with pending edits \(subject.model.pending.sorted())")
        }
    }

    private func checkUnknown(
        _ subject: SimulatedSubject, _ state: SimulatedState, _ base: SeenValue, _ shown: SeenValue
    ) {
        if min(base.version, shown.version) < 0 {
            found(.knownValue, "\(subject.name) shows a value that the server never had")
        }
        checkInvalidation(subject, state, base)
        if subject.showsEdits { checkEdits(subject, base, shown) }
    }

    private func checkOrder(_ subject: SimulatedSubject, _ base: SeenValue) {
        let name = subject.name
        checkSignOut(subject, base.call)
        if subject.model.mutated.contains(base.call) { return }
        if base.call < subject.model.newest, !subject.isPlain {
            found(.order, "\(name) went back from call \(subject.model.newest) to call \(base.call)")
        }
        let isWrite = subject.model.writes.contains(base.call)
        if isWrite, !subject.isPlain, base.call < subject.model.lastWrite, subject.source == nil {
            found(.lostWrite, "\(name) holds write \(base.call), and lost write \(subject.model.lastWrite)")
        }
        if subject.source != nil { return }
        if !subject.model.written.contains(base.call) { subject.model.newest = base.call }
        if !isWrite { subject.model.newestAnswer = max(subject.model.newestAnswer, base.call) }
    }

    /// Checks a value that an observer received, even if only for a short time.
    func checkSeen(_ seen: SeenValue, of key: QueryKey) {
        guard let subject = subject(of: key), subject.paging == nil, subject.source == nil else { return }
        // A write that a sign-out interrupts takes effect after the sign-out.
        if subject.isKnown, !subject.model.writes.contains(seen.call) { checkSignOut(subject, seen.call) }
        for edit in seen.edits where edit <= signedOutEdits && !server.wasApplied(edit) {
            found(.editAfterSignOut, "an observer of \(subject.name) sees edit \(edit), of before a sign-out")
        }
    }

    private func checkSignOut(_ subject: SimulatedSubject, _ call: Int) {
        guard call < signedOutAt, !subject.model.survivedSignOut else { return }
        let rule: SimulationRule =
            if subject.model.mutated.contains(call) {
                .editAfterSignOut
            } else {
                disk.refusedRemoval ? .failedSignOut : .signOut
            }
        found(rule, "\(subject.name) holds call \(call), of before a sign-out")
    }

    private func checkInvalidation(_ subject: SimulatedSubject, _ state: SimulatedState, _ base: SeenValue) {
        guard let needed = subject.model.needed else { return }
        guard base.version < needed else {
            if !state.isFetching { subject.model.needed = nil }
            return
        }
        guard !state.isInvalidated, !state.isLoading else { return }
        found(
            .invalidation,
            "\(subject.name) was invalidated at state \(needed), shows state \(base.version) as fresh, and is not fetched"
        )
    }

    // MARK: Edits

    private func checkEdits(_ subject: SimulatedSubject, _ base: SeenValue?, _ shown: SeenValue) {
        let name = subject.name
        if shown.pages != nil { return }
        if subject.isKnown { checkSignOut(subject, shown.call) }
        let edits = Set(shown.edits)
        let model = subject.model
        for edit in edits where !isKnown(edit, model) {
            let rule: SimulationRule = edit <= mutationCount ? .failedEdit : .knownValue
            found(rule, "\(name) shows edit \(edit), which nobody is making")
        }
        if let base, let edit = repeatedEdit(in: base.edits) {
            found(.foldedEdit, "\(name) holds edit \(edit) more often than the server: \(base.edits)")
        }
        subject.model.covering = model.covering.filter { edit in
            model.pending.contains(edit) || model.late.contains(edit) || model.possible.contains(edit)
                || (model.confirmedAt[edit] ?? .max) > model.newestAnswer
        }
        guard subject.model.covering.isEmpty else { return }
        let hidden = model.pending.subtracting(edits)
        if !hidden.isEmpty { found(.pendingEdit, "\(name) does not show the pending edits \(hidden.sorted())") }
        let late = model.late.subtracting(edits)
        if !late.isEmpty { found(.lateEdit, "\(name) was read after the edits \(late.sorted()), and hides them") }
        let lost = model.confirmed.subtracting(edits)
        if !lost.isEmpty { found(.confirmedEdit, "\(name) lost the confirmed edits \(lost.sorted())") }
        let isSettled: (Int) -> Bool = { model.newestAnswer > model.confirmedAt[$0] ?? .max }
        if let edit = repeatedEdit(in: shown.edits, where: isSettled) {
            found(.doubleEdit, "\(name) shows edit \(edit) twice after it was asked again")
        }
    }

    /// Returns an edit that the value includes more than once, and more often than the server made it.
    private func repeatedEdit(in edits: [Int], where isMeant: (Int) -> Bool = { _ in true }) -> Int? {
        let once = Set(edits)
        guard once.count != edits.count else { return nil }
        return once.sorted().first { edit in
            isMeant(edit) && edits.count { $0 == edit } > max(1, server.applications(of: edit))
        }
    }

    private func isKnown(_ edit: Int, _ model: SimulatedModel) -> Bool {
        model.pending.contains(edit) || model.late.contains(edit) || model.possible.contains(edit)
            || server.wasApplied(edit)
    }

    // MARK: Lists

    private func checkPages(_ subject: SimulatedSubject, _ base: SeenValue) {
        guard let pages = base.pages else { return }
        let name = subject.name
        for page in pages { checkSignOut(subject, page.call) }
        for (page, following) in zip(pages, pages.dropFirst()) where page.next != following.id {
            found(.pageOrder, "\(name) has a hole: \(pages.map(\.id))")
        }
        if let last = pages.last, last.next != base.nextID {
            found(.pageOrder, "\(name) goes on at \(base.nextID.map(String.init) ?? "no page"), not after \(last.id)")
        }
    }

    // MARK: Observers

    private func checkObservers() {
        for watch in watches {
            let recorder = watch.recorder
            if let text = recorder.problem { found(.delivery, text) }
            let shown = watch.shown()
            if let last = recorder.lastVersion, last != shown.version {
                found(
                    .delivery, "an observer of \(recorder.key) saw version \(last) last, and missed \(shown.version)")
            }
            if recorder.lastIsStale == false, shown.isStale {
                found(.ageing, "the value of \(recorder.key) turned stale, and its observer was not notified")
            }
            for iteration in watch.iterations {
                if let text = iteration.recorder.problem { found(.sequence, "in a sequence, \(text)") }
                if depth == 0 { iteration.recorder.endMove() }
            }
        }
    }

    func checkReading(_ subject: SimulatedSubject, _ client: QueryClient) {
        let (_, age) = subject.look(client)
        guard let age else { return }
        for watch in watches where watch.recorder.key == subject.key {
            guard let shown = watch.shown().age, shown != age else { continue }
            found(.observedAge, "an observer of \(subject.name) shows an age of \(shown) instead of \(age)")
        }
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedSubject {
    fileprivate func see(_ payload: Payload?) -> SeenValue? { payload.flatMap { see($0) } }
}
