/// Identifies an entry without a value, and its state. Invalid once the entry receives or loses a value.
package struct EmptyEntryToken: Sendable, Equatable {
    let slot: Slot
    let valueVersion: UInt64

    package static func == (one: EmptyEntryToken, other: EmptyEntryToken) -> Bool {
        one.slot === other.slot && one.valueVersion == other.valueVersion
    }
}

extension QueryClient {
    /// The token of an entry that has no value yet. `nil` if it has a value, or if there is no entry.
    package func emptyEntryToken<Value: Sendable>(of key: QueryKey, as type: Value.Type) -> EmptyEntryToken? {
        state.withLock { state in
            guard let slot = state.entries[key], slot.valueType == ObjectIdentifier(type) else { return nil }
            guard slot.entry.shown == nil, slot.entry.base == nil else { return nil }
            return EmptyEntryToken(slot: slot, valueVersion: slot.entry.valueVersion)
        }
    }

    /// Shows a cached value, with the edits of running mutations, unless the entry has received or lost a value since the
    /// token was created.
    ///
    /// - Parameter freshFor: The freshness lifetime that the server specified with the value, if it did.
    /// - Returns: The payload of the cached value. `nil` if the value was not taken.
    package func show<Value: Sendable>(
        cached value: Value, age: Duration, freshFor: Duration? = nil, at token: EmptyEntryToken
    ) -> Payload? {
        let payload = PayloadOf(value)
        let found = FoundValue(payload: payload, age: age, freshFor: freshFor?.clampedNanoseconds)
        let isTaken = take(found, at: token.slot) { _ in
            token.slot.entry.valueVersion == token.valueVersion
        }
        return isTaken ? payload : nil
    }

    /// True if a value that was found in a cache is still the current one.
    package func holds(_ payload: Payload, at token: EmptyEntryToken) -> Bool {
        state.withLock { _ in token.slot.holds(payload) }
    }
}
