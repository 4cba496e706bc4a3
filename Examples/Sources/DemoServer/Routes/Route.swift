import NIOHTTP1

/// A path that the server knows.
enum Route: Equatable {
    case list(Kind)
    case item(Kind, id: Int)
    case children(Kind, of: Kind, id: Int)
    case timeline
    case clock
    case control

    /// A kind of record, named as in a path.
    enum Kind: String {
        case users, posts, comments
    }

    init(_ path: [String]) throws(Refusal) {
        let unknown = Refusal.notFound("/" + path.joined(separator: "/"))
        guard let first = path.first, path.count <= 3 else { throw unknown }
        switch (first, path.count) {
        case ("timeline", 1): self = .timeline
        case ("clock", 1): self = .clock
        case ("_control", 1): self = .control
        default:
            guard let kind = Kind(rawValue: first) else { throw unknown }
            guard path.count > 1 else { self = .list(kind); return }
            guard let id = Int(path[1]) else { throw unknown }
            guard path.count > 2 else { self = .item(kind, id: id); return }
            guard let child = Kind(rawValue: path[2]), kind.children == child else { throw unknown }
            self = .children(child, of: kind, id: id)
        }
    }

    /// The methods that the path answers; any other gets a 405.
    var methods: [HTTPMethod] {
        switch self {
        case .list(.posts): [.GET, .HEAD, .POST]
        case .item(.posts, _): [.GET, .HEAD, .PUT, .PATCH, .DELETE]
        case .item(.users, _): [.GET, .HEAD, .PUT, .PATCH]
        case .control: [.GET, .HEAD, .PUT]
        case .list, .item, .children, .timeline, .clock: [.GET, .HEAD]
        }
    }
}

extension Route.Kind {
    fileprivate var children: Route.Kind? {
        switch self {
        case .users: .posts
        case .posts: .comments
        case .comments: nil
        }
    }
}
