extension QueryClient {
    /// Carries out a transaction's steps for sources of truth. Subscribes before it reads, so that no change is missed.
    func perform(_ steps: [SourceStep]) {
        for step in steps {
            switch step {
            case .watch(let slot): watch(slot)
            case .read(let slot): read(slot)
            case .run(let queue): queue.run(environment.launch)
            }
        }
    }

    // MARK: Jobs

    /// Adds a job to the queue of a source. The caller must run the queue afterwards. The job continues if those who wait
    /// for it are cancelled, so that a change that has begun is completed.
    func addTurn<Result: Sendable>(
        of source: any SourceOfTruth, _ body: @escaping @Sendable (ClientReference) async throws -> Result
    ) -> Waiter {
        let (waiter, reference) = (Waiter(), reference)
        source.queue.add {
            do {
                waiter.resume(.success(PayloadOf(try await body(reference))))
            } catch {
                waiter.resume(.failure(error))
            }
        }
        return waiter
    }

    // MARK: Updating the entry

    func show(
        _ payload: Payload, at slot: Slot, isAddition: Bool = false, _ input: (Landing) -> EntryInput
    ) {
        commit(to: slot, as: .addition(isCompared: !isAddition), base: { _ in payload }, input: input)
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
    func clearSource(of slot: Slot, _ work: inout Work) -> Waiter? {
        guard let source = slot.fetcher?.source else { return nil }
        let (client, key, done) = (client, slot.key, Waiter())
        source.queue.add {
            do {
                try await source.clear()
                client.client?.send(.source(.emptied), to: slot)
                done.resume(.success(.nothing))
            } catch {
                client.client?.send(.source(.emptied), to: slot)
                client.client?.report("the source could not be emptied", error, at: key)
                done.resume(.failure(error))
            }
        }
        work.sourceSteps.append(.run(source.queue))
        return done
    }

    /// Adds a job that marks the content of a source as stale.
    func markStale(_ source: any SourceOfTruth, of slot: Slot, _ work: inout Work) {
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
