/// A list of elements sorted by their numbers, in which each element is found by its number.
///
/// Adding an element with the greatest number takes amortized constant time. Finding or removing one takes logarithmic
/// time. A removed element leaves a gap. All gaps are closed together once they outnumber the elements.
struct Roster<Element> {
    fileprivate struct Place {
        let number: UInt64
        /// `nil` in a gap.
        var element: Element?
    }

    private var places: [Place] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    subscript(number: UInt64) -> Element? {
        index(of: number).flatMap { places[$0].element }
    }

    /// Adds an element, or replaces the element with the same number.
    ///
    /// - Returns: The element that was replaced.
    @discardableResult
    mutating func set(_ element: Element, _ number: UInt64) -> Element? {
        if places.last.map({ $0.number < number }) ?? true {
            places.append(Place(number: number, element: element))
            count += 1
            return nil
        }
        let index = position(of: number)
        guard places[index].number == number else {
            places.insert(Place(number: number, element: element), at: index)
            count += 1
            return nil
        }
        let old = places[index].element
        places[index].element = element
        if old == nil { count += 1 }
        return old
    }

    @discardableResult
    mutating func remove(_ number: UInt64) -> Element? {
        guard let index = index(of: number), let old = places[index].element else { return nil }
        places[index].element = nil
        count -= 1
        if places.count > 2 * count + 16 || count == 0 { places.removeAll { $0.element == nil } }
        return old
    }

    private func index(of number: UInt64) -> Int? {
        let index = position(of: number)
        return index < places.count && places[index].number == number ? index : nil
    }

    /// Returns the index of the first place whose number is not smaller.
    private func position(of number: UInt64) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Roster: Sendable where Element: Sendable {}
extension Roster.Place: Sendable where Element: Sendable {}

extension Roster: Sequence {
    struct Iterator: IteratorProtocol {
        fileprivate let places: [Place]
        private var index = 0

        fileprivate init(_ places: [Place]) {
            self.places = places
        }

        mutating func next() -> Element? {
            while index < places.count {
                defer { index += 1 }
                if let element = places[index].element { return element }
            }
            return nil
        }
    }

    func makeIterator() -> Iterator { Iterator(places) }
}

extension Roster where Element: AnyObject {
    /// Calls `body` with each element. The roster retains all elements for the duration, which avoids a retain and a
    /// release for each.
    func forEachUncounted(_ body: (Element) -> Void) {
        withExtendedLifetime(places) {
            for index in places.indices {
                guard let element = places[index].element.map(Unmanaged.passUnretained) else { continue }
                element._withUnsafeGuaranteedRef(body)
            }
        }
    }
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
