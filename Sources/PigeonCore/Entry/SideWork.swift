/// What an entry does beside its fetch: page loads of both directions, and reading its source of truth. Boxed: most
/// entries have none of it.
package final class SideWork: Sendable {
    package let next: PageWork
    package let previous: PageWork
    package let source: SourceWork

    package init(
        next: PageWork = PageWork(), previous: PageWork = PageWork(), source: SourceWork = SourceWork()
    ) {
        self.next = next
        self.previous = previous
        self.source = source
    }

    package subscript(direction: PageDirection) -> PageWork {
        direction == .next ? next : previous
    }

    package func replacing(_ direction: PageDirection, with flight: PageWork) -> SideWork {
        direction == .next
            ? SideWork(next: flight, previous: previous, source: source)
            : SideWork(next: next, previous: flight, source: source)
    }

    package func replacing(_ source: SourceWork) -> SideWork {
        SideWork(next: next, previous: previous, source: source)
    }
}
