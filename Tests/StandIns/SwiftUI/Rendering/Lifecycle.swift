/// A view that acts when it comes on the screen and when it leaves.
@MainActor
protocol Lifecycle {
    /// The view is on the screen now.
    func appeared(_ node: Node)
    /// The view is no longer on the screen; it may come back.
    func disappeared(_ node: Node)
    /// The view is out of the tree and does not come back.
    func removed(_ node: Node)
}

extension Lifecycle {
    func appeared(_ node: Node) {}
    func disappeared(_ node: Node) {}
    func removed(_ node: Node) {}
}

/// A view whose children may wait until a list has room for them.
@MainActor
protocol RowParent {}

/// A view that shows its rows only as far as there is room.
@MainActor
protocol RowContainer {}
