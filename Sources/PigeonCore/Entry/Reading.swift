/// Lets a value be read as another type besides its own, such as a list of pages as the array of its items.
///
/// Belongs to the definition that fetches, so a definition that only observes the key need not know the stored type.
@usableFromInline
package final class Reading: Sendable {
    let type: any Sendable.Type

    /// Reads the value of a version. User code: called outside locks only.
    let read: @Sendable (_ payload: Payload, _ valueVersion: UInt64) -> Payload?

    init(as type: any Sendable.Type, _ read: @escaping @Sendable (Payload, UInt64) -> Payload?) {
        self.type = type
        self.read = read
    }
}

extension QueryDefinition {
    /// Lets observers that do not fetch see the value as another type.
    ///
    /// - Parameter read: Converts a value of a version. Called outside locks, on any thread.
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

    /// True if a definition can only observe: it has no fetcher, no cache and no initial value.
    var onlyWatches: Bool { fetcher == nil && extras?.persistence == nil && extras?.initial == nil }
}
