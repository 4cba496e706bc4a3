/// What the server says of a user, as far as the demo shows it.
struct User: Codable, Sendable, Equatable {
    var id: Int
    var name: String
    var email: String
}

/// What the server says of a post.
struct Post: Codable, Sendable, Equatable {
    var id: Int
    var userId: Int
    var title: String
}

/// What the server's clock says: it counts how often it was asked.
struct Clock: Codable, Sendable, Equatable {
    var tick: Int
}
