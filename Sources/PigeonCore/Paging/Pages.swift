/// A list that is loaded page by page, in either direction.
///
/// A list is a value. Copies share storage, and adding, editing or removing a page copies one chunk of pages, not the list.
///
/// ```swift
/// let titles = pages.items.map(\.title)               // over all pages, first to last
/// ```
public struct Pages<Page: Sendable, PageID: Sendable>: Sendable, RandomAccessCollection {
    /// A page and the identifier by which it was requested.
    public struct Loaded: Sendable {
        /// The identifier by which the page was requested.
        public let id: PageID
        /// The page.
        public let page: Page
        /// Identifies this load, so that one list can be recognized as the continuation of another without comparing
        /// pages.
        package let stamp: UInt64
        private let box: PageDetails

        /// The validators that the server sent with the page. Empty for a page that the program made or edited.
        package var validators: FetchValidators { box.value.validators }

        /// The place of the newest request for the page among those of the client. `nil` if nothing says what the page contains,
        /// or if the program made or edited it.
        var order: ItemOrder? { box.value.order }

        /// Notes what the server sent with an answer by which the page is as it was.
        func renew(_ validators: FetchValidators, _ order: ItemOrder?) { box.value = (validators, order) }

        init(id: PageID, page: Page, stamp: UInt64, validators: FetchValidators, order: ItemOrder? = nil) {
            self.id = id
            self.page = page
            self.stamp = stamp
            box = PageDetails((validators, order))
        }

        /// Creates a page, for a list that the program builds.
        public init(id: PageID, page: Page) {
            self.init(id: id, page: page, stamp: PageStamp.next(), validators: FetchValidators())
        }
    }

    /// The pages before the first loaded page, nearest first, and the pages from it on.
    private(set) var (before, after) = (PageChunks(), PageChunks())
    /// Changes with every change except an addition at the end. Two lists with the same lineage begin with the same
    /// pages.
    package private(set) var lineage = PageStamp.next()
    /// Tokens of the start and the end. A page that was requested for an older token is rejected. Each changes when pages
    /// are added or removed there, and differs in every newly created list.
    private var ends = (start: PageStamp.next(), end: PageStamp.next())

    /// The identifier by which to request the next page. `nil` at the end of the list.
    public internal(set) var nextID: PageID?

    /// The identifier by which to request the previous page. `nil` at the start of the list.
    public internal(set) var previousID: PageID?

    /// Creates a list without pages.
    public init() {}

    /// Creates a list from pages, in order.
    public init(_ pages: [Loaded], nextID: PageID?, previousID: PageID? = nil) {
        for page in pages { append(page) }
        self.nextID = nextID
        self.previousID = previousID
    }

    /// True if there is a next page.
    public var hasNext: Bool { nextID != nil }

    /// True if there is a previous page.
    public var hasPrevious: Bool { previousID != nil }

    /// Always 0.
    public var startIndex: Int { 0 }

    /// Number of loaded pages.
    public var endIndex: Int { before.count + after.count }

    /// The page at a position, counted from the first loaded page. The position must be valid.
    public subscript(position: Int) -> Page { loaded(at: position).page }

    /// Returns a page with its identifier. The position must be valid.
    public func loaded(at position: Int) -> Loaded {
        Self.page(self[box: position])
    }

    private subscript(box position: Int) -> Payload {
        get { position < before.count ? before[before.count - 1 - position] : after[position - before.count] }
        set {
            if position < before.count {
                before[before.count - 1 - position] = newValue
            } else {
                after[position - before.count] = newValue
            }
        }
    }

    private static func page(_ box: Payload) -> Loaded {
        // `append`, `prepend` and `updatePage` store nothing else.
        unsafeDowncast(box, to: PayloadOf<Loaded>.self).value
    }

    /// The identifiers by which the pages were requested, in order.
    public var ids: [PageID] { indices.map { loaded(at: $0).id } }

    /// The identifier of the first loaded page. `nil` if there is none.
    public var firstID: PageID? { isEmpty ? nil : loaded(at: 0).id }

    /// The stamp of the last loaded page. `nil` if there is none.
    package var lastStamp: UInt64? { isEmpty ? nil : loaded(at: count - 1).stamp }

    /// The identifier of the last loaded page. `nil` if there is none.
    public var lastID: PageID? { isEmpty ? nil : loaded(at: count - 1).id }

    /// Returns a number that identifies the end at which a direction adds pages. Differs from earlier ends of this
    /// list, and from those of other lists.
    func end(in direction: PageDirection) -> UInt64 { direction == .next ? ends.end : ends.start }

