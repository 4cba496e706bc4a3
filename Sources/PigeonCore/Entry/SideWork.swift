/// The work of an entry besides its fetch: page loads in both directions, and readings of its source of truth. Boxed,
/// because most entries have none.
package final class SideWork: @unchecked Sendable {  // changed only by an entry that holds the only reference
    // No other entry or picture holds the object while it changes.
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

    /// Returns side work that is not shared. Copies it if a picture holds it too.
    private mutating func ownSide() -> SideWork {
        if isKnownUniquelyReferenced(&side), let side { return side }
        let own = side?.copy() ?? SideWork()
        side = own
        return own
    }
}
