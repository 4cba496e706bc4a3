/// Collects the effects of an entry. The caller of ``Entry/receive(_:at:into:)`` owns the buffer and reuses it.
package struct EffectBuffer {
    package private(set) var effects: [EntryEffect] = []

    /// True if the event stream has a listener. Without one, the entry creates no events.
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
