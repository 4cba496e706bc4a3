/// A post, with the fields of JSONPlaceholder.
struct Post: BlogRecord {
    let id: Int
    var userId: Int
    var title: String
    var body: String

    static let noun = "post"
    static let filters: [(name: String, value: @Sendable (Post) -> String)] = [
        ("id", { String($0.id) }), ("userId", { String($0.userId) }), ("title", \.title),
    ]

    func validate() throws(Refusal) {
        guard title.count <= 80 else { throw .unprocessable("a title may have at most 80 characters") }
    }
}
