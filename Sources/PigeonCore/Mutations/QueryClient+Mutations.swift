package enum MutationStage: Sendable {
    /// The mutation waits for the network or for its turn.
    case paused
    case running
    /// An attempt failed and will be retried.
    case retrying(any Error)
}

extension QueryClient {
    /// Runs a mutation: shows its optimistic edits, makes the change, and on success invalidates the entries that the
    /// mutation names.
    ///
    /// Cancelling the caller's task cancels the mutation. On failure or cancellation, only the mutation's optimistic
    /// edits are rolled back. Without a network, the mutation waits.
    ///
    /// - Returns: The server's answer.
    /// - Throws: The error of the mutation's last attempt, or `CancellationError`.
    @discardableResult
    public func mutate<M: Mutating>(_ mutation: M) async throws -> M.Output {
        try await mutate(mutation) { _ in }
    }

    /// Runs a change without a type of its own, as ``mutate(_:)`` does.
    ///
    /// ```swift
    /// try await client.mutate("rename", invalidates: [.query(.user(42))]) { context in
    ///     try await context[API.self].rename(42, to: "Ann")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name in events.
    ///   - scope: Mutations of one scope run one after the other.
    ///   - optimistic: Adds the edits to show before the server has confirmed the change.
    ///   - invalidates: The entries that the change makes stale.
    ///   - run: Makes the change on the server. It is not retried.
    @discardableResult
    public func mutate<Output: Sendable>(
        _ name: String = "mutation", scope: String? = nil,
        optimistic: @escaping @Sendable (inout OptimisticEdits) -> Void = { _ in }, invalidates: [KeyFilter] = [],
        _ run: @escaping @Sendable (MutationContext) async throws -> Output
    ) async throws -> Output {
        let plan = MutationPlan<Output>(
            name: name, scope: scope, retry: .never, isIdempotent: false, networkMode: .online, run: run,
            optimistic: optimistic, invalidates: { _ in invalidates })
        return try await mutate(plan) { _ in }
    }

    package func mutate<M: Mutating>(_ mutation: M, onStage: (MutationStage) -> Void) async throws -> M.Output {
        try await complete(begin(MutationPlan(mutation, name: name(of: M.self))), onStage: onStage)
    }

    package func mutate<Output>(_ plan: MutationPlan<Output>, onStage: (MutationStage) -> Void) async throws -> Output {
        try await complete(begin(plan), onStage: onStage)
    }

    /// Begins a mutation: takes its place in its scope, and shows its optimistic edits. Does not wait.
    ///
    /// - Returns: The mutation, which must be completed.
    package func begin<Output>(_ plan: MutationPlan<Output>) -> StartedMutation<Output> {
        let turn = plan.scope.map { (scope: $0, wait: MutationWait()) }
        let id = transact { state in
            let id = state.makeID()
            if let turn { state.mutations.scopes[turn.scope, default: []].append((id, turn.wait)) }
            state.beginMutation()
            state.emit(.mutating, mutation: plan.name, mutationNumber: id, .requested)
            return id
        }
        let edited = showEdits(plan.optimistic, of: id)
        return StartedMutation(plan: plan, id: id, turn: turn?.wait, edited: edited)
    }

    /// Executes a mutation, and ends it. Call this once for each mutation that was begun.
    package func complete<Output>(
        _ mutation: StartedMutation<Output>, onStage: (MutationStage) -> Void
    ) async throws -> Output {
        let (plan, id, edited) = (mutation.plan, mutation.id, mutation.edited)
        do {
            let result: Result<Output, any Error>
            do { result = .success(try await attempt(mutation, onStage)) } catch { result = .failure(error) }
            try transact { state in
                state.endMutation(id, scope: plan.scope)
                try state.checkNotCleared(id)
            }
            let output = try result.get()
            try succeed(plan, id, output, edited)
            return output
        } catch {
            removeLayers(id, edited)
            emit(.mutationFailed(TransientError.label(error)), mutation: plan.name, id, error: error)
            throw error
        }
    }

    /// Returns the name of a type. Caches it, because finding it takes longer than the rest of a mutation.
    private func name(of type: any Mutating.Type) -> String {
        if let known = state.withLock({ $0.mutations.names[ObjectIdentifier(type)] }) { return known }
        let name = String(describing: type)
        state.withLock { $0.mutations.names[ObjectIdentifier(type)] = name }
        return name
    }

    // MARK: Steps

