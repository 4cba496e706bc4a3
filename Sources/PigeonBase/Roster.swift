/// A list of elements sorted by their numbers, in which each element is found by its number.
///
/// Adding an element with the greatest number takes amortized constant time. Finding or removing one takes logarithmic
/// time. A removed element leaves a gap. All gaps are closed together once they outnumber the elements.
///
/// The type is public under another name, because bodies of `package` functions are not inlined into other modules.
package typealias Roster = _Roster

/// See ``Roster``.
@frozen
public struct _Roster<Element> {
    @frozen @usableFromInline
    struct Place {
        @usableFromInline let number: UInt64
        /// `nil` in a gap.
        @usableFromInline var element: Element?

        @inlinable
        init(number: UInt64, element: Element?) {
            self.number = number
            self.element = element
        }
    }

    @usableFromInline var places: [Place] = []

    /// The number of elements.
    @inlinable public var count: Int { storedCount }

    @usableFromInline var storedCount = 0

    /// Creates an empty list.
    @inlinable
    public init() {}

    /// True if the list has no elements.
    @inlinable public var isEmpty: Bool { storedCount == 0 }

    /// The element with a number. `nil` if there is none.
    @inlinable
    public subscript(number: UInt64) -> Element? {
        index(of: number).flatMap { places[$0].element }
    }

    /// Adds an element, or replaces the element with the same number.
    ///
    /// - Returns: The element that was replaced.
    @inlinable @discardableResult
    public mutating func set(_ element: Element, _ number: UInt64) -> Element? {
        if places.last.map({ $0.number < number }) ?? true {
            places.append(Place(number: number, element: element))
            storedCount += 1
            return nil
        }
        let index = position(of: number)
        guard places[index].number == number else {
            places.insert(Place(number: number, element: element), at: index)
            storedCount += 1
            return nil
        }
        let old = places[index].element
        places[index].element = element
        if old == nil { storedCount += 1 }
        return old
    }

    /// Changes the element with a number in place.
    ///
    /// - Returns: The result of `change`. `nil` if there is no element with this number.
    @inlinable @discardableResult
    public mutating func update<Result>(_ number: UInt64, _ change: (inout Element) -> Result) -> Result? {
        guard let index = index(of: number), var element = places[index].element else { return nil }
        places[index].element = nil  // so that the change does not copy the element's own storage
        defer { places[index].element = element }
        return change(&element)
    }

    /// Removes the element with a number.
    ///
    /// - Returns: The element. `nil` if there is none.
    @inlinable @discardableResult
    public mutating func remove(_ number: UInt64) -> Element? {
        guard let index = index(of: number), let old = places[index].element else { return nil }
        places[index].element = nil
        storedCount -= 1
        if places.count > 2 * storedCount + 16 || storedCount == 0 { places.removeAll { $0.element == nil } }
        return old
    }

    @inlinable
    func index(of number: UInt64) -> Int? {
        let index = position(of: number)
        return index < places.count && places[index].number == number ? index : nil
    }

    /// Returns the index of the first place whose number is not smaller.
    @inlinable
    func position(of number: UInt64) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension _Roster: Sendable where Element: Sendable {}
extension _Roster.Place: Sendable where Element: Sendable {}

extension _Roster: Sequence {
    /// Iterates over the elements in the order of their numbers.
    @frozen
    public struct Iterator: IteratorProtocol {
        @usableFromInline let places: [Place]
        @usableFromInline var index = 0

        @inlinable
        init(_ places: [Place]) {
            self.places = places
        }

        /// The next element, or `nil` after the last one.
        @inlinable
        public mutating func next() -> Element? {
            while index < places.count {
                defer { index += 1 }
                if let element = places[index].element { return element }
            }
            return nil
        }
    }

    /// Returns an iterator over the current elements.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(places) }
}

extension _Roster where Element: AnyObject {
    /// Calls `body` with each element whose number is at least `first`. The list retains all elements for the
    /// duration, which avoids a retain and a release for each.
    @inlinable
    public func forEachUncounted(from first: UInt64 = 0, _ body: (Element) -> Void) {
        withExtendedLifetime(places) {
            for index in position(of: first)..<places.count {
                guard let element = places[index].element.map(Unmanaged.passUnretained) else { continue }
                element._withUnsafeGuaranteedRef(body)
            }
        }
    }
}
