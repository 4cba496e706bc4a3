/// Elements in the order of their numbers, and each found by its number.
///
/// Adding one with the greatest number costs amortized constant time, finding and removing one the logarithm of how many
/// there are. What was removed leaves a gap, and the gaps are closed together when they are more than the elements.
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

    /// Adds an element, or puts it in the place of the one with its number.
    ///
    /// - Returns: The element that was there.
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

    /// The first place whose number is not smaller.
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
    /// Calls `body` with each element. The roster keeps them meanwhile: none is counted up and down.
    func forEachUncounted(_ body: (Element) -> Void) {
        withExtendedLifetime(places) {
            for index in places.indices {
                guard let element = places[index].element.map(Unmanaged.passUnretained) else { continue }
                element._withUnsafeGuaranteedRef(body)
            }
        }
    }
}

/// Numbers in order, each with how often it is there. Few of them differ: observers of one key mostly want the same.
struct CountedNumbers: Sendable {
    private var numbers: [(value: Int64, count: Int)] = []

    var smallest: Int64? { numbers.first?.value }

    /// The smallest that is greater than another one.
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

    /// The first place whose value is not smaller.
    private func position(of value: Int64) -> Int {
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle].value < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
