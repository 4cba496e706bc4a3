/// A queue of events that are delivered in order, never nested, and by one caller at a time.
///
/// The queue lies under its owner's lock and calls no other code. A caller adds an event and calls ``begin()`` while it holds
/// the lock, and delivers the result without the lock. It then does the same with ``next()``, until that returns `nil`. While
/// one caller delivers, `begin()` returns `nil` to all others, on other threads and further down its own stack. The caller
/// that delivers takes their events too, so that none is left.
///
/// The functions are specialized where they are used, so an event costs no look-up of type metadata.
@usableFromInline
package struct SerialDelivery<Event> {
    /// The events that come next, last to first, and those that were added since. Taking an event from the start of one
    /// array would move all others.
    @usableFromInline var ready: [Event]
    @usableFromInline var added: [Event]
    /// True while a caller delivers.
    @usableFromInline package internal(set) var isDelivering: Bool

    @inlinable
    package init() {
        (ready, added, isDelivering) = ([], [], false)
    }

    /// True if no event is pending.
    @inlinable package var isEmpty: Bool { ready.isEmpty && added.isEmpty }

    /// Adds an event after all others.
    @inlinable
    package mutating func add(_ event: Event) { added.append(event) }

    /// Begins to deliver without taking an event. The caller must take all events, or call ``proceed()``, afterwards.
    ///
    /// - Returns: False if another caller is delivering.
    @inlinable
    package mutating func reserve() -> Bool {
        guard !isDelivering else { return false }
        isDelivering = true
        return true
    }

    /// Ends the delivery, unless events are pending.
    ///
    /// - Returns: True if events are pending, which the caller must deliver.
    @inlinable
    package mutating func proceed() -> Bool {
        isDelivering = !isEmpty
        return isDelivering
    }

    // MARK: One event at a time

    /// Begins to deliver, and removes the first event.
    ///
    /// - Returns: `nil` if there is no event, or if another caller is delivering.
    @inlinable
    package mutating func begin() -> Event? { isDelivering ? nil : next() }

    /// Removes the next event, for the caller that is delivering. Ends the delivery if there is none.
    @inlinable
    package mutating func next() -> Event? {
        guard proceed() else { return nil }
        if ready.isEmpty, added.count > 1 {
            swap(&ready, &added)
            ready.reverse()
        }
        return ready.popLast() ?? added.popLast()
    }

    // MARK: All pending events at once

    /// Begins to deliver, and removes all events.
    ///
    /// - Returns: `nil` if there is no event, or if another caller is delivering.
    @inlinable
    package mutating func beginAll() -> [Event]? { isDelivering ? nil : nextAll() }

    /// Removes all events, for the caller that is delivering. Ends the delivery if there is none.
    @inlinable
    package mutating func nextAll() -> [Event]? {
        guard proceed() else { return nil }
        defer { (ready, added) = ([], []) }
        return ready.isEmpty ? added : Array(ready.reversed()) + added
    }
}

extension SerialDelivery: Sendable where Event: Sendable {}
