/// Which mutations run, and which wait: for the network, or for their turn in a scope.
struct MutationQueue {
    /// Those that run or wait in a scope, first come first.
    var scopes: [String: [(id: UInt64, turn: Waiter)]] = [:]
    /// Those that wait for the network.
    var paused: [(id: UInt64, turn: Waiter)] = []
    /// Those that waited for the network and run now; entries refetch when all have ended (T73).
    var resumed: Set<UInt64> = []
    var afterResumed: SurroundingsChange?
    /// Mutations started before this number were cleared away.
    var clearedBefore: UInt64 = 0
}

extension ClientState {
    /// Lets waiting mutations go on, and tells the entries once those have ended. (T73)
    mutating func resumeMutations(then change: SurroundingsChange, _ moment: Moment, _ work: inout Work) {
        guard moment.isOnline, !mutations.paused.isEmpty else { return tell(change, moment, &work) }
        for (id, turn) in mutations.paused {
            mutations.resumed.insert(id)
            work.turns.append(turn)
        }
        mutations.paused = []
        mutations.afterResumed = change
        tell(.conditions, moment, &work)
    }

    /// A mutation has ended: the next of its scope gets its turn.
    mutating func endMutation(_ id: UInt64, scope: String?, _ moment: Moment, _ work: inout Work) {
        if let scope, var queue = mutations.scopes[scope] {
            let wasFirst = queue.first?.id == id
            queue.removeAll { $0.id == id }
            mutations.scopes[scope] = queue.isEmpty ? nil : queue
            if wasFirst, let next = queue.first { work.turns.append(next.turn) }
        }
        mutations.paused.removeAll { $0.id == id }
        if mutations.resumed.remove(id) != nil, mutations.resumed.isEmpty, let change = mutations.afterResumed {
            mutations.afterResumed = nil
            tell(change, moment, &work)
        }
    }

    /// Lets go of all that waits or runs: on its return each finds that it was cleared away, and throws.
    mutating func clearMutations(_ work: inout Work) {
        mutations.clearedBefore = nextID + 1
        for (_, turn) in mutations.paused { work.turns.append(turn) }
        for queue in mutations.scopes.values {
            for (_, turn) in queue { work.turns.append(turn) }
        }
        mutations.paused = []
        mutations.scopes = [:]
        mutations.resumed = []
        mutations.afterResumed = nil
    }
}
