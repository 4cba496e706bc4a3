/// The running mutations, and those that wait for the network or for their turn in a scope.
struct MutationQueue {
    /// Mutations that run or wait in each scope, in the order in which they were started.
    var scopes: [String: [(id: UInt64, turn: MutationWait)]] = [:]
    /// Mutations that wait for the network.
    var paused: [(id: UInt64, turn: MutationWait)] = []
    /// The current wait of each mutation: for its turn, the network, the time of its next attempt, or the end of an
    /// attempt. A sign-out ends all waits.
    var waits: [UInt64: MutationWait] = [:]
    /// Mutations that waited for the network, and those behind them in their scopes. Entries refetch when all have
    /// ended (T73).
    var resumed: Set<UInt64> = []
    /// Changes of the surroundings that entries receive when the resumed mutations have ended, or at
    /// ``resumedMutationDeadline``.
    var afterResumed: [SurroundingsChange] = []
    /// Time at which entries stop waiting for the resumed mutations, in nanoseconds. `max` while none wait.
    var resumedMutationDeadline = Int64.max
    /// A sign-out cleared all mutations with smaller numbers.
    var clearedBefore: UInt64 = 0
    /// The entries that mutations make stale once their edits are confirmed, besides ``Mutating/invalidates(_:)``.
    var invalidations: [UInt64: [KeyFilter]] = [:]
    var edits = RunningEdits()
    /// Increases with every change of ``edits``.
    var editRevision: UInt64 = 0
    /// Names of the types of mutations.
    var names: [ObjectIdentifier: String] = [:]

    mutating func takeInvalidations(of mutation: UInt64) -> [KeyFilter]? {
        invalidations.isEmpty ? nil : invalidations.removeValue(forKey: mutation)
    }
}

extension QueryClient {
    /// The longest time, on the client's clock, for which the refetches of a reconnect or of a return to the foreground
    /// wait for resumed mutations.
    ///
    /// A refetch before a mutation has ended may show the state before its change. The limit ensures that a mutation
    /// that hangs does not prevent all refetches.
    package static let resumedMutationTimeout = Duration.seconds(10)
}

/// A wait of a mutation. An attempt runs in its own task, so that a sign-out can cancel it without cancelling the
/// caller's task.
final class MutationWait: Sendable {
    private let outcome = OneShot<Payload>()
    private let attempt = TaskHandle()
    private let isRunning = Locked(false)

    /// Runs an attempt, and waits for its end. If the caller is cancelled, the attempt is cancelled, and its outcome
    /// still counts.
    func run<Output: Sendable>(
        _ launch: TaskHandle.Launch, _ body: @escaping @Sendable () async throws -> Output
    ) async throws -> Output {
        isRunning.withLock { $0 = true }
        let task = launch {
            guard self.attempt.begin() else { return }  // ended before it began
            do {
                self.outcome.resolve(.success(PayloadOf(try await Self.withoutRetries(body))))
            } catch {
                self.outcome.resolve(.failure(error))
            }
        }
        attempt.hold(task)
        // An attempt that did not suspend has ended already.
        guard outcome.result == nil else { return try output() }
        try await outcome.value(onCancel: .calls { task.cancel() })
        return try output()
    }

    /// Runs an attempt. If a fetcher started the mutation, the retries of that fetch do not count for it.
    private static func withoutRetries<Output: Sendable>(
        _ body: @Sendable () async throws -> Output
    ) async throws -> Output {
        guard RetryLayers.clientRetries else { return try await body() }
        return try await RetryLayers.$clientRetries.withValue(false, operation: body)
    }

    /// Returns the output of the attempt, which must have ended.
    private func output<Output: Sendable>() throws -> Output {
        guard let output = try outcome.result?.get() as? PayloadOf<Output> else { throw CancellationError() }
        return output.value
    }

    /// Waits for ``resume()``. If the caller is cancelled, the wait ends.
    func untilResumed() async throws {
        try await outcome.value(onCancel: .resolves)
    }

    /// Ends a wait that is not for an attempt, so that the mutation proceeds.
    func resume() {
        outcome.resolve(.success(.nothing))
    }

