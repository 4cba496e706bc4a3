/// Identifies an entry that had no value, and the state that it had then.
package struct EmptyPlace: Sendable, Equatable {
    let slot: Slot
    let valueVersion: UInt64

    package static func == (one: EmptyPlace, other: EmptyPlace) -> Bool {
        one.slot === other.slot && one.valueVersion == other.valueVersion
    }
}

extension QueryClient {
    /// The place of an entry that has no value yet. `nil` if it has a value, or if there is no entry.
    package func emptyPlace<Value: Sendable>(of key: QueryKey, as type: Value.Type) -> EmptyPlace? {
        state.withLock { state in
            guard let slot = state.entries[key], slot.valueType == ObjectIdentifier(type) else { return nil }
            guard slot.entry.shown == nil, slot.entry.base == nil else { return nil }
            return EmptyPlace(slot: slot, valueVersion: slot.entry.valueVersion)
        }
    }

    /// Shows a cached value, unless the entry has received or lost a value since the place was taken.
    ///
    /// - Returns: The payload that is shown. `nil` if the value was not taken.
    package func show<Value: Sendable>(cached value: Value, age: Duration, at place: EmptyPlace) -> Payload? {
        let payload = PayloadOf(value)
        let cost = budget == nil ? 0 : payload.estimatedCost
        return transact { state, work, moment in
            let slot = place.slot
            guard !slot.isRemoved, slot.entry.valueVersion == place.valueVersion else { return nil }
            state.send(.hydrate(payload, age: age, isStale: false, freshFor: nil), to: slot, moment, &work)
            guard slot.entry.shown === payload else { return nil }
            if budget != nil { state.charge(slot, cost, moment, &work) }
            return payload
        }
    }

    /// True if a value that was found in a cache is still the current one.
    package func holds(_ payload: Payload, at place: EmptyPlace) -> Bool {
        state.withLock { _ in place.slot.holds(payload) }
    }
}
