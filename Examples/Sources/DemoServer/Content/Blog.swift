/// All that the server serves, in the order of its identifiers.
struct Blog: Sendable {
    var users: [User]
    var posts: [Post]
    var comments: [Comment]
    /// Never one that was used before, even if its post is gone.
    private(set) var nextPostID: Int

    init(users: [User], posts: [Post], comments: [Comment]) {
        self.users = users
        self.posts = posts
        self.comments = comments
        nextPostID = (posts.map(\.id).max() ?? 0) + 1
    }

    mutating func append(_ post: Post) {
        posts.append(post)
        nextPostID = max(nextPostID, post.id + 1)
    }

    mutating func replace<Record: BlogRecord>(_ record: Record, in records: WritableKeyPath<Blog, [Record]>) {
        guard let index = self[keyPath: records].firstIndex(where: { $0.id == record.id }) else { return }
        self[keyPath: records][index] = record
    }

    /// Removes a post and the comments on it.
    mutating func removePost(_ id: Int) {
        posts.removeAll { $0.id == id }
        comments.removeAll { $0.postId == id }
    }
}
