/// How far a mutation is.
package enum MutationStage: Sendable {
    /// It waits for the network or for its turn.
    case paused
    case running
    /// An attempt failed and will be repeated.
    case retrying(any Error)
}

extension QueryClient {
    /// Makes a change: shows it optimistically, runs it, and on success invalidates what it says.
    ///
    /// Cancelling the caller's task cancels the mutation. On failure and cancellation its optimistic changes are taken
    /// back, and nothing else. Without a network it waits.
    ///
    /// - Returns: The server's answer.
    /// - Throws: What the mutation threw, or `CancellationError`.
    public func mutate<M: Mutating>(_ mutation: M) async throws -> M.Output {
        try await mutate(mutation) { _ in }
    }

    package func mutate<M: Mutating>(
        _ mutation: M, onStage: (MutationStage) -> Void
    ) async throws -> M.Output {
        try await mutate(MutationPlan(mutation), onStage: onStage)
    }

    package func mutate<Output>(
        _ plan: MutationPlan<Output>, onStage: (MutationStage) -> Void
    ) async throws -> Output {
        let id = transact { state, work, moment in
            let id = state.makeID()
            state.emit(.mutating, mutation: plan.name, .requested, moment, &work)
            return id
        }
        let patched = show(plan, id)
        do {
            let output = try await attempt(plan, id, onStage)
            try checkNotCleared(id)
            try succeed(plan, id, output, patched)
            return output
        } catch {
            rollBack(plan, id, patched, error)
            throw error
        }
    }

    // MARK: Steps

    /// Puts the optimistic layers on. User code runs outside the lock.
    private func show<Output>(_ plan: MutationPlan<Output>, _ id: UInt64) -> [Slot] {
        var edits = OptimisticEdits()
        plan.optimistic(&edits)
        var patched: [Slot] = []
        for edit in edits.edits {
            guard let slot = slot(for: edit) else { continue }
            let patch = Patch(mutation: id, apply: edit.apply)
            relayer(slot) { $0 + [Layer(patch: patch)] }
            if !patched.contains(where: { $0 === slot }) { patched.append(slot) }
        }
        return patched
    }

    private func slot(for edit: OptimisticEdits.Edit) -> Slot? {
        let existing = state.withLock { $0.slots[edit.key] }
        guard let existing else { return edit.createsEntry ? (try? edit.make(self)) ?? nil : nil }
        if existing.valueType == edit.type { return existing }
        return (try? edit.make(self)) ?? nil  // reports the mismatch
    }

    /// Changes the layers of a slot, preparing what is shown outside the lock.
    private func relayer(_ slot: Slot, _ change: ([Layer]) -> [Layer]) {
        while true {
            let (base, layers, revision) = state.withLock { _ in
                (slot.entry.base, slot.entry.layers, slot.entry.revision)
            }
            let newLayers = change(layers)
            guard newLayers.count != layers.count else { return }
            let shown = newLayers.reduce(base) { $1.patch.apply($0) ?? $0 }
            let isCommitted = transact { state, work, moment in
                guard slot.entry.revision == revision else { return false }
                state.send(.layers(newLayers, shown: shown), to: slot, moment, &work)
                return true
            }
            if isCommitted { return }
        }
    }

    private func attempt<Output>(
        _ plan: MutationPlan<Output>, _ id: UInt64, _ onStage: (MutationStage) -> Void
    ) async throws -> Output {
        defer {
            transact { state, work, moment in state.endMutation(id, scope: plan.scope, moment, &work) }
        }
        if let scope = plan.scope { try await waitForTurn(id, scope: scope, plan.name, onStage) }
        let key = idempotencyKey()
        var failures = 0
        while true {
            if plan.networkMode == .online || (plan.networkMode == .offlineFirst && failures > 0) {
                try await waitForNetwork(id, plan.name, onStage)
            }
            try Task.checkCancellation()
            onStage(.running)
            do {
                return try await plan.run(
                    MutationContext(id: id, idempotencyKey: key, attempt: failures + 1, client: self))
            } catch {
                guard plan.isIdempotent,
                    let wait = plan.retry.wait(after: error, failures: failures, random: environment.random())
                else { throw error }
                failures += 1
                onStage(.retrying(error))
                transact { state, work, moment in
                    state.emit(
                        .retrying(in: wait, after: TransientError.label(error)), mutation: plan.name, .requested,
                        moment, &work)
                }
                try await sleep(for: wait)
                try checkNotCleared(id)
            }
        }
    }

