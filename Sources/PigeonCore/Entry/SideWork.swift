/// What an entry does beside its fetch: page loads of both directions, and reading its source of truth. Boxed: most
/// entries have none of it.
package final class SideWork: @unchecked Sendable {  // changed only by an entry that has it alone
    // Nobody else can have it while it is changed.
    @exclusivity(unchecked) package fileprivate(set) var next = PageWork()
    @exclusivity(unchecked) package fileprivate(set) var previous = PageWork()
    @exclusivity(unchecked) package fileprivate(set) var source = SourceWork()

    package subscript(direction: PageDirection) -> PageWork {
        direction == .next ? next : previous
    }

    fileprivate func copy() -> SideWork {
        let copy = SideWork()
        (copy.next, copy.previous, copy.source) = (next, previous, source)
        return copy
    }
}

extension Entry {
    mutating func changePage(_ direction: PageDirection, _ change: (inout PageWork) -> Void) {
        let side = ownSide()
        if direction == .next { change(&side.next) } else { change(&side.previous) }
    }

    mutating func changeSource(_ change: (inout SourceWork) -> Void) {
        change(&ownSide().source)
    }

    /// The side work, which nobody else has: a picture may have been taken with it.
    private mutating func ownSide() -> SideWork {
        if isKnownUniquelyReferenced(&side), let side { return side }
        let own = side?.copy() ?? SideWork()
        side = own
        return own
    }
}
