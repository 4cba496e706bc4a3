internal import PigeonBase

/// Observers in the order of their numbers. Each is found by its number or by its identity, in a time that hardly
/// depends on how many there are.
struct ObserverList {
    private(set) var all = Roster<OwnedObservation>()
    private var identified: [Int: Set<UInt64>] = [:]

    /// Observers that may have an identity.
    func candidates(for identity: ObserverIdentity) -> [(number: UInt64, one: OwnedObservation)] {
        (identified[identity.hash] ?? []).compactMap { number in all[number].map { (number, $0) } }
    }

    /// Adds an observer, or replaces the one with the same number.
    mutating func set(_ one: OwnedObservation, _ number: UInt64) {
        all.set(one, number)
        if let identity = one.observation.identity { identified[identity.hash, default: []].insert(number) }
    }

    @discardableResult
    mutating func update<Result>(_ number: UInt64, _ change: (inout OwnedObservation) -> Result) -> Result? {
        all.update(number, change)
    }

    mutating func remove(_ number: UInt64) -> OwnedObservation? {
        guard let one = all.remove(number) else { return nil }
        if let identity = one.observation.identity { identified.remove(number, at: identity.hash) }
        return one
    }
}

extension Dictionary where Value == Set<UInt64> {
    /// Removes a number from the set of a key, and the set with its last number.
    mutating func remove(_ number: UInt64, at key: Key) {
        self[key]?.remove(number)
        if self[key]?.isEmpty ?? false { self[key] = nil }
    }
}