    /// Runs a mutation, with its waits and retries.
    ///
    /// - Throws: The error of the last attempt.
    private func attempt<Output>(
        _ mutation: StartedMutation<Output>, _ onStage: (MutationStage) -> Void
    ) async throws -> Output {
        let (plan, id) = (mutation.plan, mutation.id)
        if let scope = plan.scope, let turn = mutation.turn {
            try await waitForTurn(turn, of: id, scope: scope, plan.name, onStage)
        }
        let key = IdempotencyKey(random: environment.random)
        var failures = 0
        while true {
            guard !isClosed else { throw QueryError.closed(name: plan.name) }
            let needsNetwork = plan.networkMode == .online || (plan.networkMode == .offlineFirst && failures > 0)
            let wait = try await waitForAttempt(of: id, plan.name, needsNetwork: needsNetwork, onStage)
            try Task.checkCancellation()
            onStage(.running)
            do {
                let context = MutationContext(id: id, attempt: failures + 1, client: self, key: key, name: plan.name)
                return try await wait.run(environment.launchForCaller) { try await plan.run(context) }
            } catch {
                guard plan.isIdempotent,
                    let wait = plan.retry.wait(after: error, failures: failures, random: environment.random())
                else { throw error }
                failures += 1
                onStage(.retrying(error))
                emit(.retrying(in: wait, after: TransientError.label(error)), mutation: plan.name, id, error: error)
                try await waitForNextAttempt(id, wait)
            }
        }
    }

    package func succeed<Output>(
        _ plan: MutationPlan<Output>, _ id: UInt64, _ output: Output, _ edited: [EditScope],
        number: UInt64? = nil
    ) throws {
        let number = number ?? id
        let cause = Cause.mutation(plan.name)
        let isJoint = !edited.isEmpty && beginConfirmingItems(of: id)
        defer { if isJoint { endConfirmingItems(of: id) } }
        func confirmed() throws -> (filters: [KeyFilter], ambiguous: [SlotRequest]) {
            try confirm(plan, id, output, edited, number, cause)
        }
        // One change for those who observe several entries with an item that it concerns.
        let (filters, ambiguous) = isJoint ? try delivered(asOne: confirmed) : try confirmed()
        if !edited.isEmpty { emit(.mutated, mutation: plan.name, number, cause: cause) }
        for filter in filters { invalidate(filter, refetch: .active, cause: cause) }
        // Refetches the ambiguous entries that the mutation's invalidation did not refetch.
        guard !ambiguous.isEmpty else { return }
        transact { state in
            for (slot, newest) in ambiguous where !slot.isRemoved && slot.entry.generation == newest {
                state.send(.invalidate(cause, refetch: .active), to: slot)
                // The confirmed value may be written already.
                if slot.extras?.persistence != nil { state.markRecords(.key(slot.key)) }
            }
        }
    }

    /// Writes the answer of a mutation, and confirms its edits.
    private func confirm<Output>(
        _ plan: MutationPlan<Output>, _ id: UInt64, _ output: Output, _ edited: [EditScope], _ number: UInt64,
        _ cause: Cause
    ) throws -> (filters: [KeyFilter], ambiguous: [SlotRequest]) {
        plan.succeeded(output, CacheWrites(client: self, mutation: id, cause: cause))
        let filters = plan.invalidates(output)
        let (slots, moreFilters) = try transact { state in
            let more = state.mutations.takeInvalidations(of: id)
            try state.checkNotCleared(id)
            if edited.isEmpty {
                state.emit(.mutated, mutation: plan.name, mutationNumber: number, cause)
            }
            for scope in edited where scope.isWide {
                guard let records = scope.records else { continue }
                state.markRecords(records)
                state.tell(.stale(records), cause)
            }
            return (state.endEdits(edited, of: id), more)
        }
        return (filters + (moreFilters ?? []), confirm(id, at: slots))
    }

    // MARK: Waiting

    private func waitForTurn(
        _ turn: MutationWait, of id: UInt64, scope: String, _ name: String, _ onStage: (MutationStage) -> Void
    ) async throws {
        let isPaused = try transact { state in
            try state.register(turn, of: id)
            let isBusy = state.mutations.scopes[scope]?.first?.id != id
            if isBusy { state.emit(.mutationPaused, mutation: name, mutationNumber: id, .requested) }
            return isBusy
        }
        guard isPaused else { return }
        onStage(.paused)
        try await turn.untilResumed()
    }

    /// Waits for the network, if the attempt needs it.
    ///
    /// - Returns: The wait for the end of the attempt.
    private func waitForAttempt(
        of id: UInt64, _ name: String, needsNetwork: Bool, _ onStage: (MutationStage) -> Void
    ) async throws -> MutationWait {
        while true {
            let wait = MutationWait()
            let isPaused = try transact { state in
                try state.register(wait, of: id)
                guard needsNetwork, !state.isOnline else { return false }
                state.mutations.paused.append((id, wait))
                state.emit(.mutationPaused, mutation: name, mutationNumber: id, .requested)
                return true
            }
            guard isPaused else { return wait }
            onStage(.paused)
            try await wait.untilResumed()
        }
    }

    private func waitForNextAttempt(_ id: UInt64, _ duration: Duration) async throws {
        let wait = MutationWait()
        try transact { try $0.register(wait, of: id) }
        let handle = clock.schedule(at: clock.now().advanced(by: duration)) { wait.resume() }
        defer { handle.cancel() }
        try await wait.untilResumed()
    }

    /// True if a mutation was started after the last sign-out.
    func isCurrent(_ id: UInt64) -> Bool {
        !state.withLock { $0.isCleared(id) }
    }
}
