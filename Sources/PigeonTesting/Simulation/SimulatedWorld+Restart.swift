import PigeonCore

/// Ends the program and starts it again, with the same disk.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedWorld {
    private struct Expectation {
        let subject: SimulatedSubject
        let base: SeenValue
        let confirmed: Set<Int>
        let age: Duration
        let wasStale: Bool
    }

    /// - Parameters:
    ///   - flushes: True if the program waits until everything is written before it ends.
    ///   - clock: The number of seconds by which the wall clock is set forward or back in the meantime.
    ///   - losesBatch: True if the disk loses the last batch.
    func restart(flushes: Bool, clock: Int, losesBatch: Bool) {
        let expectations = flushes ? flush() : nil
        let isSignedOut = !waits.contains { $0.kind == .clear }
        kill()
        checkReleased()
        if !isSignedOut { signedOutAt = cleanSince }
        if losesBatch, expectations == nil { disk.rewind() }
        for subject in subjects {
            subject.model.noteRestart(keepsDisk: expectations != nil && subject.isPersisted)
        }
        wallTime += Double(clock)
        if clock < 0 { hasGoneBack = true }
        boot()
        for expectation in expectations ?? [] { check(expectation, clock) }
    }

    /// - Returns: The data that is certainly on disk. `nil` if the disk did not accept everything.
    private func flush() -> [Expectation]? {
        guard let process, !disk.isFailing, waits.count < 30 else { return nil }
        // Changes during the flush need not be on disk when it ends.
        interruptions = [:]
        let client = process.client
        start(.flush, "flush") { await client.flush() }
        settle()
        check()
        let isDone = !waits.contains { $0.kind == .flush || $0.kind == .clear }
        guard isDone, !disk.isFailing else { return nil }
        let states = process.states
        let now = process.clock.now()
        return subjects.compactMap { subject in
            guard subject.isPersisted, let state = states[subject.key], let stored = state.stored,
                let seen = subject.see(stored), !disk.isTorn(subject.key)
            else { return nil }
            return Expectation(
                // An answer that arrived in the meantime may or may not include a confirmed edit, so the edit is not
                // written with it.
                subject: subject, base: seen,
                confirmed: state.isAmbiguous ? [] : subject.model.lasting.subtracting(seen.edits),
                age: state.confirmedAt.duration(to: now),
                wasStale: state.isInvalidated && !state.hasFailed && subject.model.needed != nil)
        }
    }

    private func check(_ expectation: Expectation, _ clock: Int) {
        guard let process else { return }
        let subject = expectation.subject
        let watch = subject.observe(process.client, false)
        defer { drop(watch) }
        guard let state = state(of: subject), let seen = state.base.flatMap({ subject.see($0) }) else {
            return found(.restart, "\(subject.name) was flushed, and is not there after a restart")
        }
        var (old, new) = (expectation.base, seen)
        old.edits = []
        new.edits = new.edits.filter { !expectation.base.edits.contains($0) && !expectation.confirmed.contains($0) }
        if old != new || !Set(expectation.base.edits).isSubset(of: seen.edits) {
            found(.restart, "\(subject.name) was flushed as \(expectation.base), and is \(seen) after a restart")
        }
        let lost = expectation.confirmed.subtracting(seen.edits)
        if !lost.isEmpty {
            found(
                .restartAfterConfirmation,
                "\(subject.name) was flushed, and lost the confirmed edits \(lost.sorted()) at a restart")
        }
        if expectation.wasStale, !state.isInvalidated {
            found(.restart, "\(subject.name) was flushed as stale, and is fresh after a restart")
        }
        // A record from the future has no age.
        guard !hasGoneBack else { return }
        let age = state.confirmedAt.duration(to: process.clock.now())
        let least = expectation.age + .seconds(clock)
        if age < max(.zero, least) - .milliseconds(1) {
            found(
                .restart,
                "\(subject.name) was \(expectation.age) old, and is \(age) old after a restart \(clock) s later")
        }
    }

    private func checkReleased() {
        if lastClient != nil { found(.lifetime, "the client is not freed when its program lets it go") }
    }

    // MARK: The end

    /// Removes all failures, and lets the server answer all calls. Checks that every caller gets an answer, and that
    /// all shown values equal the server's. Then releases everything, and checks that nothing is leaked.
    func finish() {
        if let process { quieten(process) }
        kill()
        if problem == nil { checkReleased() }
    }

    private func quieten(_ process: SimulatedProcess) {
        interruptions = [:]
        disk.isFailing = false
        disk.delay = 0
        for subject in subjects { subject.source?.heal() }
        process.environment.connectivity.set(true)
        process.environment.activity.set(true)
        answerEverybody(process)
        if problem == nil { converge(process) }
        if problem == nil { dropEverything() }
    }

    private func answerEverybody(_ process: SimulatedProcess) {
        settle()
        for round in 0..<60 where problem == nil {
            // Each answer takes longer than the polling interval of the lists.
            for call in server.open { server.receive(call.id) }
            let open = server.open
            perform(.wait(open.isEmpty || round >= 20 ? longestPause : 6))
            for call in open {
                log?.append("server.answer(\(call.number))")
                server.answer(call.id)
                settle()
            }
            check()
            if waits.isEmpty, server.open.isEmpty { return }
            if waits.isEmpty, open.allSatisfy({ named[$0.name]?.options.pollEvery != nil }) { return }
        }
        let waiting = waits.map(\.description)
        if !waiting.isEmpty { found(.unanswered, "still waiting after everything was answered: \(waiting)") }
    }

    private func converge(_ process: SimulatedProcess) {
        for watch in watches { drop(watch) }
        watches = subjects.map { $0.observe(process.client, true) }
        // A first load is not retried before the time that the server asked to wait.
        for _ in 0..<2 {
            perform(.wait(61))
            answerOpenCalls()
        }
        let client = process.client
        start(.other, "refetch") { await client.refetch(.all) }
        // These are not among those that a refetch of everything fetches.
        for subject in subjects where subject.options.staleAfter == .immutable || !subject.options.isEnabled {
            checking(.fetch(subject.name, .refetch)) { fetch(subject, .refetch, client) }
        }
        answerUntilIdle(process)
        check()
        let states = process.states
        for subject in subjects where problem == nil {
            guard let shown = states[subject.key]?.shown.flatMap({ subject.see($0) }) else {
                found(.convergence, "\(subject.name) shows nothing in the end")
                continue
            }
            guard var truth = subject.truth?(shown) else { continue }
            var seen = shown
            (truth.call, seen.call) = (0, 0)
            if let pages = seen.pages {
                // The version of a page is that of the state when it was read, so only its content is compared.
                (truth.version, seen.version) = (0, 0)
                seen.pages = pages.map(Self.content)
                truth.pages = truth.pages?.map(Self.content)
            }
            if seen != truth {
                found(.convergence, "\(subject.name) shows \(seen) in the end, and the server has \(truth)")
            }
        }
    }

    private func answerOpenCalls() {
        for call in server.open { server.answer(call.id) }
        settle()
    }

    /// Answers all calls, and those that follow, until no entry is fetched.
    private func answerUntilIdle(_ process: SimulatedProcess) {
        for _ in 0..<100 {
            let open = server.open
            for call in open {
                server.answer(call.id)
                settle()
            }
            guard open.isEmpty else { continue }
            guard process.states.values.contains(where: \.isFetching) else { return }
            perform(.wait(longestPause))
        }
    }

    private static func content(_ page: SimulatedPage) -> SimulatedPage {
        var page = page
        page.call = 0
        page.version = 0
        page.edits = 0
        return page
    }

    private func dropEverything() {
        for watch in watches { drop(watch) }
        watches = []
        for _ in 0..<20 where !server.open.isEmpty { answerOpenCalls() }
        perform(.wait(31))
        answerOpenCalls()
        let kept = subjects.map(\.options.keepFor).filter { $0 < .forever }.max() ?? .zero
        perform(.wait(max(600, kept.wholeSeconds)))
        guard waits.isEmpty else { return }
        checks?.checkEnd()
    }

    /// The longest time that a program waits for the clock between two calls of the server, in seconds.
    var longestPause: Int {
        let longest = subjects.map(\.longestPause).max() ?? .zero
        // At least as long as the polling interval of the lists, and at most a year.
        return max(6, min(longest, .seconds(31_536_000)).wholeSeconds)
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension SimulatedSubject {
    /// The longest time that a caller waits for the clock between two calls of the server.
    fileprivate var longestPause: Duration {
        let retries = [options.retry, mutationRetry].flatMap { policy in
            // Delays grow, if at all, with the first retries.
            (0..<max(0, min(policy.limit, 20))).map { policy.delay($0) }
        }
        return max(retries.max() ?? .zero, options.fetchInterval, options.debounce)
    }
}

extension Duration {
    /// Whole seconds, rounded up.
    fileprivate var wholeSeconds: Int { Int(clamping: components.seconds) + (components.attoseconds > 0 ? 1 : 0) }
}
