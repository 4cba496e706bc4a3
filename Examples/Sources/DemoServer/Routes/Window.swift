import DemoHTTP

/// A few posts, newest first, and what the posts on both sides of them are asked for by.
///
/// A reader begins at the newest post, or at the one of `start`, and goes on in both directions with `cursor`.
struct Window: Encodable {
    let posts: [Post]
    /// The cursor of the older posts; left out where there are none.
    let next: String?
    /// The cursor of the newer posts; left out where there are none.
    let prev: String?

    init(onto all: [Post], request: Request) throws(Refusal) {
        let newestFirst = all.sorted { $0.id > $1.id }
        let size = request.number(of: "limit").flatMap { $0 > 0 ? $0 : nil } ?? 10
        let window: [Post]
        switch try Cursor(of: request) {
        case nil:
            let start = request.number(of: "start") ?? .max
            window = Array(newestFirst.filter { $0.id <= start }.prefix(size))
        case .olderThan(let id): window = Array(newestFirst.filter { $0.id < id }.prefix(size))
        case .newerThan(let id): window = newestFirst.filter { $0.id > id }.suffix(size)
        }
        posts = window
        next = window.last.flatMap { $0.id == newestFirst.last?.id ? nil : Cursor.olderThan($0.id).text }
        prev = window.first.flatMap { $0.id == newestFirst.first?.id ? nil : Cursor.newerThan($0.id).text }
    }

    /// The side of a post on which a reader goes on. Its text means nothing to clients.
    private enum Cursor {
        case olderThan(Int)
        case newerThan(Int)

        init?(of request: Request) throws(Refusal) {
            guard let text = request.values(of: "cursor").first else { return nil }
            let parts = text.split(separator: "-", maxSplits: 1)
            switch (parts.first, parts.last.flatMap { Int($0) }) {
            case ("older", let id?): self = .olderThan(id)
            case ("newer", let id?): self = .newerThan(id)
            default: throw .badRequest("'cursor' is none that this server gave")
            }
        }

        var text: String {
            switch self {
            case .olderThan(let id): "older-\(id)"
            case .newerThan(let id): "newer-\(id)"
            }
        }
    }
}