    /// Edits one page. Use it in an optimistic edit, or in ``QueryClient/update(_:during:_:)``. Copies at most the
    /// page's chunk, and only the edited page is written to the cache again.
    ///
    /// To edit items without searching for their pages, see ``update(where:_:)``.
    ///
    /// - Parameters:
    ///   - position: The position of the page, counted from the first loaded page. The call does nothing if there is no
    ///     such page.
    ///   - edit: Changes the page.
    public mutating func updatePage(at position: Int, _ edit: (inout Page) -> Void) {
        guard indices.contains(position) else { return }
        let old = loaded(at: position)
        var page = old.page
        edit(&page)
        let new = Loaded(id: old.id, page: page)
        lineage = new.stamp
        self[box: position] = PayloadOf(new)
    }

    /// Puts a page in the place of another one, which must exist.
    mutating func replace(at position: Int, by page: Loaded) {
        lineage = PageStamp.next()
        if position == 0 { ends.start = page.stamp }
        if position == count - 1 { ends.end = page.stamp }
        self[box: position] = PayloadOf(page)
    }

    /// Removes the pages after a position, which must be valid.
    mutating func removePages(after position: Int) {
        while count > position + 1 { removeLast() }
        (lineage, ends.end) = (PageStamp.next(), PageStamp.next())
    }

    /// Returns a list of other pages, which continues others as this one does.
    package func mapPages<Other: Sendable>(_ transform: (Page) -> Other) -> Pages<Other, PageID> {
        var mapped = Pages<Other, PageID>()
        for position in indices {
            let loaded = loaded(at: position)
            mapped.append(
                .init(
                    id: loaded.id, page: transform(loaded.page), stamp: loaded.stamp, validators: loaded.validators,
                    order: loaded.order))
        }
        (mapped.nextID, mapped.previousID, mapped.lineage) = (nextID, previousID, lineage)
        return mapped
    }

    /// True if both have the same number of pages, and `areEqual` is true of each pair. Does not visit pages in storage
    /// that both share.
    private func isEqual(to other: Pages, by areEqual: (Loaded, Loaded) -> Bool) -> Bool {
        guard before.count == other.before.count else {
            return count == other.count && indices.allSatisfy { areEqual(loaded(at: $0), other.loaded(at: $0)) }
        }
        return after.isEqual(to: other.after) { areEqual(Self.page($0), Self.page($1)) }
            && before.isEqual(to: other.before) { areEqual(Self.page($0), Self.page($1)) }
    }

    func hasSameLoads(as other: Pages) -> Bool {
        isEqual(to: other) { $0.stamp == $1.stamp }
    }

    mutating func append(_ page: Loaded) {
        after.append(PayloadOf(page))
        ends.end = page.stamp
    }

    mutating func prepend(_ page: Loaded) {
        before.append(PayloadOf(page))
        lineage = page.stamp
        ends.start = page.stamp
    }

    /// Reduces the list to `limit` pages. After an addition at the end, removes the first pages. After an addition at
    /// the start, removes the last ones.
    mutating func trim(
        to limit: Int, addedIn direction: PageDirection, previous: (Page, PageID) -> PageID?,
        next: (Page, PageID) -> PageID?
    ) {
        guard limit > 0, count > limit else { return }
        while count > limit {
            if direction == .next { removeFirst() } else { removeLast() }
        }
        let far = loaded(at: direction == .next ? 0 : limit - 1)
        if direction == .next {
            previousID = previous(far.page, far.id)
            ends.start = PageStamp.next()
        } else {
            nextID = next(far.page, far.id)
            ends.end = PageStamp.next()
        }
        lineage = PageStamp.next()
    }

    private mutating func removeFirst() {
        if before.isEmpty { after.removeFirst() } else { before.removeLast() }
    }

    private mutating func removeLast() {
        if after.isEmpty { before.removeFirst() } else { after.removeLast() }
    }
}

extension Pages.Loaded: Equatable where Page: Equatable, PageID: Equatable {
    /// Returns true if both are the same load, or have equal identifiers and equal pages.
    public static func == (one: Self, other: Self) -> Bool {
        one.stamp == other.stamp || (one.id == other.id && one.page == other.page)
    }
}

/// Details of the answer that brought a page, shared by all copies of its load.
///
/// They can be replaced, because a page that equals the one in the list leaves the list as it is, with newer details.
private final class PageDetails: Sendable {
    typealias Value = (validators: FetchValidators, order: ItemOrder?)

    private let state: Locked<Value>

    init(_ value: Value) {
        state = Locked(value)
    }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// Creates numbers for page loads. They start at a random number, to differ from those of other runs of the program,
/// because they name records on disk.
enum PageStamp {
    private static let last = Locked(UInt64.random(in: .min ... .max))

    static func next() -> UInt64 {
        last.withLock { stamp in
            stamp &+= 1
            return stamp
        }
    }
}

extension Pages: Equatable where Page: Equatable, PageID: Equatable {
    /// Returns true if both have equal pages and equal next and previous identifiers.
    public static func == (one: Pages, other: Pages) -> Bool {
        one.nextID == other.nextID && one.previousID == other.previousID && one.isEqual(to: other, by: ==)
    }
}
