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

    /// Shows a cached value, with the edits of running mutations, unless the entry has received or lost a value since the
    /// place was taken.
    ///
    /// - Parameters:
    ///   - value: The cached value.
    ///   - age: The age of the value.
    ///   - freshFor: The freshness lifetime that the server specified with the value, if it did.
    ///   - place: The place of the entry.
    /// - Returns: The payload of the cached value. `nil` if the value was not taken.
    package func show<Value: Sendable>(
        cached value: Value, age: Duration, freshFor: Duration? = nil, at place: EmptyPlace
    ) -> Payload? {
        let payload = PayloadOf(value)
        let found = FoundValue(payload: payload, age: age, freshFor: freshFor?.clampedNanoseconds)
        let isTaken = show(found, at: place.slot) { _, _, _ in
            place.slot.entry.valueVersion == place.valueVersion
        }
        return isTaken ? payload : nil
    }

    /// True if a value that was found in a cache is still the current one.
    package func holds(_ payload: Payload, at place: EmptyPlace) -> Bool {
        state.withLock { _ in place.slot.holds(payload) }
    }
}
