/// An entry that had no value when it was read. Stays valid until the entry receives or loses one.
///
/// A face with a cache of its own, in which it must look asynchronously, takes it before the look-up and shows there what it
/// finds: a value that has arrived in the meantime stays, and what a sign-out has removed does not come back.
///
/// ```swift
/// guard let empty = client.emptyEntry(of: definition) else { return }
/// if let found = await disk.picture(at: url) { client.show(found.data, age: found.age, in: empty) }
/// ```
public struct EmptyEntry<Value: Sendable>: Sendable, Equatable {
    fileprivate let slot: Slot
    fileprivate let valueVersion: UInt64

    /// True if both are the same entry, which has neither received nor lost a value in between.
    public static func == (one: EmptyEntry, other: EmptyEntry) -> Bool {
        one.slot === other.slot && one.valueVersion == other.valueVersion
    }
}

extension QueryClient {
    /// Returns the entry of a query if it has no value. `nil` if it has one, or if there is no entry. An entry exists while
    /// it is observed, fetched or has a value.
    public func emptyEntry<Value>(of definition: QueryDefinition<Value>) -> EmptyEntry<Value>? {
        emptyEntry(of: definition.key, as: Value.self)
    }

    package func emptyEntry<Value: Sendable>(of key: QueryKey, as type: Value.Type) -> EmptyEntry<Value>? {
        state.withLock { state in
            guard let slot = state.entries[key], slot.valueType == ObjectIdentifier(type) else { return nil }
            guard slot.entry.shown == nil, slot.entry.base == nil else { return nil }
            return EmptyEntry(slot: slot, valueVersion: slot.entry.valueVersion)
        }
    }

    /// Shows a value that was found elsewhere, with the edits of running mutations, unless the entry has received or lost a
    /// value since it was read. A fetch in flight continues.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - age: The age of the value.
    ///   - freshFor: The freshness lifetime that the server specified with the value, from when it sent it. `nil` if it
    ///     specified none.
    ///   - entry: The entry, from before the value was looked up.
    /// - Returns: True if the value is shown.
    @discardableResult
    public func show<Value: Sendable>(
        _ value: Value, age: Duration, freshFor: Duration? = nil, in entry: EmptyEntry<Value>
    ) -> Bool {
        show(PayloadOf(value), age: age, freshFor: freshFor, in: entry)
    }

    package func show<Value: Sendable>(
        _ payload: PayloadOf<Value>, age: Duration, freshFor: Duration?, in entry: EmptyEntry<Value>
    ) -> Bool {
        let found = FoundValue(payload: payload, age: age, freshFor: freshFor?.clampedNanoseconds)
        return take(found, at: entry.slot) { _ in entry.slot.entry.valueVersion == entry.valueVersion }
    }

    /// True if a value that was shown in an entry is still the current one, even if it has been evicted since.
    package func holds<Value: Sendable>(_ payload: Payload, in entry: EmptyEntry<Value>) -> Bool {
        state.withLock { _ in entry.slot.holds(payload) }
    }
}
