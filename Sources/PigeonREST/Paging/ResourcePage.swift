public import Foundation

/// One page of a list.
public struct ResourcePage<Item: Sendable>: Sendable {
    /// What is on it.
    public var items: [Item]

    /// Where the next page is. `nil` at the end of the list.
    public var next: URL?

    /// Where the page before is. `nil` at the start of the list.
    public var previous: URL?

    /// Creates a page.
    public init(items: [Item], next: URL? = nil, previous: URL? = nil) {
        self.items = items
        self.next = next
        self.previous = previous
    }
}

extension ResourcePage: Equatable where Item: Equatable {}

extension ResourcePage: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }

    /// How many items there are.
    public var endIndex: Int { items.count }

    /// An item.
    public subscript(position: Int) -> Item { items[position] }
}
