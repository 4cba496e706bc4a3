/// Where an entry puts its effects. Owned, and reused, by whoever feeds the entry.
package struct EffectBuffer {
    package private(set) var effects: [EntryEffect] = []

    /// Whether anyone listens to events. When nobody does, none are made.
    package var wantsEvents: Bool

    package init(wantsEvents: Bool = true) {
        self.wantsEvents = wantsEvents
    }

    package mutating func removeAll() {
        guard !effects.isEmpty else { return }
        effects.removeAll(keepingCapacity: true)
    }

    mutating func add(_ effect: EntryEffect) {
        effects.append(effect)
    }

    mutating func event(_ kind: @autoclosure () -> QueryEvent.Kind, _ cause: @autoclosure () -> Cause) {
        guard wantsEvents else { return }
        effects.append(.event(kind(), cause()))
    }

    mutating func discard(_ object: AnyObject?) {
        guard let object else { return }
        effects.append(.discard(object))
    }
}
