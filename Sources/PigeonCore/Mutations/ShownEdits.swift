/// The optimistic edits of a mutation that its owner shows and ends.
package struct ShownEdits: Sendable {
    /// The number of the client's mutation.
    package let id: UInt64
    /// The entries that the edits concern.
    package let edited: [EditScope]
    /// True if the mutation is of an earlier run of the program. Its edits have then not been applied to records of caches.
    package let isRestored: Bool
}

/// Edits and attempts of mutations that a part of the client keeps, such as an outbox.
extension QueryClient {
    /// Shows the edits of a mutation, including those of records in caches.
    ///
    /// - Parameter id: The mutation's number, if its edits were shown before. A running attempt uses that number.
    package func showEdits(of mutation: any Mutating, as id: UInt64? = nil) -> ShownEdits {
        let id = id ?? state.withLock { $0.makeID() }
        return ShownEdits(id: id, edited: showEdits({ mutation.optimistic(&$0) }, of: id), isRestored: false)
    }

    /// Shows the edits of a mutation of an earlier run of the program. They apply to entries in memory, and to all entries
    /// that are read or fetched later. No cache is read.
    package func restoreEdits(of mutation: any Mutating) -> ShownEdits {
        let edits = OptimisticEdits(in: self) { mutation.optimistic(&$0) }
        // A filter with conditions selected entries of that run.
        let scoped = edits.edits.compactMap { edit in edit.scope.map { (scope: $0, edit: edit) } }
        var (id, slots) = state.withLock { state -> (UInt64, [Slot]) in
            let id = state.makeID()
            guard !scoped.isEmpty, state.beginEdits(scoped, of: id) else { return (id, []) }
            return (id, scoped.flatMap { scope, _ in scope.records.map { state.entries.slots(in: $0) } ?? [] })
        }
        for case .item(let item) in scoped.map(\.scope) { slots += self.slots(containing: item) }
        if !slots.isEmpty { applyRunningEdits(on: slots.withoutDuplicates) }
        let scopes = scoped.map(\.scope)
        return ShownEdits(id: id, edited: scopes.count > 1 ? Array(Set(scopes)) : scopes, isRestored: true)
    }

    /// Applies the edits of a restored mutation to records in caches that nobody has read, before it is confirmed.
    package func applyEditsToRecords(of mutation: any Mutating) {
        let edits = OptimisticEdits(in: self) { mutation.optimistic(&$0) }
        let slots = edits.edits.flatMap { $0.slots(self) }
        if !slots.isEmpty { applyRunningEdits(on: slots.withoutDuplicates) }
    }

    /// Rolls back the edits of a mutation, or removes them because those of another form of it are shown instead.
    package func hideEdits(_ layer: ShownEdits, isReplaced: Bool = false) {
        if !layer.edited.isEmpty { removeLayers(layer.id, layer.edited, isReplaced: isReplaced) }
    }

    /// Keeps the edits of a mutation until the edited entries have been fetched again.
    package func confirmEdits(_ layer: ShownEdits) {
        guard !layer.edited.isEmpty else { return }
        _ = confirm(layer.id, at: transact { state in state.endEdits(layer.edited, of: layer.id) })
        refetchEdited(layer)
    }

    /// Invalidates the entries that a mutation edits.
    package func refetchEdited(_ layer: ShownEdits) {
        for scope in layer.edited { invalidate(scope.filter, refetch: .active, cause: .invalidated(by: nil)) }
    }

    /// Runs one attempt of a mutation. A sign-out and ``stopMutation(_:)`` cancel it.
    ///
    /// - Parameter isWanted: Called once the attempt can be stopped. If it returns false, the attempt does not begin.
    package func attempt<M: Mutating>(
        _ mutation: M, _ context: MutationContext, while isWanted: () -> Bool
    ) async throws -> M.Output {
        let (wait, id) = (MutationWait(), context.id)
        try transact { state in
            try state.register(wait, of: id)
            state.beginMutation()
            state.emit(.mutating, mutation: context.name, mutationNumber: id, .requested)
        }
        let result: Result<M.Output, any Error>
        do {
            guard isWanted() else { throw CancellationError() }
            result = .success(try await wait.run(environment.launch) { try await mutation.run(context) })
        } catch { result = .failure(error) }
        transact { $0.endMutation(id, scope: nil) }
        return try result.get()
    }

    /// Cancels the attempt of a mutation.
    package func stopMutation(_ id: UInt64) {
        state.withLock { $0.mutations.waits[id] }?.end()
    }

    package func makeKey() -> String { IdempotencyKey(random: environment.random).text }
}
