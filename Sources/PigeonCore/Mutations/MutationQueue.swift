/// Which mutations run, and which wait: for the network, or for their turn in a scope.
struct MutationQueue {
    /// Those that run or wait in a scope, first come first.
    var scopes: [String: [(id: UInt64, turn: Waiter)]] = [:]
    /// Those that wait for the network.
    var paused: [(id: UInt64, turn: Waiter)] = []
    /// The attempts under way, for a sign-out to end.
    var running: [UInt64: MutationRun] = [:]
    /// Those that waited for the network, and those behind them in their scopes. Entries refetch when all have ended (T73).
    var resumed: Set<UInt64> = []
    /// What the entries are told when the resumed mutations have ended, or at ``patienceEnds``.
    var afterResumed: [SurroundingsChange] = []
    /// When entries no longer wait for the resumed mutations, in nanoseconds. `max` while none wait.
    var patienceEnds = Int64.max
    /// Mutations started before this number were cleared away.
    var clearedBefore: UInt64 = 0
    /// The optimistic edits of mutations that have not ended, by key, oldest first.
    var edits: [QueryKey: [RunningEdit]] = [:]
    /// Grows with every change of ``edits``.
    var editRevision: UInt64 = 0
}

extension QueryClient {
    /// The longest time, on the client's clock, for which the refetches of a reconnect or of a return to the foreground wait
    /// for the mutations that were resumed.
    ///
    /// A refetch before a mutation has ended may show the state before its change. A mutation that hangs must not keep
    /// everything else from being refetched.
    public static let resumedMutationPatience = Duration.seconds(10)
}

/// One attempt of a mutation, in a task of its own, so that a sign-out can end it without its caller's task.
final class MutationRun: Sendable {
    private let outcome = Waiter()
    private let task = Locked<(task: Task<Void, Never>?, isEnded: Bool)>((nil, false))

    /// Runs an attempt, and waits for its end. If the caller is cancelled, the attempt is, and its outcome counts.
    func run<Output: Sendable>(
        _ launch: (@escaping @Sendable () async -> Void) -> Task<Void, Never>,
        _ body: @escaping @Sendable () async throws -> Output
    ) async throws -> Output? {
        let new = launch { [outcome] in
            do {
                outcome.resume(.success(PayloadOf(try await body())))
            } catch {
                outcome.resume(.failure(error))
            }
        }
        let isEnded = task.withLock { task in
            task.task = new
            return task.isEnded
        }
        if isEnded { new.cancel() }
        return (try await outcome.value { new.cancel() } as? PayloadOf<Output>)?.value
    }

    /// Cancels the attempt and ends its caller, at once.
    func end() {
        let task = task.withLock { task in
            task.isEnded = true
            return task.task
        }
        outcome.resume(.failure(CancellationError()))
        task?.cancel()
    }
}

extension ClientState {
    /// Lets waiting mutations go on, and tells the entries once those have ended. (T73)
    mutating func resumeMutations(then change: SurroundingsChange, _ moment: Moment, _ work: inout Work) {
        if moment.isOnline { resumePausedMutations(&work) }
        guard !mutations.resumed.isEmpty, change != .conditions else { return tell(change, moment, &work) }
        if !mutations.afterResumed.contains(change) { mutations.afterResumed.append(change) }
        if mutations.patienceEnds == .max {
            let deadline = moment.now.advanced(by: QueryClient.resumedMutationPatience).nanoseconds
            mutations.patienceEnds = deadline
            insert(Alarm(deadline: deadline, slot: nil), &work)
        }
        tell(.conditions, moment, &work)
    }

    private mutating func resumePausedMutations(_ work: inout Work) {
        for (id, turn) in mutations.paused {
            mutations.resumed.insert(id)
            work.turns.append(turn)
        }
        mutations.paused = []
        for queue in mutations.scopes.values where queue.first.map({ mutations.resumed.contains($0.id) }) == true {
            mutations.resumed.formUnion(queue.map(\.id))
        }
    }

    /// The network is gone: its return refetches anew.
    mutating func forgetReconnect() {
        mutations.afterResumed.removeAll { $0 == .reconnected }
        if mutations.afterResumed.isEmpty { mutations.patienceEnds = .max }
    }

    /// A mutation has ended: the next of its scope gets its turn.
    mutating func endMutation(_ id: UInt64, scope: String?, _ moment: Moment, _ work: inout Work) {
        if let scope, var queue = mutations.scopes[scope] {
            queue.removeAll { $0.id == id }
            mutations.scopes[scope] = queue.isEmpty ? nil : queue
            if let next = queue.first { work.turns.append(next.turn) }
        }
        mutations.paused.removeAll { $0.id == id }
        if mutations.resumed.remove(id) != nil, mutations.resumed.isEmpty {
            endWaitingForMutations(moment, &work)
        }
    }

    /// Refetches what waited for the resumed mutations.
    mutating func endWaitingForMutations(_ moment: Moment, _ work: inout Work) {
        let changes = mutations.afterResumed
        mutations.afterResumed = []
        mutations.resumed = []
        mutations.patienceEnds = .max
        for change in changes { tell(change, moment, &work) }
    }

    /// Ends all that waits or runs. What waits finds on its return that it was cleared away, and throws.
    mutating func clearMutations(_ work: inout Work) {
        mutations.clearedBefore = nextID + 1
        for (_, turn) in mutations.paused { work.turns.append(turn) }
        for queue in mutations.scopes.values {
            for (_, turn) in queue { work.turns.append(turn) }
        }
        work.endedMutations += mutations.running.sorted { $0.key < $1.key }.map(\.value)
        mutations.running = [:]
        mutations.paused = []
        mutations.scopes = [:]
        mutations.resumed = []
        mutations.afterResumed = []
        mutations.patienceEnds = .max
        clearEdits(&work)
    }
}