    /// Ends the wait at once, unless it is for an attempt.
    func endUnlessRunning() {
        if !isRunning.withLock({ $0 }) { end() }
    }

    /// Ends the wait at once, and cancels the attempt.
    func end() {
        outcome.resolve(.failure(CancellationError()))
        attempt.cancel()
    }
}

extension ClientState {
    /// Resumes waiting mutations, and sends the change to the entries once those mutations have ended (T73).
    mutating func resumeMutations(then change: SurroundingsChange) {
        if context.isOnline { resumePausedMutations() }
        guard !mutations.resumed.isEmpty, change != .conditions else {
            return notifyEntries(of: change)
        }
        if !mutations.afterResumed.contains(change) { mutations.afterResumed.append(change) }
        if mutations.resumedMutationDeadline == .max {
            let deadline = now.advanced(by: QueryClient.resumedMutationTimeout).nanoseconds
            mutations.resumedMutationDeadline = deadline
            schedule(at: deadline)
        }
        notifyEntries(of: .conditions)
    }

    private mutating func resumePausedMutations() {
        for (id, turn) in mutations.paused {
            mutations.resumed.insert(id)
            work.addRare { $0.turns.append(turn) }
        }
        mutations.paused = []
        for queue in mutations.scopes.values where queue.first.map({ mutations.resumed.contains($0.id) }) == true {
            mutations.resumed.formUnion(queue.map(\.id))
        }
    }

    /// Drops a pending reconnect, because the network was lost again. Its next return refetches.
    mutating func forgetReconnect() {
        mutations.afterResumed.removeAll { $0 == .reconnected }
        if mutations.afterResumed.isEmpty { mutations.resumedMutationDeadline = .max }
    }

    /// Counts a mutation, or an attempt of one that a part of the client keeps.
    mutating func beginMutation() {
        activity.mutationCount += 1
        if activity.isObserved { work.hasActivity = true }
    }

    /// Registers the next wait of a mutation, so that a sign-out ends it.
    ///
    /// - Throws: `CancellationError` if a sign-out cleared the mutation.
    mutating func register(_ wait: MutationWait, of id: UInt64) throws {
        try checkNotCleared(id)
        discard(mutations.waits.updateValue(wait, forKey: id))
    }

    /// Ends a mutation, and starts the next one of its scope.
    mutating func endMutation(_ id: UInt64, scope: String?) {
        discard(mutations.waits.removeValue(forKey: id))
        activity.mutationCount -= 1
        if activity.isObserved { work.hasActivity = true }
        if let scope, var queue = mutations.scopes[scope] {
            queue.removeAll { $0.id == id }
            mutations.scopes[scope] = queue.isEmpty ? nil : queue
            if let next = queue.first { work.addRare { $0.turns.append(next.turn) } }
        }
        if !mutations.paused.isEmpty { mutations.paused.removeAll { $0.id == id } }
        if !mutations.resumed.isEmpty, mutations.resumed.remove(id) != nil, mutations.resumed.isEmpty {
            endWaitingForMutations()
        }
    }

    /// Sends the changes to the entries that waited for the resumed mutations.
    mutating func endWaitingForMutations() {
        let changes = mutations.afterResumed
        mutations.afterResumed = []
        mutations.resumed = []
        mutations.resumedMutationDeadline = .max
        for change in changes { notifyEntries(of: change) }
    }

    /// True if a mutation was started before the last sign-out. False without a mutation.
    func isCleared(_ mutation: UInt64?) -> Bool { mutation.map { $0 < mutations.clearedBefore } ?? false }

    /// - Throws: `CancellationError` if a sign-out cleared the mutation.
    func checkNotCleared(_ mutation: UInt64) throws {
        if isCleared(mutation) { throw CancellationError() }
    }

    mutating func clearMutations() {
        mutations.clearedBefore = nextID + 1
        let waits = mutations.waits.sorted { $0.key < $1.key }.map(\.value)
        work.addRare { $0.endedMutations += waits }
        mutations.waits = [:]
        mutations.paused = []
        mutations.scopes = [:]
        mutations.resumed = []
        mutations.afterResumed = []
        mutations.resumedMutationDeadline = .max
        clearEdits()
    }
}