    private func succeed<Output>(
        _ plan: MutationPlan<Output>, _ id: UInt64, _ output: Output, _ patched: [Slot]
    ) throws {
        let cause = Cause.mutation(plan.name)
        plan.succeeded(output, CacheWrites(client: self, mutation: id, cause: cause))
        let filters = plan.invalidates(output)
        try checkNotCleared(id)
        transact { state, work, moment in
            for slot in patched { state.send(.confirm(mutation: id), to: slot, moment, &work) }
            state.emit(.mutated, mutation: plan.name, cause, moment, &work)
        }
        for filter in filters { invalidate(filter, refetch: .active, cause: cause) }
    }

    private func rollBack<Output>(
        _ plan: MutationPlan<Output>, _ id: UInt64, _ patched: [Slot], _ error: any Error
    ) {
        for slot in patched { relayer(slot) { $0.filter { $0.patch.mutation != id } } }
        transact { state, work, moment in
            state.emit(
                .mutationFailed(TransientError.label(error)), mutation: plan.name, .requested, moment, &work)
        }
    }

    // MARK: Waiting

    private func waitForTurn(
        _ id: UInt64, scope: String, _ name: String, _ onStage: (MutationStage) -> Void
    ) async throws {
        let turn = Waiter()
        let mustWait = transact { state, work, moment in
            let isBusy = state.mutations.scopes[scope] != nil
            state.mutations.scopes[scope, default: []].append((id, turn))
            if isBusy { state.emit(.mutationPaused, mutation: name, .requested, moment, &work) }
            return isBusy
        }
        guard mustWait else { return }
        onStage(.paused)
        try await turn.value { turn.resume(.failure(CancellationError())) }
        try checkNotCleared(id)
    }

    private func waitForNetwork(_ id: UInt64, _ name: String, _ onStage: (MutationStage) -> Void) async throws {
        while true {
            let turn = Waiter()
            let isOnline = transact { state, work, moment in
                if state.isOnline { return true }
                state.mutations.paused.append((id, turn))
                state.emit(.mutationPaused, mutation: name, .requested, moment, &work)
                return false
            }
            if isOnline { return }
            onStage(.paused)
            try await turn.value { turn.resume(.failure(CancellationError())) }
            try checkNotCleared(id)
        }
    }

    /// Sleeps on the client's clock.
    package func sleep(for duration: Duration) async throws {
        let turn = Waiter()
        let handle = clock.schedule(at: clock.now().advanced(by: duration)) { turn.resume(.success(.nothing)) }
        defer { handle.cancel() }
        try await turn.value { turn.resume(.failure(CancellationError())) }
    }

    private func checkNotCleared(_ id: UInt64) throws {
        guard isCurrent(id) else { throw CancellationError() }
    }

    /// Whether a mutation was started after the last sign-out.
    func isCurrent(_ id: UInt64) -> Bool {
        state.withLock { id >= $0.mutations.clearedBefore }
    }

    private func idempotencyKey() -> String {
        var text = ""
        for _ in 0..<2 {
            let bits = String(environment.random(), radix: 16)
            text += String(repeating: "0", count: 16 - bits.count) + bits
        }
        return text
    }
}

/// A mutation taken apart, so that a face can make one of closures.
package struct MutationPlan<Output: Sendable>: Sendable {
    package let name: String
    package let run: @Sendable (MutationContext) async throws -> Output
    package let optimistic: @Sendable (inout OptimisticEdits) -> Void
    package let succeeded: @Sendable (Output, CacheWrites) -> Void
    package let invalidates: @Sendable (Output) -> [KeyFilter]
    package let scope: String?
    package let retry: RetryPolicy
    package let isIdempotent: Bool
    package let networkMode: NetworkMode

    package init(
        name: String, scope: String?, retry: RetryPolicy, isIdempotent: Bool, networkMode: NetworkMode,
        run: @escaping @Sendable (MutationContext) async throws -> Output,
        optimistic: @escaping @Sendable (inout OptimisticEdits) -> Void,
        succeeded: @escaping @Sendable (Output, CacheWrites) -> Void = { _, _ in },
        invalidates: @escaping @Sendable (Output) -> [KeyFilter] = { _ in [] }
    ) {
        self.name = name
        self.scope = scope
        self.retry = retry
        self.isIdempotent = isIdempotent
        self.networkMode = networkMode
        self.run = run
        self.optimistic = optimistic
        self.succeeded = succeeded
        self.invalidates = invalidates
    }

    init<M: Mutating>(_ mutation: M) where M.Output == Output {
        self.init(
            name: String(describing: M.self), scope: mutation.scope, retry: mutation.retry,
            isIdempotent: mutation.isIdempotent, networkMode: mutation.networkMode,
            run: { try await mutation.run($0) },
            optimistic: { mutation.optimistic(&$0) },
            succeeded: { mutation.succeeded($0, $1) },
            invalidates: { mutation.invalidates($0) })
    }
}
