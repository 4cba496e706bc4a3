// Changes that a client tells the other members of its fleet, and changes that it learns from them.
extension ClientState {
    /// Tells the other members of a change, unless it is one of theirs.
    func tell(_ change: FleetNews.Change, _ cause: Cause, _ work: inout Work) {
        guard hasFleet, cause.origin != .otherProcess else { return }
        work.ownChanges.append(FleetState.OwnChange(change))
    }

    /// Tells the other members of the change of one entry, if they share it.
    func tellOfKey(of slot: Slot, _ cause: Cause, isRemoved: Bool = false, _ work: inout Work) {
        guard slot.extras?.sharing != nil else { return }
        tell(isRemoved ? .removed(.key(slot.key)) : .stale(.key(slot.key)), cause, &work)
    }

    /// Gives the other members the value that the program has written, after an input to its entry.
    func tellOfWrite(to slot: Slot, _ work: inout Work) {
        guard slot.extras?.sharing != nil else { return }
        work.ownChanges.append(FleetState.OwnChange(.stale(.key(slot.key)), written: slot.key))
    }
}

extension QueryClient {
    /// Carries out a change that another member has made.
    func take(_ change: FleetNews.Change) {
        switch change {
        case .stale(let scope): invalidate(scope.filter, refetch: .active, cause: .otherProcess)
        case .removed(let scope): remove(scope.filter, cause: .otherProcess)
        }
    }

    /// Marks shared values stale of which it is not known whether others have changed them.
    ///
    /// - Parameter isMeant: Selects the entries. Called under the client's lock.
    func invalidateShared(where isMeant: (Slot) -> Bool) {
        transact { state, work, moment in
            let slots = state.entries.slots.values.filter { $0.extras?.sharing != nil && isMeant($0) }
            for slot in slots.sorted(by: { $0.lastUsed < $1.lastUsed }) {
                state.send(.invalidate(.otherProcess, refetch: .active), to: slot, moment, &work)
            }
        }
    }

    /// The value that the program has written to a key, as it is now. `nil` if there is none, or if it is wrong by now.
    func written(at key: QueryKey) -> FleetWrite? {
        state.withLock { state in
            guard let slot = state.entries[key], !state.entries.isBehind(slot), !slot.entry.isInvalidated else {
                return nil
            }
            return FleetWrite(slot, at: clock.now())
        }
    }
}
