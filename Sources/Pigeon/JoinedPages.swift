import PigeonCore

/// Joins the pages of a list. Each read adds only the pages that are new since the last read, so reading after each
/// page costs only that page.
///
/// Shared by a query and all consumers of its key, on any thread.
final class JoinedPages<Page: Sendable, PageIdentifier: Sendable, Response: Sequence & Sendable>: Sendable
where Response.Element: Sendable {
    typealias List = Pages<Page, PageIdentifier>

    let part: @Sendable (Page) -> Response
    private let merge: @Sendable (inout Response, Response) -> Void
    private let response = Locked(Joined<Response>())
    private let items = Locked(Joined<[Response.Element]>())

    private struct Joined<Whole> {
        var whole: Whole?
        var count = 0
        var stamp: UInt64?
        var lineage: UInt64?
        var version: UInt64?

        /// True if all pages of the list are joined. The version alone is not enough, because the list of another key
        /// may have the same version.
        func isOf(_ list: List, _ version: UInt64) -> Bool {
            self.version == version && count == list.count && stamp == list.lastStamp && lineage == list.lineage
        }

        /// True if the list begins with exactly the joined pages.
        func isContinued(by list: List) -> Bool {
            guard count > 0, list.count >= count, list.lineage == lineage else { return false }
            return list.loaded(at: count - 1).stamp == stamp
        }
    }

    init(
        part: @escaping @Sendable (Page) -> Response, merge: @escaping @Sendable (inout Response, Response) -> Void
    ) {
        self.part = part
        self.merge = merge
    }

    /// Returns all pages as one response. `nil` if there are no pages.
    func response(of list: List?, version: UInt64) -> Response? {
        guard let list, !list.isEmpty else { return nil }
        let (part, merge) = (part, merge)
        return Self.join(list, version, response) { whole, page in
            guard var joined = whole.take() else { return whole = part(page) }
            merge(&joined, part(page))
            whole = joined
        }
    }

    func items(of list: List?, version: UInt64) -> [Response.Element] {
        guard let list, !list.isEmpty else { return [] }
        let part = part
        return Self.join(list, version, items) { whole, page in
            var joined = whole.take() ?? []
            joined.append(contentsOf: part(page))
            whole = joined
        } ?? []
    }

    /// Takes the joined value out of the lock, so that no user code runs under the lock and adding a page copies
    /// nothing. A concurrent caller joins all pages again.
    private static func join<Whole>(
        _ list: List, _ version: UInt64, _ store: borrowing Locked<Joined<Whole>>,
        _ add: (inout Whole?, Page) -> Void
    ) -> Whole? {
        var joined = store.withLock { stored -> Joined<Whole> in
            if stored.isOf(list, version) { return stored }
            defer { stored = Joined() }
            return stored
        }
        if joined.isOf(list, version) { return joined.whole }
        if !joined.isContinued(by: list) { joined = Joined() }
        for index in joined.count..<list.count { add(&joined.whole, list[index]) }
        joined.count = list.count
        joined.stamp = list.lastStamp
        joined.lineage = list.lineage
        joined.version = version
        let old = store.withLock { stored in
            defer { stored = joined }
            return stored
        }
        _ = old  // released outside the lock
        return joined.whole
    }
}
