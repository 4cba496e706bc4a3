/// The observers of an entry, and the options that follow from all of them. The cost of an input does not depend on
/// their number.
///
/// Boxed, because most entries have none. It still has value semantics: a shared box is copied before it changes.
package struct ObserverSet: Sendable {
    private final class Box: @unchecked Sendable {  // changed only while one value holds it
        var roster = Roster<AttachedObserver>()
        var enabledCount = 0
        /// Number of enabled observers with a finite stale time.
        var ageingCount = 0
        var backgroundPollerCount = 0
        /// Stale times of enabled observers, in nanoseconds.
        var staleTimes = CountedNumbers()
        /// Polling intervals of enabled observers, in nanoseconds.
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

    /// True if the value can turn stale for any enabled observer.
    var hasAgeing: Bool { (box?.ageingCount ?? 0) > 0 }

    /// The shortest stale time of the enabled observers, in nanoseconds.
    var shortestStaleTime: Int64? { box?.staleTimes.smallest }

    /// The shortest stale time that is longer than `age`, in nanoseconds.
    func shortestStaleTime(above age: Int64) -> Int64? { box?.staleTimes.smallest(above: age) }

    /// The shortest polling interval of the enabled observers, in nanoseconds.
    var shortestPoll: Int64? { box?.pollTimes.smallest }

    /// The interval with which the next poll was scheduled, in nanoseconds.
    var polledEvery: Int64? {
        get { box?.polledEvery }
        set {
            guard let box, box.polledEvery != newValue else { return }
            own().polledEvery = newValue
        }
    }

    subscript(id: UInt64) -> AttachedObserver? { box?.roster[id] }

    /// Adds an observer, or replaces the options of an existing one.
    mutating func set(_ observer: AttachedObserver) {
        let box = own()
        let old = box.roster.set(observer, observer.id)
        if let old { Self.count(old, -1, in: box) }
        Self.count(observer, 1, in: box)
    }

    /// - Returns: True if the observer was in the set.
    mutating func remove(_ id: UInt64) -> Bool {
        guard self[id] != nil else { return false }
        let box = own()
        if let old = box.roster.remove(id) { Self.count(old, -1, in: box) }
        if box.roster.isEmpty { self.box = nil }
        return true
    }

    /// Returns a box that is not shared, copying it if necessary.
    private mutating func own() -> Box {
        if box != nil, isKnownUniquelyReferenced(&box), let box { return box }
        let made = box.map(Box.init(copying:)) ?? Box()
        box = made
        return made
    }

    private static func count(_ observer: AttachedObserver, _ change: Int, in box: Box) {
        guard observer.isEnabled else { return }
        let options = observer.options.values
        box.enabledCount += change
        if options.staleAfter.kind != .immutable { box.ageingCount += change }
        if case .after(let nanoseconds) = options.staleAfter.kind {
            if change > 0 { box.staleTimes.add(nanoseconds) } else { box.staleTimes.remove(nanoseconds) }
        }
        if let interval = options.pollEvery?.clampedNanoseconds, interval > 0 {
            if options.pollsInBackground { box.backgroundPollerCount += change }
            if change > 0 { box.pollTimes.add(interval) } else { box.pollTimes.remove(interval) }
        }
    }
}

extension ObserverSet: Sequence {
    package struct Iterator: IteratorProtocol {
        var observers: Roster<AttachedObserver>.Iterator?

        package mutating func next() -> AttachedObserver? { observers?.next() }
    }

    /// Iterates over the observers in the order in which they attached.
    package func makeIterator() -> Iterator { Iterator(observers: box?.roster.makeIterator()) }
}

/// A sorted multiset of numbers. Few of them differ, because most observers of one key use the same options.
struct CountedNumbers: Sendable {
    private var numbers: [(value: Int64, count: Int)] = []

    var smallest: Int64? { numbers.first?.value }

    /// The smallest number that is greater than `value`.
    func smallest(above value: Int64) -> Int64? {
        guard value < .max else { return nil }
        let index = position(of: value + 1)
        return index < numbers.count ? numbers[index].value : nil
    }

    mutating func add(_ value: Int64) {
        let index = position(of: value)
        if index < numbers.count, numbers[index].value == value {
            numbers[index].count += 1
        } else {
            numbers.insert((value, 1), at: index)
        }
    }

    mutating func remove(_ value: Int64) {
        let index = position(of: value)
        guard index < numbers.count, numbers[index].value == value else { return }
        numbers[index].count -= 1
        if numbers[index].count == 0 { numbers.remove(at: index) }
    }

    /// Returns the index of the first number that is not smaller.
    private func position(of value: Int64) -> Int {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle].value < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
