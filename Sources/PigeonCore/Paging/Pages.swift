/// A list that is loaded page by page, in either direction.
///
/// A list is a value. Copies share storage, and adding a page copies at most one chunk of pages, not the list.
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
        private let box: PageValidators

        /// The validators that the server sent with the page. Empty for a page that the program made or edited.
        package var validators: FetchValidators {
            get { box.value }
            nonmutating set { box.value = newValue }
        }

        init(id: PageID, page: Page, stamp: UInt64, validators: FetchValidators) {
            self.id = id
            self.page = page
            self.stamp = stamp
            box = PageValidators(validators)
        }

        /// Creates a page, for a list that the program builds.
        public init(id: PageID, page: Page) {
            self.init(id: id, page: page, stamp: PageStamp.next(), validators: FetchValidators())
        }
    }

    /// The pages before the first loaded page, nearest first, and the pages from it on. In both arrays, all chunks but
    /// the last are full. Each page is a `PayloadOf<Loaded>`, because arrays of a generic type are slow where the
    /// compiler does not know the type.
    private var before: [[Payload]] = []
    private var after: [[Payload]] = []
    private var beforeCount = 0
    /// Changes with every change except an addition at the end. Two lists with the same lineage begin with the same
    /// pages.
    package private(set) var lineage = PageStamp.next()
    private var afterCount = 0
    /// Identify the start and the end that a new page must follow. Each changes when pages are added or removed there,
    /// and differs in every newly created list, so that a page that was requested earlier no longer follows.
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
    public var endIndex: Int { beforeCount + afterCount }

    /// The page at a position, counted from the first loaded page. The position must be valid.
    public subscript(position: Int) -> Page { loaded(at: position).page }

    /// Returns a page with its identifier. The position must be valid.
    public func loaded(at position: Int) -> Loaded {
        let offset = position - beforeCount
        let box: Payload
        if offset >= 0 {
            box = after[offset / chunkSize][offset % chunkSize]
        } else {
            let distance = -offset - 1
            box = before[distance / chunkSize][distance % chunkSize]
        }
        return unsafeDowncast(box, to: PayloadOf<Loaded>.self).value  // `add` and `updatePage` store nothing else
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
        let offset = position - beforeCount
        if offset < 0 {
            let distance = -offset - 1
            before[distance / chunkSize][distance % chunkSize] = PayloadOf(new)
        } else {
            after[offset / chunkSize][offset % chunkSize] = PayloadOf(new)
        }
    }

    /// True if both consist of the same loads, in the same order.
    func hasSameLoads(as other: Pages) -> Bool {
        count == other.count && indices.allSatisfy { loaded(at: $0).stamp == other.loaded(at: $0).stamp }
    }

    mutating func append(_ page: Loaded) {
        add(PayloadOf(page), to: &after)
        afterCount += 1
        ends.end = page.stamp
    }

    mutating func prepend(_ page: Loaded) {
        add(PayloadOf(page), to: &before)
        beforeCount += 1
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
        let all = indices.map { loaded(at: $0) }
        let kept = direction == .next ? Array(all.suffix(limit)) : Array(all.prefix(limit))
        guard let first = kept.first, let last = kept.last else { return }
        let old = ends
        self = Pages(
            kept, nextID: direction == .next ? nextID : next(last.page, last.id),
            previousID: direction == .next ? previous(first.page, first.id) : previousID)
        // Pages were removed only at the far end.
        if direction == .next { ends.end = old.end } else { ends.start = old.start }
    }
}

/// The maximum number of pages in a chunk, and so of the pages that adding one copies.
private let chunkSize = 32

private func add(_ page: Payload, to chunks: inout [[Payload]]) {
    if let last = chunks.indices.last, chunks[last].count < chunkSize {
        chunks[last].append(page)
    } else {
        chunks.append([page])
    }
}

extension Pages.Loaded: Equatable where Page: Equatable, PageID: Equatable {
    /// Returns true if both are the same load, or have equal identifiers and equal pages.
    public static func == (one: Self, other: Self) -> Bool {
        one.stamp == other.stamp || (one.id == other.id && one.page == other.page)
    }
}

/// The validators of a page, shared by all copies of its load.
///
/// They can be replaced, because a page that equals the one in the list leaves the list as it is, with newer validators.
private final class PageValidators: Sendable {
    private let state: Locked<FetchValidators>

    init(_ validators: FetchValidators) {
        state = Locked(validators)
    }

    var value: FetchValidators {
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
        one.count == other.count && one.nextID == other.nextID && one.previousID == other.previousID
            && one.indices.allSatisfy { one.loaded(at: $0) == other.loaded(at: $0) }
    }
}
