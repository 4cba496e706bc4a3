/// The edits of the outbox's mutations, and their attempts.
extension QueryClient {
    /// Shows the edits of a mutation, including those of records in caches.
    ///
    /// - Parameter id: The number that the mutation has already, because its edits were shown before. An attempt that
    ///   runs goes by it.
    func show(_ mutation: any DurableMutation, as id: UInt64? = nil) -> OutboxLayer {
        let id = id ?? state.withLock { $0.makeID() }
        return OutboxLayer(id: id, edited: show({ mutation.optimistic(&$0) }, id), isRestored: false)
    }

    /// Shows the edits of a mutation of an earlier run of the program. They apply to entries in memory, and to all entries
    /// that are read or fetched later. No cache is read.
    func restore(_ mutation: any DurableMutation) -> OutboxLayer {
        let edits = OptimisticEdits(in: self) { mutation.optimistic(&$0) }
        // A filter with conditions selected entries of that run.
        let scoped = edits.edits.compactMap { edit in edit.filter.recordScope.map { (scope: $0, edit: edit) } }
        let (id, slots) = state.withLock { state -> (UInt64, [Slot]) in
            let id = state.makeID()
            guard !scoped.isEmpty, state.beginEdits(scoped, of: id) else { return (id, []) }
            return (id, scoped.flatMap { state.entries.slots(in: $0.scope) })
        }
        if !slots.isEmpty { layEdits(on: slots.withoutDuplicates) }
        let scopes = scoped.map(\.scope)
        return OutboxLayer(id: id, edited: scopes.count > 1 ? Array(Set(scopes)) : scopes, isRestored: true)
    }

    /// Applies the edits of a restored mutation to records in caches that nobody has read, before it is confirmed.
    func reach(_ mutation: any DurableMutation) {
        let edits = OptimisticEdits(in: self) { mutation.optimistic(&$0) }
        let slots = edits.edits.flatMap { $0.slots(self) }
        if !slots.isEmpty { layEdits(on: slots.withoutDuplicates) }
    }

    /// Rolls back the edits of a mutation.
    func hide(_ layer: OutboxLayer) {
        if !layer.edited.isEmpty { takeOff(layer.id, layer.edited) }
    }

    /// Makes the edits of a mutation part of the values.
    func keep(_ layer: OutboxLayer) {
        guard !layer.edited.isEmpty else { return }
        _ = confirm(layer.id, at: transact { state, work, _ in state.endEdits(layer.edited, of: layer.id, &work) })
    }

    /// Keeps the edits of a mutation until the edited entries have been fetched again.
    func confirm(_ layer: OutboxLayer) {
        keep(layer)
        refetch(layer)
    }

    /// Invalidates the entries that a mutation edits.
    func refetch(_ layer: OutboxLayer) {
        for scope in layer.edited { invalidate(scope.filter, refetch: .active, cause: .invalidated(by: nil)) }
    }

    /// Runs one attempt of a mutation. A sign-out cancels it.
    func attempt<M: DurableMutation>(_ mutation: M, _ context: MutationContext) async throws -> M.Output {
        let (wait, id) = (MutationWait(), context.id)
        try beginAttempt(wait, of: id)
        emit(.mutating, mutation: M.name, id)
        let result: Result<M.Output, any Error>
        do {
            result = .success(try await wait.run(environment.launch) { try await mutation.run(context) })
        } catch { result = .failure(error) }
        endAttempt(of: id)
        return try result.get()
    }

    private func beginAttempt(_ wait: MutationWait, of id: UInt64) throws {
        try transact { state, work, _ in
            try state.checkNotCleared(id)
            state.mutations.waits[id] = wait
            state.activity.mutationCount += 1
            if state.activity.isObserved { work.hasActivity = true }
        }
    }

    private func endAttempt(of id: UInt64) {
        let wait = transact { state, work, moment in state.endMutation(id, scope: nil, moment, &work) }
        _ = wait  // released outside the lock
    }

    /// Cancels the attempt of a mutation.
    func stopMutation(_ id: UInt64) {
        state.withLock { $0.mutations.waits[id] }?.end()
    }

    func makeKey() -> String { IdempotencyKey(random: environment.random).text }
}
