import NIOHTTP1

/// A path that the server knows.
enum Route {
    case user(String)
    case repositories(of: String)
    case currentUser
    case search
    case repository(String, String)
    case contributors(String, String)
    case languages(String, String)
    case starred(String, String)
    case avatar(of: String)

    init(_ path: [String]) throws(Refusal) {
        switch (path.first, path.count) {
        case ("users", 2): self = .user(path[1])
        case ("users", 3) where path[2] == "repos": self = .repositories(of: path[1])
        case ("user", 1): self = .currentUser
        case ("user", 4) where path[1] == "starred": self = .starred(path[2], path[3])
        case ("search", 2) where path[1] == "repositories": self = .search
        case ("repos", 3): self = .repository(path[1], path[2])
        case ("repos", 4) where path[3] == "contributors": self = .contributors(path[1], path[2])
        case ("repos", 4) where path[3] == "languages": self = .languages(path[1], path[2])
        case ("avatars", 2) where path[1].hasSuffix(".png"): self = .avatar(of: String(path[1].dropLast(4)))
        default: throw .notFound
        }
    }

    /// The methods that the path answers; any other gets a 405.
    var methods: [HTTPMethod] {
        switch self {
        case .starred: [.GET, .HEAD, .PUT, .DELETE]
        default: [.GET, .HEAD]
        }
    }
}
