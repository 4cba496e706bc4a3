import PigeonCore
import PigeonTesting

/// Checks what single actions cause.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension EngineChecks {
    func begin(_ action: SimulatedAction, within moment: SimulatedMoment?) -> () -> Void {
        guard let process = world.process else { return {} }
        switch action {
        case .observe(let name, let isEnabled): return checkAttaching(name, isEnabled, process)
        case .network(let isOn): return checkNetwork(isOn, process)
        case .foreground(let isActive): return checkForeground(isActive, process)
        case .fetch(let name, let how): return checkFirstLoad(name, how)
        case .answer(let index): return checkLanding(index, process)
        case .yield(let index): return checkSecondAnswer(index)
        case .fail(let index, let failure): return checkRetrying(index, failure, process)
        case .wait(let seconds):
            let checkPolling = checkPolls(seconds, process)
            return {
                checkPolling()
                self.checkTimers(process)
            }
        default: return beginWrite(action, process, within: moment)
        }
    }

    /// Records a write or a removal, and returns a function that checks it.
    private func beginWrite(
        _ action: SimulatedAction, _ process: SimulatedProcess, within moment: SimulatedMoment?
    ) -> () -> Void {
        switch action {
        case .set(let name, _): return checkWrite(name, process, within: moment)
        // During a first load, the edit counts as an invalidation (A34).
        case .update(let name, keeps: true): noteInvalidation { $0.name == name }
        case .invalidate(let filter, let scope):
            noteInvalidation { self.world.mayMatch(filter, $0) }
            return checkScope(filter, scope, process)
        case .reset(let filter), .remove(let filter):
            for subject in world.subjects where world.mayMatch(filter, subject) { self[subject.name].forgetAge() }
        case .clear:
            guard world.waits.count < 30 else { break }
            for subject in world.subjects { self[subject.name].forgetAge() }
        case .emptySource(let name):
            guard world.waits.count < 30 else { break }
            self[name].forgetAge()
        default: break
        }
        return {}
    }

    private func noteInvalidation(_ isMeant: (SimulatedSubject) -> Bool) {
        let began = world.server.stamp()
        for subject in world.subjects where isMeant(subject) {
            self[subject.name].invalidatedBefore = began
            if world.depth > 0 { self[subject.name].isHeldWithin = true }
        }
    }

    // MARK: Writes

    /// Checks a write by the program. The value must be as fresh as an answer.
    private func checkWrite(
        _ name: String, _ process: SimulatedProcess, within moment: SimulatedMoment?
    ) -> () -> Void {
        guard let subject = world.named[name], subject.set != nil else { return {} }
        let isUndisturbed = world.isUndisturbed && !subject.hasSource
        return {
            if isUndisturbed, let entry = self.place(of: subject)?.entry, entry.base != nil {
                if entry.isInvalidated { self.found(.landing, "\(name) was written, and is stale all the same") }
                if entry.writtenAt < process.clock.now() {
                    self.found(.landing, "\(name) was written, and is not fresh")
                }
            }
            self.checkHeard(subject, within: moment)
        }
    }

    /// Checks that the observers of a key have been notified when a write within user code returns. Only a notification
    /// in progress may delay them.
    private func checkHeard(_ subject: SimulatedSubject, within moment: SimulatedMoment?) {
        guard moment == .event, world.observerDepth == 0 else { return }
        for watch in world.watches where watch.recorder.key == subject.key {
            guard let last = watch.recorder.lastVersion, last != watch.shown().version else { continue }
            found(
                .deliveryDuringEvents,
                "\(subject.name) is written within a listener of events, and its observer hears nothing")
        }
    }

    // MARK: Answers

    /// Checks an answer of the server. It must be shown if it belongs to the newest fetch and nothing has happened
    /// since the request.
    private func checkLanding(_ index: Int, _ process: SimulatedProcess) -> () -> Void {
        guard let call = world.server.call(at: index), world.isUndisturbed, call.isAwaited,
            case .whole(let tag) = call.request, let subject = world.named[call.name], subject.isKnown,
            !subject.isPlain, !subject.hasSource, call.number > self[call.name].heldBefore,
            call.number == world.server.lastAsked(call.name),
            let flight = place(of: subject)?.entry.flight,
            flight.isRunning, call.origin == "\(call.name) \(flight.generation)", call.attempt == flight.failures + 1
        else { return {} }
        let isLast = call.number > self[call.name].invalidatedBefore
        return {
            self.world.settle()
            guard let entry = self.place(of: subject)?.entry else { return }
            let shown = entry.base.flatMap { subject.see($0) }?.call ?? 0
            // A request with a tag may be answered with "not modified".
            if tag == nil, shown != call.number {
                self.found(.landing, "\(call.name) was answered by call \(call.number), and holds \(shown)")
            }
            if entry.failure != nil {
                self.found(.landing, "\(call.name) was answered, and shows the error of before")
            }
            if isLast, entry.isInvalidated {
                self.found(.landing, "\(call.name) was answered, and is stale all the same")
            }
            if entry.writtenAt < process.clock.now() {
                self.found(.landing, "\(call.name) was answered, and is not fresh")
            }
        }
    }

    /// Checks a part of an answer. It must have no effect once the fetch has its answer, even if the request was
    /// copied.
    private func checkSecondAnswer(_ index: Int) -> () -> Void {
        guard let call = world.server.call(at: index), call.canYield, !call.isAwaited, world.isUndisturbed,
            let subject = world.named[call.name]
        else { return {} }
        let before = place(of: subject)?.entry.base
        return {
            self.world.settle()
            guard self.place(of: subject)?.entry.base !== before else { return }
            self.found(
                .secondAnswer, "\(call.name) has its answer, and takes another one of call \(call.number)")
        }
    }

    /// Checks a call that failed. A fetch whose policy retries the error, and with an observer or a waiter, must
    /// continue.
    private func checkRetrying(
        _ index: Int, _ failure: SimulatedFailure, _ process: SimulatedProcess
    ) -> () -> Void {
        guard let call = world.server.call(at: index) else { return {} }
        if case .busy(let seconds) = failure, call.isAwaited, call.number >= self[call.name].firstCall {
            busyUntil["\(world.lives) \(call.origin)"] = process.clock.now().advanced(by: .seconds(seconds))
        }
        guard world.isUndisturbed, call.isAwaited, case .whole = call.request, let subject = world.named[call.name],
            !subject.isDeaf, let before = place(of: subject), before.observers > 0 || before.entry.isAwaited
        else { return {} }
        return {
            self.world.settle()
            // The fetcher may have turned the server's error into another one, or into a value.
            guard let entry = self.place(of: subject)?.entry, entry.activity == .idle,
                let failure = entry.failure,
                subject.options.retry.wait(after: failure.error, failures: call.attempt - 1, random: 0) != nil
            else { return }
            self.found(.retries, "\(call.name) gives up after attempt \(call.attempt)")
        }
    }

    // MARK: Time

    private func checkTimers(_ process: SimulatedProcess) {
        let now = process.clock.now()
        let places = process.client.inspect().entries
        for (key, place) in places.sorted(by: { $0.key.queryKeyValue < $1.key.queryKeyValue }) {
            let entry = place.entry
            let flights = [entry.flight, entry.side?.next.flight, entry.side?.previous.flight].compactMap { $0 }
            let due = [entry.deadline] + flights.flatMap { [$0.limit, $0.retryAt] } + entry.olderFlights.map(\.limit)
            for case let deadline? in due where deadline < now {
                found(.timers, "\(key) had something to do \(deadline.duration(to: now)) ago")
            }
        }
    }
}
