import PigeonCore

/// Joins the pages of a list, adding only what is new since it was last asked: reading after each page costs the page.
///
/// Shared by a query and all who consume its key, on whatever thread.
final class JoinedPages<Response: Sequence & Sendable, PageIdentifier: Sendable>: Sendable
where Response.Element: Sendable {
    typealias List = Pages<Response, PageIdentifier>

    private let merge: @Sendable (inout Response, Response) -> Void
    private let response = Locked(Joined<Response>())
    private let items = Locked(Joined<[Response.Element]>())

    /// Pages joined so far, and of which list they are.
    private struct Joined<Whole> {
        var whole: Whole?
        var count = 0
        var stamp: UInt64?
        var lineage: UInt64?
        var version: UInt64?

        /// Whether all of the list was joined. Versions alone do not tell: another key's list may have the same.
        func isOf(_ list: List, _ version: UInt64) -> Bool {
            self.version == version && count == list.count && stamp == list.lastStamp && lineage == list.lineage
        }

        /// Whether the list begins with just the pages that were joined.
        func isContinued(by list: List) -> Bool {
            guard count > 0, list.count >= count, list.lineage == lineage else { return false }
            return list.loaded(at: count - 1).stamp == stamp
        }
    }

    init(merge: @escaping @Sendable (inout Response, Response) -> Void) {
        self.merge = merge
    }

    /// All pages as one. `nil` when there is none.
    func response(of list: List?, version: UInt64) -> Response? {
        guard let list, !list.isEmpty else { return nil }
        let merge = merge
        return Self.join(list, version, response) { whole, page in
            guard var joined = whole.take() else { return whole = page }
            merge(&joined, page)
            whole = joined
        }
    }

    /// The items of all pages.
    func items(of list: List?, version: UInt64) -> [Response.Element] {
        guard let list, !list.isEmpty else { return [] }
        return Self.join(list, version, items) { whole, page in
            var joined = whole.take() ?? []
            joined.append(contentsOf: page)
            whole = joined
        } ?? []
    }

    /// Takes what was joined out of the lock, so that no user code runs under it and adding copies nothing; who comes
    /// meanwhile joins anew.
    private static func join<Whole>(
        _ list: List, _ version: UInt64, _ store: borrowing Locked<Joined<Whole>>,
        _ add: (inout Whole?, Response) -> Void
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
        _ = old  // freed after the lock is
        return joined.whole
    }
}
