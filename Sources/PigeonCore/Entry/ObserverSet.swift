/// The observers of an entry, and what they want together: no input costs more because there are many of them.
///
/// Boxed, because most entries have none. A value all the same: one that is shared is copied before it changes.
package struct ObserverSet: Sendable {
    private final class Box: @unchecked Sendable {  // changed only while one value holds it
        var roster = Roster<ObserverTerms>()
        var enabledCount = 0
        /// Those enabled whose value turns stale at all.
        var ageingCount = 0
        var backgroundPollerCount = 0
        /// How long enabled observers call a value fresh, in nanoseconds.
        var staleTimes = CountedNumbers()
        /// How often enabled observers poll, in nanoseconds.
        var pollTimes = CountedNumbers()
        var polledEvery: Int64?

        init() {}

        init(copying other: Box) {
            roster = other.roster
            enabledCount = other.enabledCount
            ageingCount = other.ageingCount
            backgroundPollerCount = other.backgroundPollerCount
            staleTimes = other.staleTimes
            pollTimes = other.pollTimes
            polledEvery = other.polledEvery
        }
    }

    private var box: Box?

    package init() {}

    package var count: Int { box?.roster.count ?? 0 }
    package var isEmpty: Bool { box == nil }
    var hasEnabled: Bool { (box?.enabledCount ?? 0) > 0 }
    var pollsInBackground: Bool { (box?.backgroundPollerCount ?? 0) > 0 }

    /// True if any enabled observer has a value turn stale.
    var hasAgeing: Bool { (box?.ageingCount ?? 0) > 0 }

    /// The shortest time for which an enabled observer calls a value fresh, in nanoseconds.
    var shortestStaleTime: Int64? { box?.staleTimes.smallest }

    /// The shortest such time that is longer than an age, in nanoseconds.
    func shortestStaleTime(above age: Int64) -> Int64? { box?.staleTimes.smallest(above: age) }

    /// The shortest interval that an enabled observer polls with, in nanoseconds.
    var shortestPoll: Int64? { box?.pollTimes.smallest }

    /// The interval that the next poll was set with, in nanoseconds.
    var polledEvery: Int64? {
        get { box?.polledEvery }
        set {
            guard let box, box.polledEvery != newValue else { return }
            own().polledEvery = newValue
        }
    }

    subscript(id: UInt64) -> ObserverTerms? { box?.roster[id] }

    /// Adds an observer, or gives one that is there other terms.
    mutating func set(_ terms: ObserverTerms) {
        let box = own()
        let old = box.roster.set(terms, terms.id)
        if let old { Self.count(old, -1, in: box) }
        Self.count(terms, 1, in: box)
    }

    /// - Returns: Whether it was there.
    mutating func remove(_ id: UInt64) -> Bool {
        guard self[id] != nil else { return false }
        let box = own()
        if let old = box.roster.remove(id) { Self.count(old, -1, in: box) }
        if box.roster.isEmpty { self.box = nil }
        return true
    }

    /// The box, which no other value has.
    private mutating func own() -> Box {
        if box != nil, isKnownUniquelyReferenced(&box), let box { return box }
        let made = box.map(Box.init(copying:)) ?? Box()
        box = made
        return made
    }

    private static func count(_ terms: ObserverTerms, _ change: Int, in box: Box) {
        guard terms.isEnabled else { return }
        let options = terms.options.values
        box.enabledCount += change
        if options.pollsInBackground { box.backgroundPollerCount += change }
        if options.staleAfter.kind != .fixed { box.ageingCount += change }
        if case .after(let nanoseconds) = options.staleAfter.kind {
            if change > 0 { box.staleTimes.add(nanoseconds) } else { box.staleTimes.remove(nanoseconds) }
        }
        if let interval = options.pollEvery?.clampedNanoseconds, interval > 0 {
            if change > 0 { box.pollTimes.add(interval) } else { box.pollTimes.remove(interval) }
        }
    }
}

extension ObserverSet: Sequence {
    package struct Iterator: IteratorProtocol {
        var terms: Roster<ObserverTerms>.Iterator?

        package mutating func next() -> ObserverTerms? { terms?.next() }
    }

    /// In the order in which they attached.
    package func makeIterator() -> Iterator { Iterator(terms: box?.roster.makeIterator()) }
}
