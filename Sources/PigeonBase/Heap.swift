/// A queue that returns its smallest element first. Inserting and removing take a time that grows with the logarithm of
/// the count.
///
/// It is part of the library, because a package of collections would be a quarter of what a program that uses Pigeon
/// compiles. Public, because code in a package is not inlined into other modules. Not for use outside the library.
public struct _Heap<Element: Comparable> {
    /// All elements, in no particular order. No element is less than the one at half of its index.
    public var unordered: [Element] = []

    /// Creates an empty heap.
    @inlinable
    public init() {}

    /// Creates a heap of elements in any order.
    @inlinable
    public init(_ elements: [Element]) {
        unordered = elements
        for index in unordered.indices.prefix(unordered.count / 2).reversed() { sink(from: index) }
    }

    /// Number of elements.
    @inlinable
    public var count: Int { unordered.count }

    /// The smallest element.
    @inlinable
    public var min: Element? { unordered.first }

    /// Adds an element.
    @inlinable
    public mutating func insert(_ element: Element) {
        var index = unordered.count
        unordered.append(element)
        while index > 0, element < unordered[(index - 1) / 2] {
            unordered.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes and returns the smallest element. `nil` if there is none.
    @inlinable
    @discardableResult
    public mutating func popMin() -> Element? {
        guard let last = unordered.popLast() else { return nil }
        guard let first = unordered.first else { return last }
        unordered[0] = last
        sink(from: 0)
        return first
    }

    /// Swaps an element with its smaller child, until both children are greater.
    @inlinable
    mutating func sink(from start: Int) {
        var index = start
        while true {
            var least = index
            let (left, right) = (2 * index + 1, 2 * index + 2)
            if left < unordered.count, unordered[left] < unordered[least] { least = left }
            if right < unordered.count, unordered[right] < unordered[least] { least = right }
            guard least != index else { return }
            unordered.swapAt(index, least)
            index = least
        }
    }
}

extension _Heap: Sendable where Element: Sendable {}
