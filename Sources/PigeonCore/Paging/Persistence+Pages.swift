internal import Foundation

/// The content of a list's own record: the identifiers and validators of its pages, and the keys of their records.
private struct PageManifest<PageID: Codable>: Codable, SelfContainedPart {
    struct ManifestItem: Codable {
        let id: PageID
        let stamp: UInt64
        // Not in records that were written before pages had validators.
        let eTag: String?
        let lastModified: String?

        var validators: FetchValidators { FetchValidators(eTag: eTag, lastModified: lastModified) }
    }

    var entries: [ManifestItem]
    var nextID: PageID?
    var previousID: PageID?

    init<Page>(_ pages: Pages<Page, PageID>) {
        entries = pages.indices.map { index in
            let loaded = pages.loaded(at: index)
            let validators = loaded.validators
            return ManifestItem(
                id: loaded.id, stamp: loaded.stamp, eTag: validators.eTag, lastModified: validators.lastModified)
        }
        nextID = pages.nextID
        previousID = pages.previousID
    }
}

extension QueryKey {
    /// The path below which the pages of this list are stored.
    var pageRecords: QueryKey { appending("~page") }

    /// The key at which a page of this list is stored.
    fileprivate func page(_ stamp: UInt64) -> QueryKey {
        pageRecords.appending(String(stamp, radix: 16))
    }
}

extension Persistence {
    /// Stores a list page by page. Adding a page writes one record. A page that cannot be read ends the list before it.
    static func pages<Page: Codable & Sendable, PageID: Codable & Sendable>(
        of type: Pages<Page, PageID>.Type, schema: Int, cache: (any QueryCacheType)?
    ) -> Persistence {
        Persistence(
            cache: cache, schema: schema, isIncremental: true,
            parts: { payload, key, reader in
                guard let list = (payload as? PayloadOf<Pages<Page, PageID>>)?.value else { return PartEdits() }
                // The cache says which pages are new: others may have changed the list there, or the cache may have lost it.
                let stored = try reader?.part(PageManifest<PageID>.self, at: key)
                let had = Set(stored?.entries.map(\.stamp) ?? [])
                let pages = list.indices.map { list.loaded(at: $0) }
                var edits = PartEdits(removed: had.subtracting(pages.map(\.stamp)).map { key.page($0) })
                for page in pages where !had.contains(page.stamp) {
                    edits.saved.append((key.page(page.stamp), page.page))
                }
                edits.saved.append((key, PageManifest(list)))
                return edits
            },
            assemble: { key, reader in
                guard let manifest = try reader.part(PageManifest<PageID>.self, at: key) else { return nil }
                return try list(of: manifest) { try reader.part(Page.self, at: key.page($0)) }
            },
            partKeys: { payload, key in
                guard let list = (payload as? PayloadOf<Pages<Page, PageID>>)?.value else { return [] }
                return list.indices.map { key.page(list.loaded(at: $0).stamp) }
            })
    }

    /// Assembles a list. It ends before the first page that cannot be read, and can be continued from there.
    private static func list<Page: Codable & Sendable, PageID: Codable & Sendable>(
        of manifest: PageManifest<PageID>, read: (UInt64) throws -> Page?
    ) throws -> Assembled? {
        var loaded: [Pages<Page, PageID>.Loaded] = []
        for entry in manifest.entries {
            guard let page = try read(entry.stamp) else {
                guard !loaded.isEmpty else { return nil }
                let list = Pages(loaded, nextID: entry.id, previousID: manifest.previousID)
                return Assembled(
                    payload: PayloadOf(list),
                    problem:
                        "page \(loaded.count + 1) of \(manifest.entries.count) did not decode: the list ends before it")
            }
            loaded.append(.init(id: entry.id, page: page, stamp: entry.stamp, validators: entry.validators))
        }
        return Assembled(
            payload: PayloadOf(Pages(loaded, nextID: manifest.nextID, previousID: manifest.previousID)))
    }
}

/// A value that is stored as several records.
protocol PersistedInParts {
    static func persistence(schema: Int, cache: (any QueryCacheType)?) -> Persistence
}

extension Pages: PersistedInParts where Page: Codable, PageID: Codable {
    static func persistence(schema: Int, cache: (any QueryCacheType)?) -> Persistence {
        Persistence.pages(of: Self.self, schema: schema, cache: cache)
    }
}
