extension QueryClient {
    /// Marks entries stale, in memory and in the caches, and refetches those that are observed.
    ///
    /// - Parameters:
    ///   - filter: Selects the entries.
    ///   - refetch: The entries among them to fetch again.
    public func invalidate(_ filter: KeyFilter, refetch: RefetchScope = .active) {
        invalidate(filter, refetch: refetch, cause: .requested)
    }

    /// Marks entries stale, in memory and in the caches, and waits until the resulting fetches have succeeded or
    /// failed, and until those who share the values can know of it.
    ///
    /// Does not wait for paused fetches, nor for the store of a fleet that cannot be reached: ``flush()`` says whether it was.
    /// To go on at once, as outside asynchronous functions, call
    /// ``invalidateWithoutWaiting(_:refetch:)-(KeyFilter,_)``.
    public func invalidate(_ filter: KeyFilter, refetch: RefetchScope = .active) async {
        await settle(invalidate(filter, refetch: refetch, cause: .requested))
        _ = await sharer?.settle()
    }

    /// Marks entries stale, starts the resulting fetches, and does not wait for them.
    ///
    /// For asynchronous functions, in which Swift always chooses the `invalidate` that waits.
    public func invalidateWithoutWaiting(_ filter: KeyFilter, refetch: RefetchScope = .active) {
        invalidate(filter, refetch: refetch, cause: .requested)
    }

    /// - Returns: The entries that are being refetched, and the numbers of their requests.
    @discardableResult
    package func invalidate(_ filter: KeyFilter, refetch: RefetchScope, cause: Cause) -> [SlotRequest] {
        var refetched: [SlotRequest] = []
        func invalidate(_ slots: [Slot], _ state: inout ClientState) {
            for slot in slots {
                let refetch = state.isOwnFetch(of: slot) ? .none : refetch
                state.send(.invalidate(cause, refetch: refetch), to: slot)
                // During a first load, this is the number of the request that follows it.
                if slot.entry.isBusy, slot.entry.wantsRefetch(refetch, by: cause) {
                    refetched.append((slot, slot.entry.invalidatedBefore))
                }
            }
        }
        guard let scope = filter.recordScope else {
            withMatches(filter) { state, slots in
                for slot in slots {
                    if slot.extras?.persistence != nil { state.markRecords(.key(slot.key)) }
                    state.tellOfKey(of: slot, cause)
                }
                invalidate(slots, &state)
            }
            return refetched
        }
        transact { state in
            state.markRecords(scope)
            state.tell(.stale(scope), cause)
            // Each entry must know at once if it has an event of its own, or if it may be refetched without an observer.
            let visitsAll = state.events.hasListeners || refetch == .all || refetch == .inactive
            let slots = visitsAll ? state.entries.slots(in: scope) : state.entries.mark(scope, cause)
            invalidate(slots, &state)
        }
        return refetched
    }
}

/// An invalidation of all keys below a path.
package struct KeyInvalidation: Sendable {
    package let path: QueryKey
    /// The request to use for later fetches. `nil` keeps the newest request of each key.
    package let newRequest: (any Sendable)?
    package let cause: Cause
}

extension QueryClient {
    /// Calls `handler` whenever a path that contains `key` is invalidated.
    package func onInvalidation(
        of key: QueryKey, _ handler: @escaping @Sendable (KeyInvalidation) -> Void
    ) -> QuerySubscription {
        let id = state.withLock { state in
            let id = state.makeID()
            state.invalidationListeners.set((key, handler), id)
            return id
        }
        return subscription { $0.invalidationListeners.remove(id) }
    }

    /// Marks a path stale, and notifies the listeners below it.
    ///
    /// - Parameter request: Passed to the listeners, which fetch with it. If it is `nil`, observed entries are
    ///   refetched with the newest requests of their keys.
    package func invalidate(_ path: QueryKey, newRequest request: (any Sendable)?, cause: Cause) {
        invalidate(.path(path), refetch: request == nil ? .active : .none, cause: cause)
        let listeners = state.withLock { $0.invalidationListeners.filter { $0.key.isWithin(path) } }
        let invalidation = KeyInvalidation(path: path, newRequest: request, cause: cause)
        for (_, handler) in listeners { handler(invalidation) }
    }
}
