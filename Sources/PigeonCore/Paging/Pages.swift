/// A list that is loaded page by page, in either direction.
///
/// A value: copies share what they have in common, and adding a page costs the page, not the list.
///
/// ```swift
/// let titles = pages.flatMap { $0.map(\.title) }      // over all pages, first to last
/// ```
public struct Pages<Page: Sendable, PageID: Sendable>: Sendable, RandomAccessCollection {
    /// One page and what it was asked by.
    public struct Loaded: Sendable {
        /// What the page was asked by.
        public let id: PageID
        /// The page.
        public let page: Page
        /// Tells this load from every other, so that a list can be seen to go on from another without comparing pages.
        package let stamp: UInt64

        init(id: PageID, page: Page, stamp: UInt64) {
            self.id = id
            self.page = page
            self.stamp = stamp
        }

        /// Creates a page, to write a list by hand.
        public init(id: PageID, page: Page) {
            self.init(id: id, page: page, stamp: PageStamp.next())
        }
    }

    /// Pages before the start, the nearest first; then pages from the start on. All chunks but the last of each are full.
    /// Each page is a `PayloadOf<Loaded>`: arrays of a generic type are slow where the compiler does not know the type.
    private var before: [[Payload]] = []
    private var after: [[Payload]] = []
    private var beforeCount = 0
    /// Changes with every change but an addition at the end: two lists with the same one begin alike.
    package private(set) var lineage = PageStamp.next()
    private var afterCount = 0
    /// What a page at the start and one at the end follow. Each changes when pages are added or dropped there, and is another
    /// in every list that is made anew: a page that was asked for before no longer follows.
    private var ends = (start: PageStamp.next(), end: PageStamp.next())

    /// What the next page is asked by. `nil` at the end of the list.
    public internal(set) var nextID: PageID?

    /// What the previous page is asked by. `nil` at the start of the list.
    public internal(set) var previousID: PageID?

    /// Creates a list without pages.
    public init() {}

    /// Creates a list from pages, in order.
    public init(_ pages: [Loaded], nextID: PageID?, previousID: PageID? = nil) {
        for page in pages { append(page) }
        self.nextID = nextID
        self.previousID = previousID
    }

    /// Whether the list goes on at its end.
    public var hasNext: Bool { nextID != nil }

    /// Whether the list goes on at its start.
    public var hasPrevious: Bool { previousID != nil }

    /// Always 0.
    public var startIndex: Int { 0 }

    /// How many pages there are.
    public var endIndex: Int { beforeCount + afterCount }

    /// A page, counted from the first that is there.
    public subscript(position: Int) -> Page { loaded(at: position).page }

    /// A page and what it was asked by.
    public func loaded(at position: Int) -> Loaded {
        let offset = position - beforeCount
        let box: Payload
        if offset >= 0 {
            box = after[offset / chunkSize][offset % chunkSize]
        } else {
            let distance = -offset - 1
            box = before[distance / chunkSize][distance % chunkSize]
        }
        return unsafeDowncast(box, to: PayloadOf<Loaded>.self).value  // `add` and `updatePage` put in nothing else
    }

    /// What the pages were asked by, in order.
    public var ids: [PageID] { indices.map { loaded(at: $0).id } }

    /// What the first page that is there was asked by.
    public var firstID: PageID? { isEmpty ? nil : loaded(at: 0).id }

    /// The stamp of the last page that is there.
    package var lastStamp: UInt64? { isEmpty ? nil : loaded(at: count - 1).stamp }

    /// What the last page that is there was asked by.
    public var lastID: PageID? { isEmpty ? nil : loaded(at: count - 1).id }

    /// Tells the end to which a direction adds from what it was before, and from those of other lists.
    func end(in direction: PageDirection) -> UInt64 { direction == .next ? ends.end : ends.start }

    /// Edits one page, as an optimistic change or ``QueryClient/update(_:during:_:)`` of a list does. Costs that page's
    /// chunk, and only that page is written to the cache again.
    ///
    /// - Parameters:
    ///   - position: Which page, counted from the first that is there. Nothing happens where there is none.
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

    /// Keeps `limit` pages: after adding at the end the first ones go, after adding at the start the last ones.
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
        // Only the far end was cut.
        if direction == .next { ends.end = old.end } else { ends.start = old.start }
    }
}

/// Chunks hold at most this many pages, so that adding one copies no more.
private let chunkSize = 32

private func add(_ page: Payload, to chunks: inout [[Payload]]) {
    if let last = chunks.indices.last, chunks[last].count < chunkSize {
        chunks[last].append(page)
    } else {
        chunks.append([page])
    }
}

extension Pages.Loaded: Equatable where Page: Equatable, PageID: Equatable {
    /// Whether both are the same page with equal contents.
    public static func == (one: Self, other: Self) -> Bool {
        one.stamp == other.stamp || (one.id == other.id && one.page == other.page)
    }
}

extension Pages.Loaded: Codable where Page: Codable, PageID: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, page
    }

    /// Reads a page that was written by ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(PageID.self, forKey: .id), page: try container.decode(Page.self, forKey: .page))
    }

    /// Writes the page and what it was asked by.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(page, forKey: .page)
    }
}

/// Numbers for page loads, unlike those of other runs of the program, as they name records on disk.
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
    /// Whether both hold equal pages and go on alike.
    public static func == (one: Pages, other: Pages) -> Bool {
        one.count == other.count && one.nextID == other.nextID && one.previousID == other.previousID
            && one.indices.allSatisfy { one.loaded(at: $0) == other.loaded(at: $0) }
    }
}

extension Pages: Codable where Page: Codable, PageID: Codable {
    private enum CodingKeys: String, CodingKey {
        case pages, nextID, previousID
    }

    /// Reads a list that was written by ``encode(to:)``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode([Loaded].self, forKey: .pages),
            nextID: try container.decodeIfPresent(PageID.self, forKey: .nextID),
            previousID: try container.decodeIfPresent(PageID.self, forKey: .previousID))
    }

    /// Writes the pages in order, and where the list goes on.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(indices.map { loaded(at: $0) }, forKey: .pages)
        try container.encodeIfPresent(nextID, forKey: .nextID)
        try container.encodeIfPresent(previousID, forKey: .previousID)
    }
}
