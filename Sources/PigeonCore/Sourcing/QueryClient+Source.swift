internal import Foundation

extension QueryClient {
    /// Carries out a transaction's steps for sources of truth. Subscribes before it reads, so that no change is missed.
    func perform(_ steps: SmallArray<SourceStep>) {
        for step in steps {
            switch step {
            case .watch(let slot): watch(slot)
            case .read(let slot): read(slot)
            case .run(let queue): queue.run(environment.launch)
            }
        }
    }

    // MARK: Updating the entry

    /// - Parameter answerDetails: The details of the server's answer, if it has just sent the content.
    func show(
        _ content: SourceContent, at slot: Slot, isAddition: Bool = false, answerDetails: FetchRun.AnswerDetails? = nil,
        _ input: (CommitCandidate) -> EntryInput
    ) {
        commit(
            to: slot, as: .addition(isCompared: !isAddition), base: { _ in content.payload },
            answerDetails: answerDetails
        ) {
            candidate in
            var candidate = candidate
            if case .dated(let date, let freshFor) = content.freshness, answerDetails == nil || freshFor != nil {
                candidate.age = nanoseconds(since: date)
                candidate.freshFor = freshFor ?? candidate.freshFor
            }
            return input(candidate)
        }
    }

    /// The time since a date, in nanoseconds. Zero for a date in the future.
    private func nanoseconds(since date: Date) -> Int64 {
        let seconds = environment.wallClock().timeIntervalSince(date)
        return max(0, (Duration(untrustedSeconds: seconds) ?? .forever).clampedNanoseconds)
    }

    func date(of instant: MonotonicInstant) -> Date {
        environment.wallClock().addingTimeInterval(-instant.duration(to: clock.now()).inSeconds)
    }

    /// - Parameter key: A copy of the slot's key, which the lock guards.
    func report(_ problem: String, _ error: any Error, at key: QueryKey) {
        report([QueryCacheProblem(key: key, description: "\(problem): \(TransientError.label(error))")])
    }

    // MARK: Watching

    /// Subscribes to a source for as long as the entry is observed.
    func watch(_ slot: Slot) {
        guard let source = state.withLock({ _ in slot.fetcher?.source }), source.notifies else { return }
        let reference = reference
        let subscription = source.onChange { [weak slot] in
            guard let slot else { return }
            reference.client?.send(.source(.consult(.nothing)), to: slot)
        }
        guard let subscription else { return }
        let spare = state.withLock { _ -> QuerySubscription? in
            guard !slot.observers.isEmpty, slot.extras?.watch == nil else { return subscription }
            slot.makeExtras().watch = subscription
            return nil
        }
        spare?.cancel()
    }
}

extension ClientState {
    /// Adds a job that empties the source of a slot. It runs before all jobs that are added later.
    ///
    /// - Returns: A waiter for the end of the job. `nil` if there is no source.
    @discardableResult
    mutating func clearSource(of slot: Slot) -> WaitingCaller? {
        guard let source = slot.fetcher?.source else { return nil }
        let (client, key, done) = (client, slot.key, WaitingCaller())
        source.queue.add {
            do {
                try await source.clear()
                client.client?.send(.source(.emptied), to: slot)
                done.outcome.resolve(.success(.nothing))
            } catch {
                client.client?.send(.source(.emptied), to: slot)
                client.client?.report("the source could not be emptied", error, at: key)
                done.outcome.resolve(.failure(error))
            }
        }
        work.sourceSteps.append(.run(source.queue))
        return done
    }

    /// Adds a job that saves a write of the program in the source of a slot. The write is shown already. If it cannot be
    /// saved, the source's content is shown again.
    mutating func save(_ source: any AnySource, of slot: Slot) {
        guard let payload = slot.entry.confirmedValue else { return }
        let (client, key, writtenAt) = (client, slot.key, slot.entry.writtenAt)
        slot.entry.noteSaving()
        source.queue.add {
            guard let date = client.client?.date(of: writtenAt) else { return }
            do {
                try await source.save(payload, at: date)
                client.client?.send(.source(.saved), to: slot)
            } catch {
                client.client?.send(.source(.saved), to: slot)
                client.client?.report("the source could not save what was written", error, at: key)
                client.client?.send(.source(.consult(.nothing)), to: slot)
            }
        }
        work.sourceSteps.append(.run(source.queue))
    }

    /// Adds a job that marks the content of a source as stale.
    mutating func markStale(_ source: any AnySource, of slot: Slot) {
        let (client, key) = (client, slot.key)
        source.queue.add {
            do {
                try await source.markStale()
            } catch {
                client.client?.report("the source could not be marked stale", error, at: key)
            }
        }
        work.sourceSteps.append(.run(source.queue))
    }
}

/// The queues of the sources that have none of their own: one for each key, so that the jobs of definitions that are made
/// at each call run one after the other.
struct SourceQueues {
    /// A queue exists for as long as a source of its key, or a job in it.
    private struct Reference {
        weak var queue: JobQueue?
    }

    private var queues: [QueryKey: Reference] = [:]
    private var limit = 64

    mutating func queue(of key: QueryKey) -> JobQueue {
        if let queue = queues[key]?.queue { return queue }
        if queues.count >= limit {
            queues = queues.filter { $0.value.queue != nil }
            limit = max(64, 2 * queues.count)
        }
        let queue = JobQueue()
        queues[key] = Reference(queue: queue)
        return queue
    }
}
