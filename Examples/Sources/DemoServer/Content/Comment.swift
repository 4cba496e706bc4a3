/// A comment on a post, with the fields of JSONPlaceholder.
struct Comment: BlogRecord {
    let id: Int
    var postId: Int
    var name: String
    var email: String
    var body: String

    static let noun = "comment"
    static let filters: [(name: String, value: @Sendable (Comment) -> String)] = [
        ("id", { String($0.id) }), ("postId", { String($0.postId) }), ("email", \.email),
    ]
}
