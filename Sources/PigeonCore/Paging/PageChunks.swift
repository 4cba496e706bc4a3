/// The pages of a list in chunks, so that a change copies one chunk, and the rest is shared with the list from before.
///
/// Each page is a `PayloadOf<Pages.Loaded>`, because arrays of a generic type are slow where the compiler does not know
/// the type.
struct PageChunks: Sendable {
    /// The maximum number of pages in a chunk.
    static let size = 32

    /// All chunks but the first and the last are full. None is empty.
    private(set) var chunks: [[Payload]] = []
    /// Number of pages that were removed from the front of the first chunk.
    private var skipped = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The chunk of a page, and the position of the page in it.
    private func place(of position: Int) -> (chunk: Int, page: Int) {
        let place = position + skipped
        let chunk = place / Self.size
        return (chunk, place % Self.size - (chunk == 0 ? skipped : 0))
    }

    /// The page at a position, which must be valid.
    subscript(position: Int) -> Payload {
        get {
            let place = place(of: position)
            return chunks[place.chunk][place.page]
        }
        set {
            let place = place(of: position)
            chunks[place.chunk][place.page] = newValue
        }
    }

    mutating func append(_ page: Payload) {
        let place = place(of: count)
        if place.chunk < chunks.count { chunks[place.chunk].append(page) } else { chunks.append([page]) }
        count += 1
    }

    /// Removes the first page. There must be one.
    mutating func removeFirst() {
        chunks[0].removeFirst()
        skipped += 1
        count -= 1
        guard chunks[0].isEmpty else { return }
        chunks.removeFirst()
        skipped = 0
    }

    /// Removes the last page. There must be one.
    mutating func removeLast() {
        let last = chunks.count - 1
        chunks[last].removeLast()
        count -= 1
        guard chunks[last].isEmpty else { return }
        chunks.removeLast()
        if chunks.isEmpty { skipped = 0 }
    }

    /// True if both have the same number of pages, and `areEqual` is true of each pair. Does not visit the pages of
    /// chunks that both share.
    func isEqual(to other: PageChunks, by areEqual: (Payload, Payload) -> Bool) -> Bool {
        guard count == other.count else { return false }
        guard skipped == other.skipped else {
            return (0..<count).allSatisfy { areEqual(self[$0], other[$0]) }
        }
        return zip(chunks, other.chunks).allSatisfy { mine, theirs in
            Self.isSame(mine, theirs) || zip(mine, theirs).allSatisfy(areEqual)
        }
    }

    /// True if both are the same storage.
    static func isSame(_ one: [Payload], _ other: [Payload]) -> Bool {
        one.count == other.count
            && one.withUnsafeBufferPointer { one in other.withUnsafeBufferPointer { one.baseAddress == $0.baseAddress }
            }
    }
}
