/// Another type that a value can be read as, beside its own: a list of pages as all its items.
///
/// Part of the definition that fetches, so that whoever only watches the key needs to know nothing of it.
@usableFromInline
package final class Reading: Sendable {
    let type: any Sendable.Type

    /// Reads a value of the version. User code: called outside locks only.
    let read: @Sendable (_ payload: Payload, _ valueVersion: UInt64) -> Payload?

    init(as type: any Sendable.Type, _ read: @escaping @Sendable (Payload, UInt64) -> Payload?) {
        self.type = type
        self.read = read
    }
}

extension QueryDefinition {
    /// Lets those who watch the key without fetching see the value as another type.
    ///
    /// - Parameter read: Makes it of a value and its version. Called outside locks, on any thread.
    package func readable<Other: Sendable>(
        as type: Other.Type, _ read: @escaping @Sendable (Value, _ valueVersion: UInt64) -> Other?
    ) -> Self {
        adding { extras in
            extras.reading = Reading(as: type) { payload, version in
                guard let payload = payload as? PayloadOf<Value> else { return nil }
                return read(payload.value, version).map { PayloadOf($0) }
            }
        }
    }

    /// Whether a definition can only watch: it brings no value, from a server or a cache.
    var onlyWatches: Bool { fetcher == nil && extras?.persistence == nil && extras?.initial == nil }
}
